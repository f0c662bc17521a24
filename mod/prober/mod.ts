/**
 * Asks containers whether they live, are ready and have started, and keeps what they say.
 *
 * Each probe has a worker of its own, so a slow target delays no other. A probe has at most
 * one attempt in flight and one timer, and leaves neither behind. The rules of probing are
 * pure and lie in `pod/probes`.
 *
 * @example A pod that is not probed has no verdict
 * ```ts
 * import { deepStrictEqual, strictEqual } from "node:assert/strict";
 * import { Sessions, systemClock, systemRandom } from "../base/mod.ts";
 * import { MetricsRegistry, silentLogger } from "../base/telemetry/mod.ts";
 * import { ProbeManager } from "./mod.ts";
 *
 * const prober = new ProbeManager({
 *   clock: systemClock,
 *   random: systemRandom,
 *   log: silentLogger,
 *   metrics: new MetricsRegistry(),
 *   sessions: new Sessions(),
 *   events: { record: () => {} },
 *   pods: { observed: () => undefined, podIps: () => [] },
 *   memory: { remembered: () => undefined },
 *   runner: { run: () => Promise.resolve({ kind: "success", message: "" }) },
 * });
 * strictEqual(prober.readiness("container-1"), undefined);
 * deepStrictEqual(prober.report("pod-1"), []);
 * ```
 *
 * @module
 */

export type {
  ProbeChange,
  ProbeResult,
  ProbeRunner,
  ProbeTarget,
} from "./ports.ts";
export { ProbeManager } from "./probe_manager.ts";
export { TargetProber } from "./target_prober.ts";
