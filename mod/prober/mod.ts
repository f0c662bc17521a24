/**
 * Asks containers whether they live, are ready and have started, and keeps what they
 * say.
 *
 * Each probe goes its own way: a slow target delays nobody else. What is decided from
 * answers and from the clock is pure and lies with the pod's other rules.
 *
 * @module
 */

export type {
  ProbeChange,
  ProbeMemory,
  ProbeReport,
  ProbeResult,
  ProbeRunner,
  ProbeTarget,
} from "./ports.ts";
export { ProbeManager } from "./probe_manager.ts";
export { TargetProber, type TargetProberDeps } from "./target_prober.ts";
