/**
 * What happened between two looks.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { diffPod, type ItemState } from "../../../mod/picture/diff.ts";

const STATES: readonly (ItemState | undefined)[] = [
  undefined,
  "running",
  "exited",
  "unknown",
  "created",
];
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "undefined running": ["container_started"],
  "undefined exited": ["container_died"],
  "undefined unknown": ["container_lost"],
  "undefined created": ["container_changed"],
  "running exited": ["container_died"],
  "running unknown": ["container_lost"],
  "running created": ["container_changed"],
  "running undefined": ["container_died", "container_removed"],
  "exited running": ["container_started"],
  "exited unknown": ["container_lost"],
  "exited created": ["container_changed"],
  "exited undefined": ["container_removed"],
  "unknown running": ["container_started"],
  "unknown exited": ["container_died"],
  "unknown created": ["container_changed"],
  "unknown undefined": ["container_died", "container_removed"],
  "created running": ["container_started"],
  "created exited": ["container_died"],
  "created unknown": ["container_lost"],
  "created undefined": ["container_removed"],
};

for (const old of STATES) {
  for (const now of STATES) {
    const expected = EXPECTED[`${old} ${now}`] ?? [];
    Deno.test(`diffPod() turns ${old} → ${now} into ${expected.join(", ") || "nothing"}`, () => {
      const events = diffPod("u", look(old), look(now));
      deepStrictEqual(events.map(({ kind }) => kind), expected);
      for (const { podUid, containerId } of events) {
        deepStrictEqual([podUid, containerId], ["u", "c"]);
      }
    });
  }
}

function look(state: ItemState | undefined): ReadonlyMap<string, ItemState> {
  return new Map(state === undefined ? [] : [["c", state]]);
}
