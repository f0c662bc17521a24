/**
 * The edges of a container's grace, and what is said of hooks that use it up.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../../mod/api/types/mod.ts";
import type { PodKiller } from "../../../../mod/runtime/end/kill.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { LogRecorder } from "../../../support/agent/recorders.ts";
import { observed, sandbox, seen } from "../../../support/observed_pods.ts";
import { container, pod } from "../../../support/pods.ts";
import { killerRig, STUCK } from "../../../support/runtime/killer_rig.ts";

const never = new AbortController().signal;

/** A pod whose container a has ten seconds to end. */
function withGrace(lifecycle: NonNullable<ContainerSpec["lifecycle"]>): Pod {
  return pod({
    terminationGracePeriodSeconds: 10,
    containers: [container("a", { lifecycle })],
  });
}

/** A killer whose containers take so long to refuse to stop, or stop at once. */
function setUp(options: { readonly stuckMs?: number } = {}) {
  const clock = new FakeClock();
  const log = new LogRecorder();
  const calls: string[] = [];
  const note = (text: string) =>
    void calls.push(`${clock.monotonic()} ${text}`);
  const rig = killerRig({
    stopContainer: async (id, seconds) => {
      note(`stop ${id} in ${seconds}`);
      if (options.stuckMs === undefined) return;
      await clock.sleep(options.stuckMs, never);
      throw STUCK;
    },
    stopPodSandbox: (id) => Promise.resolve(note(`stop sandbox ${id}`)),
  }, { clock, log: log.logger });
  return { clock, log, calls, ...rig };
}

for (
  const [stuckMs, stopsSandbox] of [[9_999, false], [10_000, true]] as const
) {
  Deno.test(`PodKiller.killPod() ${stopsSandbox ? "stops" : "does not stop"} the sandbox of a container that refused ${stuckMs} ms after its 10 s began`, async () => {
    const { clock, calls, killer } = setUp({ stuckMs });
    const failing = rejects(killer.killPod({
      pod: withGrace({}),
      observed: observed([seen("a")], [sandbox({ id: "s1" })]),
      signal: never,
    }));
    await clock.advance(stuckMs);
    await failing;
    strictEqual(calls.includes(`${stuckMs} stop sandbox s1`), stopsSandbox);
  });
}

Deno.test("PodKiller.killPod() stops no sandbox when it was given up after the grace of a container", async () => {
  const { clock, calls, killer } = setUp({ stuckMs: 12_000 });
  const stop = new AbortController();
  const reason = new Error("the agent ends");
  const failing = rejects(
    killer.killPod({
      pod: withGrace({}),
      observed: observed([seen("a")]),
      signal: stop.signal,
    }),
    (error) => error === reason,
  );
  await clock.advance(11_000);
  stop.abort(reason);
  await clock.advance(1_000);
  await failing;
  deepStrictEqual(calls, ["0 stop a-0 in 10"]);
});

function killA(
  killer: PodKiller,
  lifecycle: NonNullable<ContainerSpec["lifecycle"]>,
  options: { readonly before?: Promise<unknown>; signal?: AbortSignal } = {},
): Promise<void> {
  const { before, signal = never } = options;
  return killer.killContainer({
    pod: withGrace(lifecycle),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    signal,
  }, before);
}

const FIELDS = { pod: "shop/web", uid: "u-1", container: "a" };

Deno.test("PodKiller.killContainer() logs a hook that took all the grace, and then waits for no others", async () => {
  const { clock, log, calls, killer } = setUp();
  const before = new Promise(() => {});
  const done = killA(killer, { preStop: { sleep: { seconds: 60 } } }, {
    before,
  });
  await clock.advance(10_000);
  await done;
  deepStrictEqual(calls, ["10000 stop a-0 in 2"]);
  deepStrictEqual(log.of("pre_stop_cut_short"), [
    { ...FIELDS, graceSeconds: 10 },
  ]);
  deepStrictEqual(log.of("pre_stop_failed"), []);
});

Deno.test("PodKiller.killContainer() runs a hook also in a second", async () => {
  const { clock, calls, killer } = setUp();
  const done = killer.killContainer({
    pod: withGrace({ preStop: { sleep: { seconds: 60 } } }),
    container: seen("a"),
    podIps: [],
    reason: "pod_stopping",
    graceSeconds: 1,
    signal: never,
  });
  await clock.advance(1_000);
  await done;
  deepStrictEqual(calls, ["1000 stop a-0 in 2"]);
});

Deno.test("PodKiller.killContainer() logs why a hook failed", async () => {
  const { log, killer } = setUp();
  await killA(killer, { preStop: { exec: { command: ["bye"] } } });
  deepStrictEqual(log.of("pre_stop_failed"), [{ ...FIELDS, error: STUCK }]);
  deepStrictEqual(log.of("pre_stop_cut_short"), []);
});

Deno.test("PodKiller.killContainer() waits for no others when it has been given up before", async () => {
  const { calls, killer } = setUp();
  const before = new Promise(() => {});
  const signal = AbortSignal.abort(new Error("the agent ends"));
  await rejects(killA(killer, {}, { before, signal }), /the agent ends/);
  deepStrictEqual(calls, []);
});

Deno.test("PodKiller.killContainer() says what it is about", async () => {
  const { clock, killer, activities } = setUp({ stuckMs: 1_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const kinds = () => activities.list("u-1").map(({ kind }) => kind);
  const failing = rejects(
    killA(killer, { preStop: { sleep: { seconds: 1 } } }, { before: promise }),
  );
  await clock.advance(0);
  deepStrictEqual(kinds(), ["stopping_container", "pre_stop_hook"]);
  await clock.advance(1_000);
  deepStrictEqual(kinds(), ["stopping_container", "waiting_for_others_to_end"]);
  resolve();
  await clock.advance(0);
  deepStrictEqual(kinds(), ["stopping_container"]);
  await clock.advance(1_000);
  await failing;
  deepStrictEqual(kinds(), []);
});

const OWN = observed([], [sandbox({ ip: "10.88.0.7" })]);
const ON_NODE = observed([], [sandbox({ hostNetwork: true })]);

for (
  const [what, hostNetwork, look, expected] of [
    ["its own", false, OWN, "10.88.0.7"],
    ["those of the node, by its manifest", true, OWN, "192.0.2.1"],
    ["those of the node, by its sandbox", false, ON_NODE, "192.0.2.1"],
  ] as const
) {
  Deno.test(`PodKiller.addressesOf() are ${what}`, () => {
    const { killer } = setUp();
    const found = killer.addressesOf(pod({ hostNetwork }), look);
    deepStrictEqual(found, [expected]);
  });
}

for (
  const [isResized, reason] of [[true, "resized"], [
    false,
    "spec_changed",
  ]] as const
) {
  Deno.test(`PodKiller.killContainer() tells of a stop as ${reason}`, async () => {
    const { events, killer } = setUp();
    await killer.killContainer({
      pod: withGrace({}),
      container: seen("a"),
      podIps: [],
      reason: "spec_changed",
      ...isResized && { isResized },
      signal: never,
    });
    deepStrictEqual(events.events.map(({ facts }) => facts), [
      { kind: "stop", container: "a", reason },
    ]);
  });
}
