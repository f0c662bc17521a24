/**
 * The rules of probes: when one is due, what a row of answers comes to, and what an HTTP
 * probe asks for. Pure; the prober makes the calls.
 *
 * @example Defaults of a probe
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { probeNumbers } from "./mod.ts";
 *
 * const numbers = probeNumbers({ initialDelaySeconds: 2 });
 * strictEqual(numbers.initialDelayMs, 2_000);
 * strictEqual(numbers.periodMs, 10_000);
 * strictEqual(numbers.thresholds.failure, 3);
 * ```
 *
 * @module
 */

export {
  actionHost,
  actionPort,
  type HttpAction,
  httpActionHeaders,
  type HttpActionPlace,
  httpActionUrl,
} from "./http_action.ts";
export {
  type ContainerPast,
  type ContainerSight,
  countOutcome,
  delayedUntil,
  dueAfter,
  firstDue,
  isMissed,
  observeContainer,
  type PastAttempt,
  pauseOf,
  type ProbeKind,
  type ProbeNumbers,
  probeNumbers,
  type ProbePause,
  type ProbeSchedule,
  type ProbeState,
  tickAfter,
  UNSEEN,
} from "./probe_rules.ts";
