/** What was done is awaited until the cache shows it, and for five minutes at most. */

import { strictEqual } from "node:assert/strict";
import type { ApiObject } from "../../../../mod/api/workload/mod.ts";
import { Awaited, AWAITED_MS } from "../../../../mod/controller/run/awaited.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";

const KEY = "shop/web";

function written(kind: string, resourceVersion: string): ApiObject {
  const metadata = { name: "a", namespace: "shop", uid: "a", resourceVersion };
  return { apiVersion: "v1", kind, metadata };
}

class Rig {
  readonly awaited = new Awaited();
  readonly objects = new ScriptedObjects();
  /** The newest version that the cache shows. */
  shown = 100;

  remainingMs(nowMs: number): number {
    const cache = { ...this.objects.cache, version: () => `${this.shown}` };
    return this.awaited.remainingMs(KEY, cache, nowMs);
  }
}

Deno.test("of several versions of a kind the newest is awaited, for five minutes from the last", () => {
  const rig = new Rig();
  rig.awaited.wrote(KEY, written("Pod", "101"), 0);
  rig.awaited.wrote(KEY, written("Pod", "110"), 1);
  rig.awaited.wrote(KEY, written("Pod", "105"), 7);
  rig.shown = 109;
  strictEqual(rig.remainingMs(10), AWAITED_MS - 3);
  strictEqual(rig.remainingMs(AWAITED_MS + 6), 1);
  rig.shown = 110;
  strictEqual(rig.remainingMs(20), 0);
});

Deno.test("every kind is awaited by itself", () => {
  const rig = new Rig();
  rig.awaited.wrote(KEY, written("Pod", "101"), 0);
  rig.awaited.wrote(KEY, written("Job", "102"), 0);
  rig.shown = 101;
  strictEqual(rig.remainingMs(0), AWAITED_MS);
  rig.shown = 102;
  strictEqual(rig.remainingMs(0), 0);
});

Deno.test("what was given up is not awaited again with what is done later", () => {
  const rig = new Rig();
  rig.awaited.wrote(KEY, written("Pod", "200"), 0);
  strictEqual(rig.remainingMs(AWAITED_MS), 0);
  rig.awaited.wrote(KEY, written("Pod", "100"), AWAITED_MS);
  strictEqual(rig.remainingMs(AWAITED_MS), 0);
});

for (
  const [name, object] of [
    ["a kind that no controller sees", written("Secret", "200")],
    ["a version that is no number", written("Pod", "new")],
  ] as const
) {
  Deno.test(`what the cache will never show is not awaited: ${name}`, () => {
    const rig = new Rig();
    rig.awaited.wrote(KEY, object, 0);
    strictEqual(rig.remainingMs(0), 0);
  });
}

const DELETED = { name: "a", namespace: "shop", uid: "a" };

for (
  const [what, kind, there, leftMs] of [
    ["is gone", "Pod", undefined, 0],
    ["is there", "Pod", DELETED, AWAITED_MS],
    ["is another one", "Pod", { ...DELETED, uid: "b" }, 0],
    [
      "is to end",
      "Pod",
      { ...DELETED, deletionTimestamp: "2026-01-01T00:00:00Z" },
      0,
    ],
    ["no controller sees", "Secret", DELETED, 0],
  ] as const
) {
  Deno.test(`a deletion is awaited for ${leftMs} ms where what was deleted ${what}`, () => {
    const rig = new Rig();
    if (there !== undefined) {
      rig.objects.put({ apiVersion: "v1", kind, metadata: there });
    }
    rig.awaited.deleted(KEY, { apiVersion: "v1", kind, ...DELETED }, 0);
    strictEqual(rig.remainingMs(0), leftMs);
  });
}
