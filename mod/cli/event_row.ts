/**
 * The columns of `get events`, as kubectl would write them.
 *
 * The columns are those of `printEvent` in Kubernetes' pkg/printers/internalversion,
 * the first one as `kubectl events` writes it.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import { formatAge } from "../base/text/mod.ts";
import type { Listing } from "./listing.ts";

/** An event, and the wall time of the table. */
export interface EventRow {
  readonly event: WireEvent;
  readonly nowMs: number;
}

/** How events are listed. */
export const EVENTS: Listing<WireEvent, EventRow> = {
  kind: "event",
  name: ({ metadata }) => metadata.name,
  row: (event, nowMs) => ({ event, nowMs }),
  columns: [
    {
      heading: "NAMESPACE",
      only: "all_namespaces",
      cell: ({ event }) => event.metadata.namespace,
    },
    { heading: "LAST SEEN", cell: lastSeen },
    { heading: "TYPE", cell: ({ event }) => event.type },
    { heading: "REASON", cell: ({ event }) => event.reason },
    {
      heading: "OBJECT",
      cell: ({ event: { involvedObject } }) =>
        `${involvedObject.kind.toLowerCase()}/${involvedObject.name}`,
    },
    {
      heading: "SUBOBJECT",
      only: "wide",
      cell: ({ event }) => event.involvedObject.fieldPath ?? "",
    },
    {
      heading: "SOURCE",
      only: "wide",
      cell: ({ event: { source } }) => `${source.component}, ${source.host}`,
    },
    { heading: "MESSAGE", cell: ({ event }) => event.message.trim() },
    { heading: "FIRST SEEN", only: "wide", cell: firstSeen },
    { heading: "COUNT", only: "wide", cell: ({ event }) => `${event.count}` },
    { heading: "NAME", only: "wide", cell: ({ event }) => event.metadata.name },
  ],
};

/** Such as `3m (x5 over 10m)`, as `kubectl describe` and `kubectl events` have it. */
function lastSeen({ event, nowMs }: EventRow): string {
  const age = ageOf(event.lastTimestamp, nowMs);
  return event.count > 1
    ? `${age} (x${event.count} over ${firstSeen({ event, nowMs })})`
    : age;
}

function firstSeen({ event, nowMs }: EventRow): string {
  return ageOf(event.firstTimestamp, nowMs);
}

function ageOf(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  // A clock that was set back since makes no event one of the future.
  return Number.isNaN(ms) ? "<unknown>" : formatAge(Math.max(0, nowMs - ms));
}
