/**
 * One line of `get events`, as kubectl would write it.
 *
 * The columns are those of `printEvent` in Kubernetes' pkg/printers/internalversion,
 * the first one as `kubectl events` writes it.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { formatAge } from "../base/text/mod.ts";
import type { GetEventsCommand } from "./parse/mod.ts";

/** Which columns there are. */
export type EventColumns = Pick<GetEventsCommand, "namespace" | "output">;

/** The names of the columns. */
export function eventHeader(columns: EventColumns): string[] {
  const isWide = columns.output === "wide";
  return [
    ...(columns.namespace === undefined ? ["NAMESPACE"] : []),
    ...["LAST SEEN", "TYPE", "REASON", "OBJECT"],
    ...(isWide ? ["SUBOBJECT", "SOURCE"] : []),
    "MESSAGE",
    ...(isWide ? ["FIRST SEEN", "COUNT", "NAME"] : []),
  ];
}

/** The cells of one event; `nowMs` is wall time. */
export function eventRow(
  event: WireEvent,
  columns: EventColumns,
  nowMs: number,
): string[] {
  const { involvedObject, source, metadata } = event;
  const isWide = columns.output === "wide";
  return [
    ...(columns.namespace === undefined ? [metadata.namespace] : []),
    ...[lastSeen(event, nowMs), event.type, event.reason],
    `${involvedObject.kind.toLowerCase()}/${involvedObject.name}`,
    ...(isWide
      ? [involvedObject.fieldPath ?? "", `${source.component}, ${source.host}`]
      : []),
    event.message.trim(),
    ...(isWide
      ? [ageOf(event.firstTimestamp, nowMs), `${event.count}`, metadata.name]
      : []),
  ];
}

/** Such as `3m (x5 over 10m)`, as `kubectl describe` and `kubectl events` have it. */
function lastSeen(event: WireEvent, nowMs: number): string {
  const age = ageOf(event.lastTimestamp, nowMs);
  return event.count > 1
    ? `${age} (x${event.count} over ${ageOf(event.firstTimestamp, nowMs)})`
    : age;
}

function ageOf(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  // A clock that was set back since makes no event one of the future.
  return Number.isNaN(ms) ? "<unknown>" : formatAge(Math.max(0, nowMs - ms));
}
