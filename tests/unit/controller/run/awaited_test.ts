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
  readonly #objects = new ScriptedObjects();
  /** The newest version that the cache shows. */
  shown = 100;

  remainingMs(nowMs: number): number {
    const cache = { ...this.#objects.cache, version: () => `${this.shown}` };
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

Deno.test("what is deleted is awaited until it goes, or is another one; what no controller sees is not", () => {
  const rig = new Rig();
  const ref = { apiVersion: "v1", namespace: "shop", name: "a", uid: "a" };
  rig.awaited.deleted(KEY, { ...ref, kind: "Secret" }, 0);
  strictEqual(rig.remainingMs(0), 0);
  rig.awaited.deleted(KEY, { ...ref, kind: "Pod" }, 0);
  strictEqual(rig.remainingMs(0), 0);
});

Deno.test("of a key that is forgotten nothing is awaited", () => {
  const rig = new Rig();
  rig.awaited.wrote(KEY, written("Pod", "200"), 0);
  rig.awaited.forget(KEY);
  strictEqual(rig.remainingMs(0), 0);
});
