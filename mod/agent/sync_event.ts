/**
 * Everything that can wake the sync loop, and nothing else.
 *
 * @module
 */

import type { ProbeChange } from "../prober/mod.ts";
import type { SourceSet } from "../source/merge/mod.ts";

/**
 * One reason to look at a pod or at all of them.
 *
 * An event says look again, never what is true: the handler reads the latest
 * desired and observed state.
 */
export type SyncEvent =
  | { readonly kind: "source_delivered"; readonly set: SourceSet }
  | { readonly kind: "container_moved"; readonly uid: string }
  /** An image of the pod is there, or could not be pulled. */
  | { readonly kind: "pull_ended"; readonly uid: string }
  /** A container answers otherwise than before. */
  | { readonly kind: "probe_changed"; readonly change: ProbeChange }
  /** The runtime answers again after it did not. */
  | { readonly kind: "runtime_returned" }
  | { readonly kind: "housekeeping_due" };
