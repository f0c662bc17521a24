/**
 * How one execution of a plan ended.
 *
 * @module
 */

import type { PodFailure, SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";

/** What was done for a pod, and what is known of it now. */
export interface SyncOutcome {
  /** True when something in the runtime may have changed: look before the next plan. */
  readonly acted: boolean;
  /** When the last change was over, on the monotonic clock in milliseconds. */
  readonly actedAtMs: number;
  /** In the order they happened; one without a container asks for another sync. */
  readonly failures: readonly SyncFailure[];
  /** An image is still being pulled: the pod is told of when that has ended. */
  readonly isPulling: boolean;
  /** Sandboxes in which nothing runs any more and which could not be stopped. */
  readonly unstopped?: readonly string[];
  /** Why none of the pod's containers could be started or kept. */
  readonly podFailure?: PodFailure;
  /**
   * The pod as the runtime showed it after the last change, when that could be said
   * without looking at all of it again; `atMs` is when it was asked, on the monotonic
   * clock and after `actedAtMs`.
   */
  readonly observed?: { readonly pod: ObservedPod; readonly atMs: number };
}
