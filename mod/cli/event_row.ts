/**
 * The columns of `get events`, as kubectl would write them.
 *
 * The columns are those of `printEvent` in Kubernetes' pkg/printers/internalversion,
 * the first one as `kubectl events` writes it.
 *
 * @module
 */

import type { WireEvent } from "../api/types/mod.ts";
import type { Listing } from "./listing.ts";
import { ageText, repeatedAgeText } from "./text/mod.ts";

/** An event, and the wall time of the table. */
export interface EventRow extends WireEvent {
  readonly nowMs: number;
}

/** How events are listed. */
export const EVENTS: Listing<WireEvent, EventRow> = {
  kind: "event",
  name: ({ metadata }) => metadata.name,
  row: (event, nowMs) => ({ ...event, nowMs }),
  columns: [
    ["NAMESPACE", ({ metadata }) => metadata.namespace, "all_namespaces"],
    ["LAST SEEN", (event) => repeatedAgeText(event, event.nowMs)],
    ["TYPE", ({ type }) => type],
    ["REASON", ({ reason }) => reason],
    [
      "OBJECT",
      ({ involvedObject: { kind, name } }) => `${kind.toLowerCase()}/${name}`,
    ],
    [
      "SUBOBJECT",
      ({ involvedObject }) => involvedObject.fieldPath ?? "",
      "wide",
    ],
    ["SOURCE", ({ source }) => `${source.component}, ${source.host}`, "wide"],
    ["MESSAGE", ({ message }) => message.trim()],
    [
      "FIRST SEEN",
      ({ firstTimestamp, nowMs }) => ageText(firstTimestamp, nowMs),
      "wide",
    ],
    ["COUNT", ({ count }) => `${count}`, "wide"],
    ["NAME", ({ metadata }) => metadata.name, "wide"],
  ],
};
