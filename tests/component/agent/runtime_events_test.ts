/**
 * An agent whose runtime tells by itself what happens in it.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import {
  untilPhase,
  untilRunning,
  withRunning,
} from "../../support/agent/phases.ts";

type Stream = "cri" | "containerd";

const STREAMS: readonly Stream[] = ["cri", "containerd"];

async function withStream(stream: Stream): Promise<CoreRig> {
  const rig = await CoreRig.start({
    prepare: ({ fake }) => {
      fake.settings.runtimeVersion = stream === "cri" ? "1.7.20" : "1.6.20";
      fake.eventsEnabled = stream === "cri";
      fake.containerdEventsEnabled = stream === "containerd";
    },
  });
  await rig.apply("web", web());
  await untilRunning(rig);
  await rig.until(() => period(rig) === 10, "a trusted stream");
  return rig;
}

function period(rig: CoreRig): number | undefined {
  return rig.metric("skerry_pleg_relist_period_seconds");
}

/** The calls of a list of everything, from a call on. */
function lists(rig: CoreRig, from: number): number {
  return rig.fake.calls.slice(from)
    .filter(({ method }) => method === "ListPodSandbox").length;
}

for (const stream of STREAMS) {
  Deno.test(`Agent restarts a container that died before any list, told by the stream of ${stream} (PL-01)`, async () => {
    await using rig = await withStream(stream);
    const { id } = rig.only(WEB);
    const from = rig.fake.calls.length;
    rig.fake.exitContainer(id, 1);
    await rig.until(() => rig.fake.running(WEB).length === 1, "the restart", {
      stepMs: 1,
      limitMs: 100,
    });
    ok(rig.only(WEB).id !== id);
    strictEqual(lists(rig, from), 0);
    await rig.until(
      () => rig.status("web")?.containerStatuses?.[0]?.restartCount === 1,
      "the count",
    );
  });

  Deno.test(`Agent asks little of a runtime that tells everything by the stream of ${stream}`, async () => {
    await using rig = await withStream(stream);
    await rig.pass(20_000);
    const from = rig.fake.calls.length;
    await rig.pass(60_000);
    const calls = rig.fake.calls.slice(from).map(({ method }) => method);
    ok(calls.length <= 16, calls.join(" "));
    strictEqual(period(rig), 10);
  });

  Deno.test(`Agent takes nothing for dead when the runtime is killed under the stream of ${stream}, and trusts it again later`, async () => {
    await using rig = await withStream(stream);
    const { id } = rig.only(WEB);
    const before = rig.status("web");
    const from = rig.fake.calls.length;
    await rig.fake.stop();
    await rig.until(() => rig.problems().length > 0, "the outage");
    strictEqual(period(rig), 1);
    await rig.pass(15_000);
    await rig.fake.restart();
    await rig.until(() => rig.problems().length === 0, "the return");
    await rig.until(() => period(rig) === 10, "trust again");
    deepStrictEqual(rig.mutations(from), []);
    strictEqual(rig.only(WEB).id, id);
    deepStrictEqual(rig.status("web"), before);
    strictEqual(rig.logged("runtime_events_lost").length, 1);
  });

  Deno.test(`Agent finds by listing what the stream of ${stream} swallows, and lists each second again`, async () => {
    await using rig = await withStream(stream);
    rig.fake.eventStreams.end();
    await rig.until(() => rig.fake.listeners === 1, "a new stream");
    await rig.until(() => period(rig) === 10, "trust again");
    // A death of which nothing is told.
    const { move } = rig.fake.eventStreams;
    rig.fake.eventStreams.move = () => {};
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.until(() => period(rig) === 1, "the miss", { limitMs: 15_000 });
    rig.fake.eventStreams.move = move;
  });
}

const STARTING = {
  kind: "error",
  code: CODE.unknown,
  details: "server is not initialized yet",
} as const;

for (const stream of STREAMS) {
  Deno.test(`Agent follows the stream of ${stream} again after a restart of a runtime that lists before it says its version`, async () => {
    await using rig = await withStream(stream);
    await rig.fake.stop();
    await rig.pass(15_000);
    rig.fake.fault("Version", STARTING);
    await rig.fake.restart();
    await rig.until(() => rig.problems().length === 0, "the lists");
    await rig.pass(40_000);
    strictEqual(period(rig), 1);
    rig.fake.clearFaults();
    await rig.until(() => period(rig) === 10, "trust again", {
      limitMs: 60_000,
    });
    deepStrictEqual(rig.logged("runtime_events_absent"), []);
  });
}

Deno.test("Agent finds within five minutes the stream of a runtime that got one in a restart which no list met", async () => {
  await using rig = await CoreRig.start({
    prepare: ({ fake }) => {
      fake.settings.runtimeName = "cri-o";
    },
  });
  await rig.apply("web", web());
  await untilRunning(rig);
  strictEqual(rig.logged("runtime_events_absent").length, 1);
  rig.fake.eventsEnabled = true;
  await rig.until(() => period(rig) === 10, "trust", {
    stepMs: 1_000,
    limitMs: 310_000,
  });
});

Deno.test("Agent begins a removed pod anew when it comes back at once, though a trusted stream makes lists rare", async () => {
  await using rig = await withStream("cri");
  await rig.remove("web");
  await rig.until(() => rig.fake.sandboxes.size === 0, "its end", {
    limitMs: 10_000,
  });
  await rig.apply("web", web());
  await untilPhase(rig, "Running", { limitMs: 10_000 });
  strictEqual(rig.status("web")?.containerStatuses?.[0]?.restartCount, 0);
});

Deno.test("Agent says that the list is late while it hangs, kills nothing, and recovers (PL-03, R01)", async () => {
  await using rig = await withRunning();
  await rig.pass(3_000);
  const from = rig.fake.calls.length;
  rig.fake.fault("ListPodSandbox", { kind: "hang" }, { times: 2 });
  await rig.pass(175_000, 5_000);
  ok(!rig.problems().some(({ check }) => check === "pleg"));
  await rig.until(
    () => rig.problems().some(({ check }) => check === "pleg"),
    "the problem",
    { limitMs: 20_000, stepMs: 1_000 },
  );
  await rig.until(() => rig.problems().length === 0, "the recovery", {
    limitMs: 120_000,
    stepMs: 1_000,
  });
  deepStrictEqual(rig.mutations(from), []);
});
