/**
 * Watching a runtime that hangs, lies or lists too much.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { failure } from "../../support/picture/model_runtime.ts";
import { PERIOD_MS } from "../../support/picture/picture.ts";
import { WatchRig } from "../../support/picture/watch_rig.ts";

const NEVER = new AbortController().signal;
const WITHOUT = { hasEvents: false };

async function running(
  pods: readonly string[] = ["u"],
  options: ConstructorParameters<typeof WatchRig>[0] = WITHOUT,
): Promise<WatchRig> {
  const rig = new WatchRig(options);
  for (const uid of pods) rig.runtime.addPod(uid);
  await rig.clock.advance(3 * PERIOD_MS);
  rig.kinds();
  rig.calls();
  return rig;
}

Deno.test("RuntimeWatch bounds a list that hangs, is unhealthy after three minutes, and well again soon after its end (PL-03, R01)", async () => {
  await using rig = await running();
  rig.runtime.faults.set("list sandboxes", "hang");
  const health = () => rig.watch.health().healthy;
  await rig.clock.advance(121_000);
  strictEqual(rig.lists(), 1);
  strictEqual(health(), true);
  await rig.clock.advance(50_000);
  deepStrictEqual([health(), rig.lists()], [true, 1]);
  await rig.clock.advance(20_000);
  strictEqual(health(), false);
  ok(rig.watch.health().message.startsWith("pleg was last seen active 3m"));
  await rig.clock.advance(50_000);
  rig.runtime.exit("c-u");
  rig.runtime.release();
  await rig.clock.advance(10_000);
  strictEqual(health(), true);
  deepStrictEqual(rig.kinds().sort(), ["container_died", "runtime_returned"]);
});

Deno.test("RuntimeWatch hears of an end while the list hangs, if the runtime tells it (PL-03)", async () => {
  await using rig = await running(["u", "v"], {});
  rig.runtime.faults.set("list sandboxes", "hang");
  await rig.clock.advance(30_000);
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(0);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  const waiting = rig.picture.latest("v", {
    newerThanMs: rig.clock.monotonic(),
    signal: NEVER,
  });
  await rig.clock.advance(6_000);
  strictEqual((await waiting).containers.length, 1);
});

Deno.test("RuntimeWatch.downSince tells why the runtime cannot be listed, and since when", async () => {
  await using rig = new WatchRig(WITHOUT);
  const startMs = rig.clock.now();
  deepStrictEqual(rig.watch.downSince, {
    message: "the runtime has not answered yet",
    sinceMs: startMs,
  });
  rig.runtime.addPod("u");
  await rig.clock.advance(1_500);
  strictEqual(rig.watch.downSince, undefined);
  rig.runtime.faults.set("list containers", "unavailable");
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.watch.downSince, {
    message: "unavailable",
    sinceMs: startMs + 2_000,
  });
  rig.runtime.release();
  await rig.clock.advance(1_000);
  strictEqual(rig.watch.downSince, undefined);
});

Deno.test("RuntimeWatch.downSince tells after 15 s that a list hangs, and since when, until a list succeeds", async () => {
  await using rig = await running();
  rig.runtime.faults.set("list containers", "hang");
  await rig.clock.advance(PERIOD_MS);
  const sinceMs = rig.clock.now();
  await rig.clock.advance(14_999);
  deepStrictEqual(
    [rig.watch.downSince, rig.watch.runtimeDown],
    [undefined, undefined],
  );
  await rig.clock.advance(1);
  const message = "it does not answer when asked to list its pods";
  deepStrictEqual(rig.watch.downSince, { message, sinceMs });
  strictEqual(rig.watch.runtimeDown, "the runtime does not answer");
  deepStrictEqual(rig.kinds(), []);
  // The call has met its deadline, and the next list hangs, too.
  await rig.clock.advance(106_000);
  const failed = { message: "deadline", sinceMs };
  deepStrictEqual(rig.watch.downSince, failed);
  await rig.clock.advance(15_000);
  deepStrictEqual(rig.watch.downSince, { message, sinceMs });
  rig.runtime.release();
  await rig.clock.advance(0);
  deepStrictEqual(
    [rig.watch.downSince, rig.watch.runtimeDown],
    [undefined, undefined],
  );
  deepStrictEqual(rig.kinds(), ["runtime_returned"]);
});

Deno.test("RuntimeWatch tells of no outage when a list takes nearly 15 s", async () => {
  await using rig = await running();
  rig.runtime.faults.set("list containers", "hang");
  await rig.clock.advance(PERIOD_MS + 14_999);
  rig.runtime.release();
  await rig.clock.advance(PERIOD_MS);
  strictEqual(rig.watch.downSince, undefined);
  deepStrictEqual(rig.kinds(), []);
});

Deno.test("RuntimeWatch.downSince tells that the first list hangs, since the start", async () => {
  await using rig = new WatchRig(WITHOUT);
  const sinceMs = rig.clock.now();
  rig.runtime.faults.set("list sandboxes", "hang");
  await rig.clock.advance(14_999);
  strictEqual(rig.watch.runtimeDown, "the runtime has not answered yet");
  await rig.clock.advance(1);
  strictEqual(rig.watch.runtimeDown, "the runtime does not answer");
  strictEqual(rig.watch.downSince?.sinceMs, sinceMs);
  rig.runtime.release();
});

Deno.test("RuntimeWatch tells of others in time while the status of one pod hangs (R01)", async () => {
  const pods = Array.from({ length: 20 }, (_, n) => `u${n}`);
  await using rig = await running(pods);
  const poisoned = pods.slice(0, 10);
  for (const uid of poisoned) {
    rig.runtime.faults.set(`status c-${uid}`, "hang");
    rig.runtime.exit(`c-${uid}`);
  }
  await rig.clock.advance(PERIOD_MS);
  for (let round = 10; round < 20; round++) {
    rig.runtime.exit(`c-u${round}`);
    await rig.clock.advance(2 * PERIOD_MS + 1);
    strictEqual(rig.state(`c-u${round}`), "exited", `u${round}`);
  }
  rig.runtime.release();
  await rig.clock.advance(12_000);
  for (const uid of poisoned) strictEqual(rig.state(`c-${uid}`), "exited");
});

Deno.test("RuntimeWatch answers nobody from before the look at a pod that hangs (I1)", async () => {
  await using rig = await running(["u", "v"]);
  rig.runtime.faults.set("status c-u", "hang");
  rig.runtime.exit("c-u");
  const nowMs = rig.clock.monotonic();
  const other = rig.picture.latest("v", { newerThanMs: nowMs, signal: NEVER });
  let answer = "none";
  rig.picture.latest("u", { newerThanMs: nowMs, signal: NEVER })
    .then(() => answer = "a pod", () => answer = "a failure");
  await rig.clock.advance(4 * PERIOD_MS);
  strictEqual((await other).uid, "v");
  strictEqual(answer, "none");
  await rig.clock.advance(10_000);
  strictEqual(answer, "a failure");
});

Deno.test("RuntimeWatch asks for a pod again whose status fails, also while the list of all is far off", async () => {
  await using rig = await running(["u", "v"], {});
  await rig.trust();
  rig.runtime.faults.set("status c-u", "failed");
  rig.runtime.endSandbox("s-u");
  rig.runtime.exit("c-u");
  rig.stream.announce("stopped", "s-u");
  await rig.clock.advance(3_000);
  rig.runtime.release();
  await rig.clock.advance(1_500);
  strictEqual(rig.state("c-u"), "exited");
});

for (const what of ["c-u", "s-u"]) {
  Deno.test(`RuntimeWatch asks for ${what} by its id before it believes that it is gone (R09)`, async () => {
    await using rig = await running(["u", "v"]);
    const seen = rig.picture.get("u");
    rig.runtime.unlisted.add(what);
    await rig.clock.advance(3 * PERIOD_MS);
    deepStrictEqual(rig.kinds(), []);
    deepStrictEqual(rig.picture.get("u"), seen);
    ok(rig.calls().includes(`status ${what}`));
    rig.runtime.unlisted.clear();
    await rig.clock.advance(PERIOD_MS);
    deepStrictEqual(rig.kinds(), []);
    rig.runtime.remove(what);
    await rig.clock.advance(PERIOD_MS);
    deepStrictEqual(rig.kinds(), ["container_died", "container_removed"]);
  });
}

Deno.test("RuntimeWatch asks for a whole pod by its ids before it believes that it is gone (R09)", async () => {
  await using rig = await running(["u", "v"]);
  rig.runtime.unlisted.add("c-u").add("s-u");
  await rig.clock.advance(3 * PERIOD_MS);
  deepStrictEqual(rig.kinds(), []);
  strictEqual(rig.state("c-u"), "running");
  rig.runtime.faults.set("status c-u", "unavailable");
  await rig.clock.advance(3 * PERIOD_MS);
  strictEqual(rig.state("c-u"), "running");
  rig.runtime.release();
  rig.runtime.remove("c-u");
  rig.runtime.remove("s-u");
  await rig.clock.advance(2 * PERIOD_MS);
  strictEqual(rig.picture.get("u"), undefined);
  deepStrictEqual(rig.kinds(), [
    "container_died",
    "container_removed",
    "container_died",
    "container_removed",
  ]);
});

Deno.test("RuntimeWatch does not believe an empty list after a full one, and asks for every pod when the second is empty too (R09)", async () => {
  await using rig = await running(["u", "v"]);
  for (const id of ["s-u", "c-u", "s-v", "c-v"]) rig.runtime.unlisted.add(id);
  await rig.clock.advance(PERIOD_MS);
  strictEqual(rig.lists(), 2);
  deepStrictEqual(rig.kinds(), []);
  strictEqual(rig.state("c-v"), "running");
});

Deno.test("RuntimeWatch takes what is listed twice for one (R09)", async () => {
  await using rig = await running();
  rig.runtime.isDoubled = true;
  await rig.clock.advance(2 * PERIOD_MS);
  deepStrictEqual([rig.kinds(), rig.state("c-u")], [[], "running"]);
  strictEqual(rig.picture.get("u")?.containers.length, 1);
});

Deno.test("RuntimeWatch tells of a container that died and was restarted between two lists, and knows which is which (R10)", async () => {
  await using rig = await running();
  rig.runtime.exit("c-u");
  const id = rig.runtime.addContainer("u", "c", 1);
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds().sort(), ["container_died", "container_started"]);
  const containers = rig.picture.get("u")?.containers ?? [];
  deepStrictEqual(
    containers.map(({ id, state, restartCount }) => [id, state, restartCount]),
    [[id, "running", 1], ["c-u", "exited", 0]],
  );
});

Deno.test("RuntimeWatch shows two running containers of a name, the later attempt first (R14)", async () => {
  await using rig = await running();
  const id = rig.runtime.addContainer("u", "c", 1);
  await rig.clock.advance(PERIOD_MS);
  const ids = rig.picture.get("u")?.containers.map((container) => container.id);
  deepStrictEqual(ids, [id, "c-u"]);
});

Deno.test("RuntimeWatch lists in pieces what is too large as a whole, and as a whole again when it has shrunk (PL-05, R19)", async () => {
  await using rig = await running(["u", "v"]);
  rig.runtime.exit("c-v");
  rig.runtime.faults.set("list containers", "resource_exhausted");
  rig.runtime.faults.set("list containers exited", "resource_exhausted");
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  strictEqual(rig.watch.health().healthy, true);
  rig.calls();
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.calls().toSorted(), [
    "list containers created",
    "list containers exited u",
    "list containers exited v",
    "list containers running",
    "list containers unknown",
    "list sandboxes",
  ]);
  rig.runtime.exit("c-u");
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  rig.runtime.release();
  await rig.clock.advance(61_000);
  rig.calls();
  await rig.clock.advance(PERIOD_MS);
  deepStrictEqual(rig.calls(), ["list sandboxes", "list containers"]);
});

Deno.test("RuntimeWatch loses sight of no pod whose own list is too large (PL-05)", async () => {
  await using rig = await running(["u", "v"]);
  rig.runtime.exit("c-u");
  await rig.clock.advance(PERIOD_MS);
  rig.kinds();
  for (const piece of ["", " exited", " exited u"]) {
    rig.runtime.faults.set(`list containers${piece}`, "resource_exhausted");
  }
  rig.runtime.exit("c-v");
  await rig.clock.advance(2 * PERIOD_MS);
  deepStrictEqual(rig.kinds(), ["container_died"]);
  deepStrictEqual([rig.state("c-u"), rig.state("c-v")], ["exited", "exited"]);
});

Deno.test("RuntimeWatch lists once after a long stop, not once for every second of it (CL-04)", async () => {
  const clock = new StoppedClock();
  await using rig = await running(["u"], { clock });
  await rig.trust();
  clock.stopFor(600_000);
  strictEqual(rig.watch.health().healthy, false);
  rig.runtime.exit("c-u");
  for (let n = 0; n < 100; n++) rig.stream.announce("stopped", "c-u");
  await rig.clock.advance(500);
  strictEqual(
    rig.calls().filter((call) => call === "list sandboxes").length,
    1,
  );
  strictEqual(rig.watch.health().healthy, true);
  deepStrictEqual(rig.kinds(), ["container_died"]);
});

Deno.test("RuntimeWatch takes no container for dead when the runtime is killed and its stream ends", async () => {
  await using rig = await running(["u", "v"], {});
  await rig.trust();
  rig.stream.refusal = failure("unavailable");
  for (const id of ["c-u", "c-v"]) rig.stream.announce("stopped", id);
  rig.stream.end(failure("unavailable"));
  for (
    const call of [
      ...["list sandboxes", "list containers"],
      ...["u", "v"].flatMap((uid) => [`status c-${uid}`, `status s-${uid}`]),
    ]
  ) rig.runtime.faults.set(call, "unavailable");
  await rig.clock.advance(20_000);
  deepStrictEqual(rig.kinds(), []);
  rig.runtime.release();
  rig.stream.refusal = undefined;
  await rig.clock.advance(5_000);
  deepStrictEqual(rig.kinds(), ["runtime_returned"]);
  deepStrictEqual([rig.state("c-u"), rig.state("c-v")], ["running", "running"]);
});

Deno.test("RuntimeWatch asks six lists a minute of a runtime whose stream it trusts, and sixty of another", async () => {
  const pods = Array.from({ length: 100 }, (_, n) => `u${n}`);
  await using trusting = await running(pods, {});
  await trusting.trust();
  await trusting.clock.advance(60_000);
  strictEqual(trusting.calls().length, 12);
  await using other = await running(pods);
  await other.clock.advance(60_000);
  strictEqual(other.calls().length, 120);
});

/** A clock of a process that can be stopped, as by SIGSTOP: time goes on, timers do not. */
class StoppedClock extends FakeClock {
  #stoppedMs = 0;
  readonly #timers = new Set<
    { fire: () => void; dueMs: number; on: Disposable }
  >();

  /** Lets time pass unseen: what falls due meanwhile fires at the next `advance`. */
  stopFor(ms: number): void {
    this.#stoppedMs += ms;
    for (const timer of this.#timers) {
      timer.on[Symbol.dispose]();
      timer.on = super.after(timer.dueMs - this.monotonic(), timer.fire);
    }
  }

  override monotonic(): number {
    return super.monotonic() + this.#stoppedMs;
  }

  override now(): number {
    return super.now() + this.#stoppedMs;
  }

  override after(delayMs: number, callback: () => void): Disposable {
    const dueMs = this.monotonic() + delayMs;
    const fire = (): void => {
      this.#timers.delete(timer);
      callback();
    };
    const timer = { fire, dueMs, on: super.after(delayMs, fire) };
    this.#timers.add(timer);
    return {
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        timer.on[Symbol.dispose]();
      },
    };
  }
}
