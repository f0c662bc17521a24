/**
 * The kubelet's words for attempts that went wrong.
 *
 * @module
 */

import type { ProbeKind } from "../pod/probes/mod.ts";
import type { ProbeResult } from "./ports.ts";
import { PROBE_WORDS } from "./probe_metrics.ts";

/** What an event says of an attempt, before the message of its result. */
export interface ProbeFault {
  readonly reason: "Unhealthy" | "ProbeWarning";
  readonly what: string;
}

/**
 * What is told of an attempt that ended so; `undefined` when nothing is.
 *
 * Upstream: pkg/kubelet/prober/prober.go probe.
 */
export function describeFault(
  kind: ProbeResult["kind"],
  probe: ProbeKind,
): ProbeFault | undefined {
  const word = PROBE_WORDS[probe];
  switch (kind) {
    case "success":
    case "stalled":
      return undefined;
    case "warning":
      return { reason: "ProbeWarning", what: `${word} probe warning` };
    case "failure":
      return { reason: "Unhealthy", what: `${word} probe failed` };
    case "error":
      return {
        reason: "Unhealthy",
        what: `${word} probe errored and resulted in unknown state`,
      };
  }
}
