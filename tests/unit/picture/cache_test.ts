/**
 * The cache of what was last seen of each pod.
 *
 * @module
 */

import { rejects, strictEqual } from "node:assert/strict";
import { PodCache } from "../../../mod/picture/cache.ts";
import { seenPod } from "../runtime/builders.ts";

const never = new AbortController().signal;
const POD = seenPod();
const NEWER = seenPod({ ips: ["10.88.0.8"] });

Deno.test("PodCache.getNewerThan() answers at once with a newer entry", async () => {
  const cache = new PodCache();
  cache.set("u-1", POD, 10);
  strictEqual(await cache.getNewerThan("u-1", 9, never), POD);
});

Deno.test("PodCache.getNewerThan() answers at once when all was confirmed since", async () => {
  const cache = new PodCache();
  cache.set("u-1", POD, 10);
  cache.touch(20);
  strictEqual(await cache.getNewerThan("u-1", 15, never), POD);
});

Deno.test("PodCache.getNewerThan() answers with an empty pod when the runtime has none", async () => {
  const cache = new PodCache();
  cache.touch(20);
  const pod = await cache.getNewerThan("u-1", 15, never);
  strictEqual(pod.uid, "u-1");
  strictEqual(pod.sandboxes.length + pod.containers.length, 0);
});

for (
  const [how, change] of [
    ["a newer look", (cache: PodCache) => cache.set("u-1", NEWER, 11)],
    ["a newer list", (cache: PodCache) => {
      cache.set("u-1", NEWER, 10);
      cache.touch(11);
    }],
    ["a confirmation", (cache: PodCache) => {
      cache.set("u-1", NEWER, 10);
      cache.confirm("u-1", 11);
    }],
  ] as const
) {
  Deno.test(`PodCache.getNewerThan() waits for ${how}`, async () => {
    const cache = new PodCache();
    cache.set("u-1", POD, 10);
    let answered = false;
    const waiting = cache.getNewerThan("u-1", 10, never).then((pod) => {
      answered = true;
      return pod;
    });
    cache.set("u-1", POD, 10);
    cache.set("u-2", POD, 99);
    await Promise.resolve();
    await Promise.resolve();
    strictEqual(answered, false);
    change(cache);
    strictEqual(await waiting, NEWER);
  });
}

Deno.test("PodCache.getNewerThan() throws why the look failed", async () => {
  const cache = new PodCache();
  cache.set("u-1", POD, 10);
  cache.set("u-1", new Error("no answer"), 20);
  await rejects(cache.getNewerThan("u-1", 15, never), /no answer/);
  strictEqual(cache.get("u-1"), POD);
});

Deno.test("PodCache.getNewerThan() gives up with its signal", async () => {
  const cache = new PodCache();
  const stop = new AbortController();
  const waiting = cache.getNewerThan("u-1", 1, stop.signal);
  stop.abort(new Error("deleted"));
  await rejects(waiting, /deleted/);
});

Deno.test("PodCache.set() ignores a look older than what is known", () => {
  const cache = new PodCache();
  strictEqual(cache.set("u-1", NEWER, 20), true);
  strictEqual(cache.set("u-1", POD, 10), false);
  strictEqual(cache.get("u-1"), NEWER);
});

Deno.test("PodCache.delete() leaves a pod that was seen since", () => {
  const cache = new PodCache();
  cache.set("u-1", POD, 20);
  strictEqual(cache.delete("u-1", 10), false);
  strictEqual(cache.get("u-1"), POD);
  strictEqual(cache.delete("u-1"), true);
  strictEqual(cache.get("u-1"), undefined);
});
