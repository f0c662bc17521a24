/**
 * Which containers the agent stopped, and why, as its events tell.
 *
 * A status shows only how a container ended, and the reason why it waits afterwards is
 * that it waits.
 *
 * @module
 */

import type { RecordedEvent } from "../events/mod.ts";
import type { StopFact } from "../explain/mod.ts";

/** Finds where a container of a pod was stopped to be started anew; oldest first. */
export function stoppedContainers(
  events: readonly RecordedEvent[],
): readonly StopFact[] {
  return events.flatMap((event) => {
    const container = containerOf(event);
    if (event.reason !== "Killing" || container === undefined) return [];
    const why = whyStopped(event, events);
    return why === undefined ? [] : [{ container, why, atMs: event.lastMs }];
  });
}

function containerOf({ fieldPath = "" }: RecordedEvent): string | undefined {
  const brace = fieldPath.indexOf("{");
  const name = fieldPath.slice(brace + 1, -1);
  return brace >= 0 && fieldPath.endsWith("}") && name !== ""
    ? name
    : undefined;
}

// The words of mod/pod/plan/plan.ts and mod/runtime/start/start_container.ts, which are the kubelet's.
function whyStopped(
  event: RecordedEvent,
  events: readonly RecordedEvent[],
): string | undefined {
  const { message } = event;
  if (message === "FailedPostStartHook") return "its postStart hook failed";
  if (message.includes(" definition changed")) return "its definition changed";
  if (message.endsWith("resize requires restart")) {
    return "its new resources need a restart";
  }
  const [, kind] = / failed (liveness|startup) probe/.exec(message) ?? [];
  if (kind === undefined) return undefined;
  const found = lastFound(kind, event, events);
  return `its ${kind} probe failed${found === "" ? "" : `: ${found}`}`;
}

/** What the probe said last before the container was stopped. */
function lastFound(
  kind: string,
  stop: RecordedEvent,
  events: readonly RecordedEvent[],
): string {
  const said = events.findLast(({ reason, fieldPath, message, lastMs }) =>
    reason === "Unhealthy" && fieldPath === stop.fieldPath &&
    lastMs <= stop.lastMs &&
    PROBE_FAILED.exec(message)?.[1]?.toLowerCase() === kind
  );
  const [, , found = ""] = PROBE_FAILED.exec(said?.message ?? "") ?? [];
  const [line = ""] = found.split("\n");
  return line.trim();
}

const PROBE_FAILED = /^(liveness|startup) probe failed: (.*)$/is;
