/**
 * What the process provides for all parts of a core.
 *
 * @module
 */

import type { CriConnection } from "../cri/mod.ts";
import type { EventRecorder } from "../events/mod.ts";
import type { InformerDeps } from "../informer/shared/mod.ts";
import type { Machine } from "../usage/mod.ts";

/** What is there before the first part. */
export type ProcessDeps = InformerDeps;

/** What the process as a whole provides. */
export interface CoreDeps extends ProcessDeps {
  readonly connection: CriConnection;
  readonly machine: Machine;
  /** Outlives the core, so that what led to its end can be seen after it. */
  readonly events: EventRecorder;
}
