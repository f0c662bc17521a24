/**
 * What makes pods on this node, put together: the store of its objects, the controllers, and
 * the way of their pods to the agent and back.
 *
 * @example It is built from what the process has
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { buildLocalWorkloads } from "./mod.ts";
 *
 * strictEqual(buildLocalWorkloads.length, 2);
 * ```
 *
 * @module
 */

export {
  buildLocalWorkloads,
  type LocalWorkloads,
  type LocalWorkloadsDeps,
  type LocalWorkloadsOptions,
} from "./local_workloads.ts";
