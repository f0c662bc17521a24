/**
 * Which containers the agent stopped, and why.
 *
 * A status shows only how a container ended, and the reason why it waits afterwards is
 * that it waits. The events of the stops know more.
 *
 * @module
 */

import type { RecordedEvent } from "../events/mod.ts";
import { STOP_WORDS, type StopFact } from "../explain/mod.ts";

/** Finds where a container of a pod was stopped to be started anew; oldest first. */
export function stoppedContainers(
  events: readonly RecordedEvent[],
): readonly StopFact[] {
  return events.flatMap(({ facts, lastMs: atMs }) => {
    if (facts?.kind !== "stop") return [];
    const { container, reason } = facts;
    const known = RESTARTING.find((each) => each === reason);
    if (known === undefined) return [];
    const found = lastFound(reason, { container, atMs, events });
    return [{ container, why: `${STOP_WORDS[known]}${found}`, atMs }];
  });
}

/** The reasons of a stop after which a container starts again. */
const RESTARTING = [
  "post_start_failed",
  "spec_changed",
  "resized",
  "liveness_failed",
  "startup_failed",
] as const;

/** What the probe said last before it had the container stopped. */
function lastFound(
  reason: string,
  stop: {
    readonly container: string;
    readonly atMs: number;
    readonly events: readonly RecordedEvent[];
  },
): string {
  const { facts } =
    stop.events.findLast(({ facts, lastMs }) =>
      facts?.kind === "probe_failure" && lastMs <= stop.atMs &&
      facts.container === stop.container && `${facts.probe}_failed` === reason
    ) ?? {};
  const found = facts?.kind === "probe_failure" ? facts.found.trim() : "";
  return found === "" ? "" : `: ${found}`;
}
