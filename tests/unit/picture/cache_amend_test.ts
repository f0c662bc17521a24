/**
 * Looks at single containers, in the cache of pods.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { PodCache } from "../../../mod/picture/cache.ts";
import { seenContainer, seenPod, seenSandbox } from "../runtime/builders.ts";

const RUNNING = seenContainer("c");
const EXITED = seenContainer("c", { state: "exited", exitCode: 3 });
const OTHER = seenContainer("d");
const POD = seenPod({ containers: [RUNNING, OTHER] });
const END = { containerId: RUNNING.id, container: EXITED };

function cacheAt(atMs: number): PodCache {
  const cache = new PodCache();
  cache.set("u-1", POD, atMs);
  return cache;
}

function states(cache: PodCache): Readonly<Record<string, string>> {
  const { containers = [] } = cache.get("u-1") ?? {};
  return Object.fromEntries(containers.map(({ name, state }) => [name, state]));
}

Deno.test("PodCache.amend() changes one container, and neither the others nor the time of the pod", () => {
  const cache = cacheAt(10);
  strictEqual(cache.amend("u-1", END, 20), true);
  deepStrictEqual(states(cache), { c: "exited", d: "running" });
  deepStrictEqual([cache.timeOf("u-1"), cache.entryTime("u-1")], [10, 10]);
});

Deno.test("PodCache.amend() takes away a container that is gone", () => {
  const cache = cacheAt(10);
  const part = { containerId: RUNNING.id, container: undefined };
  strictEqual(cache.amend("u-1", part, 20), true);
  deepStrictEqual(states(cache), { d: "running" });
});

Deno.test("PodCache.amend() changes nothing that a newer look has shown", () => {
  const cache = cacheAt(30);
  strictEqual(cache.amend("u-1", END, 20), false);
  deepStrictEqual(states(cache), { c: "running", d: "running" });
  strictEqual(cache.amend("u-2", END, 20), false);
});

Deno.test("PodCache.set() keeps what was learned after the look that it records", () => {
  const cache = cacheAt(10);
  cache.amend("u-1", END, 20);
  // A list asked for at 15 that comes late.
  cache.set("u-1", POD, 15);
  deepStrictEqual(states(cache), { c: "exited", d: "running" });
  cache.set("u-1", POD, 25);
  deepStrictEqual(states(cache), { c: "running", d: "running" });
});

Deno.test("PodCache.amend() does not take a container back to where it was before", () => {
  const order = ["unknown", "created", "running", "exited"] as const;
  for (const [at, later] of order.entries()) {
    for (const earlier of order.slice(0, at)) {
      const shown = seenContainer("c", { state: later });
      const cache = new PodCache();
      cache.set("u-1", seenPod({ containers: [shown] }), 10);
      const container = seenContainer("c", { state: earlier });
      cache.amend("u-1", { containerId: shown.id, container }, 20);
      deepStrictEqual(states(cache), { c: later }, `${later} to ${earlier}`);
    }
  }
});

Deno.test("PodCache takes of two looks of the same moment the one that is recorded last", () => {
  const cache = cacheAt(10);
  strictEqual(cache.amend("u-1", END, 10), true);
  deepStrictEqual(states(cache), { c: "exited", d: "running" });
  cache.set("u-1", POD, 10);
  deepStrictEqual(states(cache), { c: "running", d: "running" });
});

Deno.test("PodCache.set() takes the later state of a container when two looks cross", () => {
  const cache = cacheAt(10);
  // Asked before, answered before the end; the list's own status came after it.
  const part = { containerId: RUNNING.id, container: RUNNING };
  cache.amend("u-1", part, 20);
  cache.set("u-1", seenPod({ containers: [EXITED, OTHER] }), 15);
  deepStrictEqual(states(cache), { c: "exited", d: "running" });
});

Deno.test("PodCache.amend() takes over the sandbox and its address", () => {
  const cache = cacheAt(10);
  const sandbox = seenSandbox({ ip: "10.88.0.9" });
  cache.amend("u-1", { ...END, sandbox }, 20);
  deepStrictEqual(cache.get("u-1")?.ips, ["10.88.0.9"]);
  cache.amend("u-1", { ...END, sandbox: { ...sandbox, ready: false } }, 30);
  // A pod that ends keeps its address in its status.
  deepStrictEqual(cache.get("u-1")?.ips, ["10.88.0.9"]);
});

Deno.test("PodCache.touch() says nothing of the pods that are excepted", () => {
  const cache = cacheAt(10);
  cache.set("u-2", POD, 10);
  cache.touch(20);
  cache.touch(30, new Set(["u-1"]));
  deepStrictEqual([cache.timeOf("u-1"), cache.timeOf("u-2")], [20, 30]);
  cache.touch(40, new Set(["u-1"]));
  strictEqual(cache.timeOf("u-1"), 20);
  cache.touch(50);
  strictEqual(cache.timeOf("u-1"), 50);
});

Deno.test("PodCache.watch() tells of looks, and of who waits for one", async () => {
  const cache = cacheAt(10);
  const told: string[] = [];
  const watch = cache.watch({
    recorded: (uid) => told.push(`recorded ${uid}`),
    awaited: (uid, newerThanMs) => told.push(`awaited ${uid} ${newerThanMs}`),
  });
  const { signal } = new AbortController();
  const waiting = cache.getNewerThan("u-1", 15, signal);
  await Promise.resolve();
  strictEqual(cache.isAwaited("u-1"), true);
  cache.set("u-1", POD, 16);
  await waiting;
  strictEqual(cache.isAwaited("u-1"), false);
  watch[Symbol.dispose]();
  cache.set("u-1", POD, 17);
  deepStrictEqual(told, ["awaited u-1 15", "recorded u-1"]);
});
