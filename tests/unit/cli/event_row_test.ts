/**
 * Lines of `get events`, as kubectl writes them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { WireEvent } from "../../../mod/api/types/mod.ts";
import { EVENTS } from "../../../mod/cli/event_row.ts";
import { renderList, type Shown } from "../../../mod/cli/listing.ts";

const NOW_MS = Date.parse("2024-01-01T01:00:00Z");
const TABLE = { namespace: "shop", output: "table" } as const;
const WIDE = { namespace: undefined, output: "wide" } as const;

function table(events: readonly WireEvent[], shown: Shown): string[][] {
  const options = { shown, nowMs: NOW_MS };
  return renderList(EVENTS, { items: events, body: undefined }, options)
    .trimEnd().split("\n").map((line) => line.split(/ {3,}/));
}

function event(fields: Partial<WireEvent> = {}): WireEvent {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: "web-n1.17a",
      namespace: "shop",
      uid: "e-1",
      resourceVersion: "7",
      creationTimestamp: "2024-01-01T00:50:00Z",
    },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      namespace: "shop",
      name: "web-n1",
      uid: "u-1",
      fieldPath: "spec.containers{c}",
    },
    reason: "BackOff",
    message: "Back-off restarting",
    source: { component: "kubelet", host: "n1" },
    firstTimestamp: "2024-01-01T00:50:00Z",
    lastTimestamp: "2024-01-01T00:57:00Z",
    count: 1,
    type: "Warning",
    eventTime: null,
    reportingComponent: "kubelet",
    reportingInstance: "n1",
    ...fields,
  };
}

Deno.test("EVENTS has the columns of kubectl get events", () => {
  deepStrictEqual(table([], TABLE)[0], [
    ...["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
  ]);
  deepStrictEqual(table([event()], TABLE)[1], [
    ...["3m", "Warning", "BackOff", "pod/web-n1", "Back-off restarting"],
  ]);
});

Deno.test("EVENTS has the wide columns of kubectl, and the namespace for -A", () => {
  deepStrictEqual(table([], WIDE)[0], [
    ...["NAMESPACE", "LAST SEEN", "TYPE", "REASON", "OBJECT", "SUBOBJECT"],
    ...["SOURCE", "MESSAGE", "FIRST SEEN", "COUNT", "NAME"],
  ]);
  deepStrictEqual(table([event()], WIDE)[1], [
    ...["shop", "3m", "Warning", "BackOff", "pod/web-n1"],
    ...["spec.containers{c}", "kubelet, n1", "Back-off restarting"],
    ...["10m", "1", "web-n1.17a"],
  ]);
});

for (
  const [what, fields, wanted] of [
    ["once", {}, "3m"],
    ["again and again", { count: 5 }, "3m (x5 over 10m)"],
    ["just now", {
      count: 2,
      lastTimestamp: "2024-01-01T01:00:00Z",
      firstTimestamp: "2024-01-01T00:59:15Z",
    }, "0s (x2 over 45s)"],
    ["after now, by a clock that was set back", {
      count: 2,
      lastTimestamp: "2024-01-01T01:00:40Z",
      firstTimestamp: "2024-01-01T01:00:10Z",
    }, "0s (x2 over 0s)"],
    ["at no time that can be read", { lastTimestamp: "?" }, "<unknown>"],
  ] as const
) {
  Deno.test(`EVENTS shows an event that happened ${what}`, () => {
    strictEqual(table([event(fields)], TABLE)[1]?.[0], wanted);
  });
}
