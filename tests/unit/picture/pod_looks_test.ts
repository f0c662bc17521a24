/**
 * When single pods and containers are looked at, to the millisecond.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ObservedContainer } from "../../../mod/pod/observed/mod.ts";
import { LooksRig } from "../../support/picture/looks_rig.ts";

/** The pauses that containerd's lag asks for, as times from the first look. */
const LAG_TIMES = [0, 3, 10, 20, 30, 45, 65, 95, 155, 255, 555, 1_555];

function started(uid = "u", container: Partial<ObservedContainer> = {}) {
  const rig = new LooksRig();
  rig.see(uid, container);
  return rig;
}

Deno.test("PodLooks looks for what was told at ever longer pauses, and after a second and a half no more", async () => {
  await using rig = started();
  rig.announce("stopped", "c-u");
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("inspect u c-u"), LAG_TIMES);
  strictEqual(rig.pace.confirmed, 0);
});

Deno.test("PodLooks begins anew when the same is told again, three times, and then looks once a second", async () => {
  await using rig = started();
  for (const atMs of [0, 100, 200, 300]) {
    await rig.clock.advance(atMs - rig.clock.monotonic());
    rig.times("");
    rig.announce("stopped", "c-u");
    await rig.clock.advance(0);
    deepStrictEqual(rig.times("inspect u c-u"), [atMs]);
  }
  await rig.clock.advance(100);
  rig.times("");
  rig.announce("stopped", "c-u");
  await rig.clock.advance(1_600);
  const later = LAG_TIMES.filter((ms) => ms > 100).map((ms) => 300 + ms);
  deepStrictEqual(rig.times("inspect u c-u"), later);
  for (const atMs of [2_000, 2_100, 2_900, 4_000]) {
    await rig.clock.advance(atMs - rig.clock.monotonic());
    rig.announce("stopped", "c-u");
  }
  await rig.clock.advance(5_900);
  deepStrictEqual(rig.times("inspect u c-u"), [3_000, 5_000]);
});

Deno.test("PodLooks takes the same for news ten seconds after it was first told", async () => {
  for (const [atMs, count] of [[9_999, 1], [10_000, LAG_TIMES.length]]) {
    await using rig = started();
    for (let times = 0; times < 4; times++) rig.announce("stopped", "c-u");
    await rig.clock.advance(atMs ?? 0);
    rig.times("");
    rig.announce("stopped", "c-u");
    await rig.clock.advance(5_000);
    strictEqual(rig.times("inspect u c-u").length, count);
  }
});

Deno.test("PodLooks asks nothing of what is known, and says so", async () => {
  await using rig = started("u", { state: "exited" });
  rig.announce("stopped", "c-u");
  rig.announce("started", "s-u");
  await rig.clock.advance(20_000);
  deepStrictEqual([rig.asked, rig.pace.confirmed], [[], 2]);
  rig.announce("stopped", "c-alien");
  await rig.clock.advance(20_000);
  deepStrictEqual([rig.asked, rig.pace.confirmed], [[], 2]);
});

Deno.test("PodLooks stops to look when it has seen what was told, and says so", async () => {
  await using rig = started();
  rig.does.set("inspect u c-u", () => {
    if (rig.clock.monotonic() >= 10) rig.see("u", { state: "exited" });
  });
  rig.announce("stopped", "c-u");
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("inspect u c-u"), [0, 3, 10]);
  strictEqual(rig.pace.confirmed, 1);
});

Deno.test("PodLooks stops to look when somebody else has seen what was told, and looks again when that is hidden", async () => {
  await using rig = started();
  rig.announce("stopped", "c-u");
  await rig.clock.advance(5);
  rig.see("u", { state: "exited" });
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.times("inspect u c-u"), [0, 3]);
  rig.see("u");
  await rig.clock.advance(2);
  deepStrictEqual(rig.times("inspect u c-u"), [1_005]);
});

Deno.test("PodLooks does not begin anew with every look of others once it has given up", async () => {
  await using rig = started();
  rig.announce("stopped", "c-u");
  await rig.clock.advance(2_000);
  strictEqual(rig.times("inspect u c-u").length, LAG_TIMES.length);
  rig.see("u");
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.asked, []);
});

Deno.test("PodLooks hears of a pod at last when somebody has looked at it", async () => {
  await using rig = new LooksRig();
  rig.announce("stopped", "nobody");
  await rig.clock.advance(500);
  rig.see("u", { id: "nobody" });
  await rig.clock.advance(1);
  deepStrictEqual(rig.times("inspect u nobody"), [500]);
  rig.announce("started", "other");
  await rig.clock.advance(1_000);
  strictEqual(rig.pace.pulled, 1);
});

Deno.test("PodLooks lists a pod of which a container is told that it does not know, once for each time", async () => {
  await using rig = started();
  rig.does.set("list u", () => rig.see("u"));
  for (const atMs of [0, 100, 200, 300]) {
    await rig.clock.advance(atMs - rig.clock.monotonic());
    rig.announce("started", "new", "u");
  }
  await rig.clock.advance(99);
  deepStrictEqual(rig.times("list u"), [0, 100, 200, 300]);
  // The list lacks it: it is not of this pod, whatever is said.
  rig.announce("started", "new", "u");
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.times("list u"), [1_399]);
});

Deno.test("PodLooks lists again soon when the list of a pod failed", async () => {
  await using rig = started();
  rig.does.set("list u", () => {
    if (rig.clock.monotonic() < 10) throw new Error("no");
    rig.see("u", { id: "new" });
  });
  rig.announce("started", "new", "u");
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.times("list u"), [0, 3, 10]);
  strictEqual(rig.pace.confirmed, 1);
});

Deno.test("PodLooks looks for nothing while the agent acts on the pod, and within a second afterwards", async () => {
  await using rig = started();
  const acting = rig.picture.act("u");
  rig.announce("stopped", "c-u");
  await rig.clock.advance(1_500);
  deepStrictEqual([rig.asked, rig.pace.confirmed], [[], 0]);
  acting[Symbol.dispose]();
  await rig.clock.advance(499);
  deepStrictEqual(rig.asked, []);
  await rig.clock.advance(1);
  deepStrictEqual(rig.times("inspect u c-u"), [2_000]);
});

Deno.test("PodLooks looks at once when the agent has recorded what it did", async () => {
  await using rig = started();
  const acting = rig.picture.act("u");
  rig.announce("stopped", "c-u");
  await rig.clock.advance(300);
  acting[Symbol.dispose]();
  rig.see("u");
  await rig.clock.advance(0);
  deepStrictEqual(rig.times("inspect u c-u"), [300]);
});

Deno.test("PodLooks lists a pod a second after something dead of it was removed, unless the list of all is near", async () => {
  for (const isListNear of [false, true]) {
    await using rig = started("u", { state: "exited" });
    rig.pace.isListNear = isListNear;
    rig.announce("deleted", "c-u");
    await rig.clock.advance(999);
    deepStrictEqual(rig.asked, []);
    await rig.clock.advance(20_000);
    deepStrictEqual(rig.times("list u"), isListNear ? [] : [1_000]);
  }
  await using rig = started();
  rig.announce("deleted", "gone-long-ago", "u");
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.asked, []);
});

Deno.test("PodLooks lists a pod soon after something dead was removed that was still running when that was told first", async () => {
  await using rig = started();
  rig.announce("deleted", "c-u");
  await rig.clock.advance(5);
  rig.see("u", { state: "exited" });
  await rig.clock.advance(95);
  deepStrictEqual(rig.times("inspect u c-u"), [0, 3]);
  rig.announce("deleted", "c-u");
  strictEqual(rig.pace.confirmed, 1);
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("list u"), [1_100]);
});

Deno.test("PodLooks.list() lists at the earliest of the times that were asked for", async () => {
  await using rig = started();
  rig.picture.enqueue("u", 3_000);
  rig.picture.enqueue("u", 1_000);
  rig.picture.enqueue("u", 2_000);
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("list u"), [1_000]);
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(0);
  deepStrictEqual(rig.times("list u"), [20_000]);
});

for (
  const [isListNear, atMs] of [[false, 501], [true, 5_500]] as const
) {
  Deno.test(`PodLooks lists for one who waits at ${atMs} ms when he came at 500 and the list of all is ${isListNear ? "near" : "far"}`, async () => {
    await using rig = started();
    rig.pace.isListNear = isListNear;
    await rig.clock.advance(500);
    rig.does.set("list u", () => rig.see("u"));
    const waiting = rig.wait("u");
    await rig.clock.advance(atMs - 501);
    deepStrictEqual(rig.asked, []);
    await rig.clock.advance(1);
    deepStrictEqual(rig.times("list u"), [atMs]);
    strictEqual(waiting.isOver, true);
    await rig.clock.advance(20_000);
    deepStrictEqual(rig.asked, []);
  });
}

Deno.test("PodLooks does not list for one who has his answer, or has gone", async () => {
  await using rig = started();
  rig.pace.isListNear = true;
  const answered = rig.wait("u");
  const gone = rig.wait("v");
  await rig.clock.advance(1_000);
  rig.see("u");
  gone.leave();
  await rig.clock.advance(20_000);
  strictEqual(answered.isOver, true);
  deepStrictEqual(rig.asked, []);
});

Deno.test("PodLooks lists again after five seconds for one who waits while the runtime cannot answer", async () => {
  await using rig = started();
  rig.does.set("list u", () => {
    if (rig.clock.monotonic() < 7_000) throw new Error("no");
    rig.see("u");
  });
  const waiting = rig.wait("u");
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("list u"), [1, 5_001, 10_001]);
  strictEqual(waiting.isOver, true);
  // Nobody waits: whoever wanted a list has had his try.
  rig.does.set("list u", () => {
    throw new Error("no");
  });
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.times("list u"), [20_000]);
});

Deno.test("PodLooks drops nothing that is told while it looks at the pod", async () => {
  await using rig = started();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.does.set("list u", () => {
    rig.see("u");
    return promise;
  });
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(10);
  deepStrictEqual(rig.times("list u"), [0]);
  rig.announce("stopped", "c-u");
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(10);
  deepStrictEqual(rig.asked, []);
  resolve();
  await rig.clock.advance(0);
  deepStrictEqual(rig.asked.toSorted(), [["inspect u c-u", 20], [
    "list u",
    20,
  ]]);
});

Deno.test("PodLooks looks at eight pods at a time; one that takes a second gives its place to another", async () => {
  await using rig = new LooksRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let at = 0; at < 18; at++) {
    rig.does.set(`list u${at}`, () => promise);
    rig.picture.enqueue(`u${at}`, 0);
  }
  const count = () => rig.asked.length;
  await rig.clock.advance(999);
  strictEqual(count(), 8);
  await rig.clock.advance(1);
  strictEqual(count(), 16);
  await rig.clock.advance(999);
  strictEqual(count(), 16);
  resolve();
  await rig.clock.advance(0);
  strictEqual(count(), 18);
});

Deno.test("PodLooks gives up a look after ten seconds", async () => {
  await using rig = started();
  const ends: number[] = [];
  rig.does.set("list u", (signal) => {
    const { promise, reject } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => {
      ends.push(rig.clock.monotonic());
      reject(signal.reason);
    }, { once: true });
    return promise;
  });
  rig.picture.enqueue("u", 0);
  await rig.clock.advance(20_000);
  deepStrictEqual(ends, [10_000]);
});

Deno.test("PodLooks keeps a hundred things in mind of one pod, and lists it for the rest", async () => {
  await using rig = started("u", { state: "exited" });
  for (let at = 0; at < 99; at++) rig.announce("oom", `c-u-${at}`);
  rig.announce("stopped", "c-u");
  await rig.clock.advance(2_000);
  deepStrictEqual(rig.asked, []);
  rig.announce("started", "c-u");
  await rig.clock.advance(999);
  deepStrictEqual(rig.asked, []);
  await rig.clock.advance(1_000);
  deepStrictEqual(rig.times("list u"), [3_000]);
});

Deno.test("PodLooks looks at nothing after its end", async () => {
  const rig = started();
  rig.announce("stopped", "c-u");
  rig.picture.enqueue("u", 500);
  await rig.clock.advance(0);
  await rig[Symbol.asyncDispose]();
  rig.times("");
  rig.see("u");
  rig.wait("u").leave();
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.asked, []);
});

Deno.test("RuntimePicture.forget() drops the looks that are due at a pod, unless a caller waits for one", async () => {
  await using rig = new LooksRig();
  for (const isAwaited of [false, true]) {
    rig.see("a");
    rig.picture.enqueue("a", 1_000);
    rig.announce("stopped", "c-a");
    const waiting = isAwaited ? rig.wait("a") : undefined;
    rig.picture.forget("a");
    await rig.clock.advance(2_000);
    strictEqual(rig.asked.length > 0, isAwaited);
    waiting?.leave();
    await rig.clock.advance(20_000);
    rig.asked.length = 0;
  }
});

Deno.test("RuntimePicture.act() within another ends with that one, and an event is looked for after both", async () => {
  await using rig = new LooksRig();
  rig.see("a");
  const whole = rig.picture.act("a");
  {
    using _part = rig.picture.act("a");
    rig.announce("stopped", "c-a");
  }
  await rig.clock.advance(5_000);
  deepStrictEqual([rig.picture.isActing("a"), rig.asked.length], [true, 0]);
  whole[Symbol.dispose]();
  await rig.clock.advance(1_000);
  strictEqual(rig.picture.isActing("a"), false);
  deepStrictEqual(rig.asked[0], ["inspect a c-a", 6_000]);
});
