/**
 * What is told of a pod by one list after another.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import { Semaphore } from "../../../mod/base/mod.ts";
import type { PodListing } from "../../../mod/runtime/observe/mod.ts";
import { differs, isSettled } from "../../../mod/picture/pod_picture.ts";
import {
  type Inspect,
  listed,
  NEVER,
  seenAs,
  SettlingRig,
} from "../../support/picture/settling_rig.ts";

Deno.test("RuntimePicture.ownerOf() knows what was told of, and what was only seen", async () => {
  const rig = new SettlingRig();
  await rig.list("u", listed("u"));
  rig.picture.record("v", seenAs(listed("v")), 0);
  const owners = ["c-u", "s-u", "c-v", "s-v", "c-w"]
    .map((id) => rig.picture.ownerOf(id));
  deepStrictEqual(owners, ["u", "u", "v", "v", undefined]);
});

Deno.test("PodLooks.settle() forgets a pod that lists do not have any more, and one of which nothing is left", async () => {
  const rig = new SettlingRig();
  await rig.list("u", listed("u"));
  const gone: PodListing = { ...listed("u"), sandboxes: [], containers: [] };
  rig.inspect = () => Promise.resolve(seenAs(gone));
  deepStrictEqual(await rig.list("u", undefined), [
    "container_died",
    "container_removed",
    "container_died",
    "container_removed",
  ]);
  deepStrictEqual([!rig.picture.hasPublished, [...rig.picture.uids()]], [
    true,
    [],
  ]);
  // Somebody else has seen that nothing is left.
  rig.picture.record("v", seenAs({ ...gone, uid: "v" }), 0);
  await rig.list("v", undefined);
  deepStrictEqual([...rig.picture.uids()], []);
});

Deno.test("PodLooks.settle() keeps a pod that somebody has seen since the list was asked for", async () => {
  const rig = new SettlingRig();
  rig.picture.record("u", seenAs(listed("u")), 10);
  deepStrictEqual(await rig.list("u", undefined, { startMs: 9 }), []);
  deepStrictEqual([...rig.picture.uids()], ["u"]);
  deepStrictEqual(rig.inspected, []);
});

Deno.test("PodLooks.settle() gives up a look after ten seconds, and asks for another with the next list", async () => {
  const rig = new SettlingRig();
  await rig.list("u", listed("u"));
  rig.inspect = (_, signal) => aborted(signal);
  await rig.clock.advance(1_000);
  const settling = rig.list("u", listed("u", "exited"));
  await rig.clock.advance(9_999);
  strictEqual(rig.picture.of("u").look.atMs, 0);
  await rig.clock.advance(1);
  deepStrictEqual(await settling, []);
  strictEqual(rig.picture.of("u").look.atMs, 1_000);
  strictEqual(rig.mustInspect("u"), true);
  await rejects(
    rig.picture.latest("u", { newerThanMs: 500, signal: NEVER }),
    /deadline|10000|10 s/i,
  );
});

Deno.test("PodLooks.settle() throws the reason when it is aborted, and records nothing", async () => {
  const rig = new SettlingRig();
  rig.inspect = (_, signal) => aborted(signal);
  const stop = new AbortController();
  const settling = rig.list("u", listed("u"), { signal: stop.signal });
  await rig.clock.advance(0);
  const reason = new Error("enough");
  stop.abort(reason);
  await rejects(settling, (error) => error === reason);
  deepStrictEqual([...rig.picture.uids()], []);
  deepStrictEqual(rig.log, []);
});

Deno.test("PodLooks.settle() says once that a pod cannot be looked at, and again after it could", async () => {
  const rig = new SettlingRig();
  const fail: Inspect = () => Promise.reject("only a text");
  const told = () => rig.log.splice(0).map(({ message }) => message);
  rig.inspect = fail;
  for (let times = 0; times < 3; times++) {
    await rig.clock.advance(1);
    deepStrictEqual(await rig.list("u", listed("u")), []);
  }
  const [first] = rig.log;
  match(JSON.stringify(first), /only a text/);
  match(JSON.stringify(first), /"pod":"shop\/web"/);
  deepStrictEqual(told(), [
    "pod_inspection_failed",
    "pod_inspection_failed_again",
    "pod_inspection_failed_again",
  ]);
  await rejects(
    rig.picture.latest("u", { newerThanMs: 0, signal: NEVER }),
    /^Error: only a text$/,
  );
  rig.inspect = (listing) => Promise.resolve(seenAs(listing));
  deepStrictEqual(await rig.list("u", listed("u")), [
    "container_started",
    "container_started",
  ]);
  rig.inspect = fail;
  await rig.list("u", listed("u", "exited"));
  deepStrictEqual(told(), ["pod_inspection_failed"]);
});

Deno.test("PodLooks.settle() names a pod that is not listed any more as it was seen", async () => {
  const rig = new SettlingRig();
  await rig.list("u", listed("u"));
  rig.inspect = () => Promise.reject(new Error("no"));
  await rig.list("u", undefined);
  strictEqual(rig.log[0]?.["pod"], "shop/web");
});

Deno.test("PodLooks.settle() tells a pod that was to be looked at again although nothing moved", async () => {
  const rig = new SettlingRig();
  await rig.clock.advance(5);
  await rig.list("u", listed("u"));
  deepStrictEqual(await rig.list("u", listed("u")), []);
  deepStrictEqual(rig.inspected, ["u"]);
  rig.picture.step("u", { kind: "inspection_wanted" });
  rig.picture.step("nobody", { kind: "inspection_wanted" });
  strictEqual(rig.mustInspect("nobody"), false);
  deepStrictEqual(await rig.list("u", listed("u")), ["pod_sync"]);
  rig.picture.step("u", { kind: "inspection_wanted" });
  deepStrictEqual(await rig.list("u", listed("u", "exited")), [
    "container_died",
  ]);
  deepStrictEqual(rig.inspected, ["u", "u", "u"]);
});

Deno.test("PodLooks.settle() takes over what others have seen: what died or went is told, not what they started", async () => {
  const rig = new SettlingRig();
  await rig.list("u", listed("u"));
  await rig.clock.advance(1);
  rig.picture.record("u", seenAs(listed("u", "exited")), 1);
  await rig.clock.advance(1);
  deepStrictEqual(await rig.list("u", listed("u", "exited")), [
    "container_died",
  ]);
  rig.picture.record("u", seenAs(listed("u", "running")), 2);
  deepStrictEqual(await rig.list("u", listed("u", "running")), []);
  strictEqual(rig.inspected.length, 1);
});

Deno.test("PodLooks looks once more at an end that is not clear yet, unless others have seen no more than was known", async () => {
  const rig = new SettlingRig();
  const unclear = { exitCode: 137, reason: "Error" };
  const seen = () => {
    const pod = seenAs(listed("u", "exited"));
    const containers = pod.containers.map((one) => ({ ...one, ...unclear }));
    return { ...pod, containers };
  };
  await rig.list("u", listed("u"));
  rig.picture.record("u", seen(), 1);
  await rig.clock.advance(2);
  rig.inspect = () => Promise.resolve(seen());
  // Others have seen the end; who gave it a name may not have been there yet.
  deepStrictEqual(await rig.list("u", listed("u", "exited")), [
    "container_died",
    "pod_sync",
  ]);
  deepStrictEqual([rig.inspected, rig.mustInspect("u")], [
    ["u", "u"],
    false,
  ]);
  rig.picture.record("u", seen(), 3);
  await rig.clock.advance(2);
  deepStrictEqual(await rig.list("u", listed("u", "exited")), []);
  strictEqual(rig.inspected.length, 2);
});

Deno.test("isSettled() believes no list that is older than what is known, and one that shows nothing new", async () => {
  const rig = new SettlingRig();
  const settled = (shown: PodListing | undefined, startMs: number) =>
    isSettled(rig.picture.of("u"), shown, startMs);
  await rig.clock.advance(5);
  strictEqual(settled(listed("u"), 5), false);
  await rig.list("u", listed("u"));
  strictEqual(settled(undefined, 4), true);
  strictEqual(settled(listed("u"), 5), true);
  strictEqual(settled(undefined, 5), false);
  strictEqual(settled(listed("u", "exited"), 5), false);
  rig.picture.step("u", { kind: "inspection_wanted" });
  strictEqual(settled(listed("u"), 5), false);
  await rig.list("u", listed("u"));
  // What others have seen since has to be taken over.
  rig.picture.record("u", seenAs(listed("u")), 6);
  strictEqual(settled(listed("u"), 6), false);
});

Deno.test("differs() compares a list with what was told", async () => {
  const rig = new SettlingRig();
  strictEqual(differs("u", rig.picture.of("u"), undefined), false);
  strictEqual(differs("u", rig.picture.of("u"), listed("u")), true);
  await rig.list("u", listed("u"));
  strictEqual(differs("u", rig.picture.of("u"), listed("u")), false);
  strictEqual(differs("u", rig.picture.of("u"), undefined), true);
});

Deno.test("PodLooks.settle() gives up its place after a second", async () => {
  const rig = new SettlingRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.inspect = async (listing) => {
    await promise;
    return seenAs(listing);
  };
  const places = new Semaphore(1);
  const options = { startMs: 0, sinceMs: undefined, signal: NEVER, places };
  const first = rig.looks.settle("u", listed("u"), options);
  const second = rig.looks.settle("v", listed("v"), options);
  await rig.clock.advance(999);
  deepStrictEqual(rig.inspected, ["u"]);
  await rig.clock.advance(1);
  deepStrictEqual(rig.inspected, ["u", "v"]);
  resolve();
  await Promise.all([first, second]);
  strictEqual(places.available, 1);
  strictEqual(rig.clock.pendingTimers, 0);
});

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}
