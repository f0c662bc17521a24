/**
 * The kubelet's words for attempts that went wrong.
 *
 * @module
 */

import type { ProbeKind } from "../pod/probes/mod.ts";
import type { ContainerEvents } from "../runtime/account/mod.ts";
import type { ProbeResult } from "./ports.ts";
import { PROBE_WORDS } from "./probe_metrics.ts";

/**
 * Records the event of an attempt that did not simply succeed.
 *
 * Upstream: pkg/kubelet/prober/prober.go probe.
 */
export function recordFault(
  events: ContainerEvents,
  container: string,
  { kind, probe, message }: Pick<ProbeResult, "kind" | "message"> & {
    readonly probe: ProbeKind;
  },
): void {
  const fault = FAULTS[kind];
  if (fault === undefined) return;
  const { reason, what } = fault;
  const [found = ""] = message.split("\n", 1);
  events.record(container, {
    type: "Warning",
    reason,
    message: `${PROBE_WORDS[probe]} probe ${what}: ${message}`,
    ...kind === "failure" &&
      { facts: { kind: "probe_failure", container, probe, found } },
  });
}

const FAULTS: Readonly<
  Partial<Record<ProbeResult["kind"], { reason: string; what: string }>>
> = {
  warning: { reason: "ProbeWarning", what: "warning" },
  failure: { reason: "Unhealthy", what: "failed" },
  error: {
    reason: "Unhealthy",
    what: "errored and resulted in unknown state",
  },
};
