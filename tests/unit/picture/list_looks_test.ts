/**
 * Which pods a list makes look at, and how long it waits for that.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TaskGroup } from "../../../mod/base/mod.ts";
import type { PodListing } from "../../../mod/runtime/observe/mod.ts";
import {
  listed,
  NEVER,
  seenAs,
  SettlingRig,
} from "../../support/picture/settling_rig.ts";

/** Looks because of lists, over the records above. */
class ListRig extends SettlingRig {
  settle(
    pods: readonly PodListing[],
    more: { readonly startMs?: number; readonly tasks?: TaskGroup } = {},
  ): Promise<ReadonlySet<string>> {
    const { startMs = this.clock.monotonic(), tasks } = more;
    const listing = {
      pods: new Map(pods.map((pod) => [pod.uid, pod])),
    };
    const options = { startMs, sinceMs: undefined, signal: NEVER, tasks };
    return this.looks.settleAll(listing, options);
  }
}

Deno.test("PodLooks.settleAll() looks at what moved, of its own pods, and waits for it", async () => {
  const rig = new ListRig();
  deepStrictEqual(await rig.settle([listed("u"), listed("alien")]), new Set());
  deepStrictEqual(rig.inspected, ["u"]);
  deepStrictEqual(rig.told, ["container_started", "container_started"]);
  await rig.settle([listed("u"), listed("alien")]);
  deepStrictEqual(rig.inspected, ["u"]);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("PodLooks.settleAll() leaves a pod alone on which the agent acts, unless it is gone", async () => {
  const rig = new ListRig();
  await rig.settle([listed("u"), listed("v")]);
  rig.inspected.length = 0;
  const acting = ["u", "v"].map((uid) => rig.picture.act(uid));
  await rig.settle([listed("u", "exited")]);
  deepStrictEqual([rig.inspected, rig.followed], [["v"], ["u"]]);
  for (const each of acting) each[Symbol.dispose]();
  await rig.settle([listed("u", "exited")]);
  deepStrictEqual(rig.inspected, ["v", "u"]);
});

Deno.test("PodLooks.settleAll() asks for another look where a list is older than what is known and shows something else", async () => {
  const rig = new ListRig();
  await rig.clock.advance(10);
  for (const uid of ["u", "v"]) await rig.list(uid, listed(uid));
  rig.inspected.length = 0;
  const pods = [listed("u"), listed("v", "exited")];
  await rig.settle(pods, { startMs: 9 });
  deepStrictEqual([rig.inspected, rig.followed], [[], ["v"]]);
});

Deno.test("PodLooks.settleAll() asks for another look at a pod that could not be looked at", async () => {
  const rig = new ListRig();
  rig.inspect = () => Promise.reject(new Error("no"));
  await rig.settle([listed("u")]);
  deepStrictEqual(rig.followed, ["u"]);
});

Deno.test("PodLooks.settleAll() goes on after a second without what takes longer, and names it until it is done", async () => {
  const rig = new ListRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.inspect = async (listing) => {
    if (listing.uid === "slow") await promise;
    return seenAs(listing);
  };
  await using tasks = new TaskGroup(NEVER);
  const pods = [listed("slow"), listed("u")];
  let late: ReadonlySet<string> | undefined;
  const first = rig.settle(pods, { tasks }).then((uids) => late = uids);
  await rig.clock.advance(999);
  strictEqual(late, undefined);
  await rig.clock.advance(1);
  deepStrictEqual(late, new Set(["slow"]));
  await first;
  // The next list does not begin a second look beside it.
  const next = rig.settle(pods, { tasks });
  await rig.clock.advance(0);
  deepStrictEqual(await next, new Set(["slow"]));
  deepStrictEqual(rig.inspected, ["slow", "u"]);
  resolve();
  await rig.clock.advance(0);
  strictEqual(rig.picture.of("slow").look.atMs, 0);
  deepStrictEqual(await rig.settle(pods, { tasks }), new Set());
});

Deno.test("PodLooks.settleAll() waits for looks that take long when nobody else does", async () => {
  const rig = new ListRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.inspect = async (listing) => {
    await promise;
    return seenAs(listing);
  };
  let late: ReadonlySet<string> | undefined;
  const settling = rig.settle([listed("u")]).then((uids) => late = uids);
  await rig.clock.advance(5_000);
  strictEqual(late, undefined);
  resolve();
  await settling;
  deepStrictEqual(late, new Set());
});

Deno.test("PodLooks.settleAll() looks at eight pods at a time", async () => {
  const rig = new ListRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.inspect = async (listing) => {
    await promise;
    return seenAs(listing);
  };
  const pods = Array.from({ length: 12 }, (_, at) => listed(`u${at}`));
  const settling = rig.settle(pods);
  await rig.clock.advance(999);
  strictEqual(rig.inspected.length, 8);
  resolve();
  await settling;
  strictEqual(rig.inspected.length, 12);
});
