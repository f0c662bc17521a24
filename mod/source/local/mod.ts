/**
 * The source of pods that the controllers of this node make, and the way back: what became
 * of them, and that they are gone.
 *
 * @example A source is built on informers
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { LocalPodSource } from "./mod.ts";
 *
 * strictEqual(typeof LocalPodSource.prototype.run, "function");
 * ```
 *
 * @module
 */

export {
  LocalPodReports,
  type LocalPodReportsDeps,
} from "./local_pod_reports.ts";
export { LocalPodSource, type LocalPodSourceDeps } from "./local_pod_source.ts";
