/**
 * What is started again, when, and what is kept of the dead (RT-01, RT-23).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import type { FakeContainer } from "../../support/fake_cri/model.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase } from "../../support/agent/phases.ts";

interface Row {
  readonly policy: string;
  /** Of c0, which exits 0, c1, which exits 111, and c2, which runs. */
  readonly restarts: readonly [boolean, boolean, boolean];
  /** When c2 has exited 0 as well. */
  readonly after: string;
}

const ROWS: readonly Row[] = [
  {
    policy: "Always",
    restarts: [true, true, false],
    after: "Running",
  },
  {
    policy: "OnFailure",
    restarts: [false, true, false],
    after: "Running",
  },
  { policy: "Never", restarts: [false, false, false], after: "Failed" },
];

for (const { policy, restarts, after } of ROWS) {
  Deno.test(`Agent restarts what ${policy} says (RT-01)`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave("c0", { exit: { code: 0, afterMs: 300 } });
    rig.fake.behave("c1", { exit: { code: 111, afterMs: 300 } });
    const names = ["c0", "c1", "c2"];
    const spec = {
      restartPolicy: policy,
      containers: names.map((name) => busybox(name)),
    };
    await rig.apply("web", web({ spec }));
    await rig.until(() => rig.fake.callsOf("StartContainer").length >= 3, "c2");
    await rig.pass(8_000);
    const counts = names.map((name) => attemptsOf(rig, name));
    deepStrictEqual(counts.map((count) => count > 1), restarts);
    strictEqual(rig.status("web")?.phase, "Running");

    rig.fake.behave("c2", { exit: { code: 0, afterMs: 60_000 } });
    rig.fake.exitContainer(rig.only("c2").id, 0);
    await rig.pass(8_000);
    await untilPhase(rig, after);
    strictEqual(attemptsOf(rig, "c2") > 1, policy === "Always");
  });
}

Deno.test("Agent calls an OnFailure pod Succeeded once its last container has exited 0", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("c0", { exit: { code: 0, afterMs: 100 } });
  const spec = {
    restartPolicy: "OnFailure",
    containers: [busybox("c0"), busybox("c1")],
  };
  await rig.apply("web", web({ spec }));
  await rig.until(() => rig.fake.running("c1").length === 1, "c1");
  rig.fake.exitContainer(rig.only("c1").id, 3);
  await rig.until(() => attemptsOf(rig, "c1") === 2, "the restart");
  rig.fake.exitContainer(rig.only("c1").id, 0);
  await untilPhase(rig, "Succeeded");
  await rig.pass(20_000);
  strictEqual(attemptsOf(rig, "c1"), 2);
  strictEqual(rig.ready().length, 0);
});

Deno.test("Agent waits 0, 10, 20, 40, 80, 160, 300, 300 s between crashes, to the millisecond (RT-23)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await rig.until(() => rig.fake.running(WEB).length === 1, "the first start");
  for (const seconds of [0, 10, 20, 40, 80, 160, 300, 300]) {
    const dead = await crash(rig);
    const delayMs = seconds * 1_000;
    if (delayMs > 0) await expectWait(rig, dead, delayMs);
    await rig.until(() => rig.fake.running(WEB).length === 1, "the next start");
    if (delayMs > 0) strictEqual(gapMs(dead, rig.only(WEB)), delayMs);
  }
  // A start that was long ago no longer counts.
  await rig.pass(601_000, 30_000);
  const dead = await crash(rig);
  await rig.until(() => rig.fake.running(WEB).length === 1, "a start at once", {
    limitMs: 1_500,
  });
  ok(gapMs(dead, rig.only(WEB)) <= 1_500);
  await expectWait(rig, await crash(rig), 10_000);
});

Deno.test("Agent keeps one dead container a name, and its log, while it crashes on", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, { exit: { code: 1, afterMs: 50 } });
  await rig.apply("web", web());
  for (let round = 0; round < 200; round++) {
    await rig.pass(1_000, 1_000);
    const dead = [...rig.fake.containers.values()]
      .filter(({ state }) => state === "exited");
    // One more for as long as the next is being started.
    ok(dead.length <= 2, `${dead.length} in second ${round}`);
  }
  await rig.pass(1_000);
  const [shown] = rig.status("web")?.containerStatuses ?? [];
  strictEqual(rig.fake.containers.size, 1);
  strictEqual(shown?.state?.waiting?.reason, "CrashLoopBackOff");
  strictEqual(shown?.lastState?.terminated?.exitCode, 1);
});

Deno.test("Agent starts containers beside one that waits out its crashes", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("bad", { exit: { code: 1, afterMs: 0 } });
  const spec = { containers: [busybox("bad"), busybox("good")] };
  await rig.apply("web", web({ spec }));
  // The 300 s of "bad" are not the business of "good".
  await rig.pass(400_000, 10_000);
  const refusal = { kind: "error", code: 13, details: "no luck" } as const;
  rig.fake.fault("CreateContainer", refusal, {
    times: 1,
    when: (request) => JSON.stringify(request, plain).includes('"good"'),
  });
  rig.fake.exitContainer(rig.only("good").id, 1);
  await rig.until(() => rig.fake.running("good").length === 1, "good", {
    limitMs: 20_000,
  });
});

/** Ends the container and waits until the agent has acted upon it. */
async function crash(rig: CoreRig): Promise<FakeContainer> {
  const dead = rig.only(WEB);
  rig.fake.exitContainer(dead.id, 1);
  await rig.clock.advance(1_000);
  await rig.quiet();
  return dead;
}

async function expectWait(
  rig: CoreRig,
  dead: FakeContainer,
  delayMs: number,
): Promise<void> {
  const waiting = () => rig.status("web")?.containerStatuses?.[0]?.state;
  await rig.until(
    () => waiting()?.waiting?.reason === "CrashLoopBackOff",
    "CrashLoopBackOff",
    { stepMs: 0 },
  );
  const length = `${
    delayMs < 60_000
      ? `${delayMs / 1_000}s`
      : `${Math.floor(delayMs / 60_000)}m${delayMs % 60_000 / 1_000}s`
  } `;
  match(
    waiting()?.waiting?.message ?? "",
    new RegExp(`^back-off ${length}restarting`),
  );
  const dueMs = Number(dead.finishedAt / 1_000_000n) + delayMs;
  await rig.pass(dueMs - 1 - rig.clock.now(), 30_000);
  strictEqual(rig.fake.running(WEB).length, 0);
  await rig.clock.advance(1);
  await rig.until(() => rig.fake.running(WEB).length === 1, "the start", {
    stepMs: 0,
  });
}

function gapMs(dead: FakeContainer, next: FakeContainer): number {
  // The fake keeps its nanoseconds apart by adding some.
  return Math.round(Number(next.startedAt - dead.finishedAt) / 1e6);
}

function attemptsOf(rig: CoreRig, name: string): number {
  return rig.fake.callsOf("CreateContainer").filter(({ request }) =>
    JSON.stringify(request, plain).includes(`"name":"${name}"`)
  ).length;
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
