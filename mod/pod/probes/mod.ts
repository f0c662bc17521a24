/**
 * The rules of probes: when one is due, what a row of answers comes to, and what an HTTP probe asks for. Pure; the prober makes the calls.
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
