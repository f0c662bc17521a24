/**
 * What an agent makes of times that were written by another clock: across a restart the
 * wall clock is all there is, and it is believed within bounds (CL-02, CL-05, N05).
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  checkTimes,
  type Jump,
  JUMPS,
} from "../../support/agent/clock_jumps.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  condition,
  seenWhile,
  untilReady,
} from "../../support/agent/probes.ts";
import {
  runningVersion,
  untilRuns,
  version,
} from "../../support/agent/versions.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

function rigFor(
  jump: Jump,
  prepare: (rig: CoreRig) => void = () => {},
): Promise<CoreRig> {
  return CoreRig.start({
    prepare: (rig) => {
      if (jump.startMs !== undefined) rig.clock.wall = jump.startMs;
      prepare(rig);
    },
  });
}

/** The clock is set while no agent runs. */
async function restart(rig: CoreRig, { to }: Jump): Promise<void> {
  await rig.stopAgent();
  rig.clock.wall = to(rig.clock.now());
  await rig.startAgent();
}

/** How far a clock is set ahead. */
function aheadMs(rig: CoreRig, { to }: Jump): number {
  const nowMs = rig.clock.now();
  return to(nowMs) - nowMs;
}

for (const jump of JUMPS) {
  Deno.test(`CL-02 CL-05 Agent restarts nothing that runs when it returns and the clock has jumped ${jump.name}`, async () => {
    await using rig = await rigFor(jump);
    const answers = new Answers(rig);
    await rig.apply(
      "web",
      web({
        spec: {
          containers: [
            busybox(WEB, {
              livenessProbe: ask("live", { initialDelaySeconds: 5 }),
              readinessProbe: ask("ready", { initialDelaySeconds: 10 }),
              startupProbe: ask("start"),
            }),
          ],
        },
      }),
    );
    await untilReady(rig);
    await rig.pass(3_000);
    const before = rig.status("web");
    const [from, asked] = [rig.fake.calls.length, answers.asked("start")];
    await restart(rig, jump);
    await untilRunning(rig);
    const ready = await seenWhile(rig, 60_000, () => {
      checkTimes(rig);
      return condition(rig, "Ready");
    }, 1_000);
    deepStrictEqual(ready, ["True"]);
    deepStrictEqual(rig.mutations(from), []);
    const { startTime, containerStatuses } = rig.status("web") ?? {};
    strictEqual(startTime, before?.startTime);
    deepStrictEqual(containerStatuses, before?.containerStatuses);
    strictEqual(answers.asked("start"), asked);
    ok(answers.asked("live") > 60);
  });

  Deno.test(`CL-02 PW-15 Agent gives a pod no more than its deadline when it returns and the clock has jumped ${jump.name}`, async () => {
    await using rig = await rigFor(jump);
    await rig.apply("web", web({ spec: { activeDeadlineSeconds: 60 } }));
    await untilRunning(rig);
    await rig.pass(10_000);
    const isSpent = aheadMs(rig, jump) >= 50_000;
    await restart(rig, jump);
    const sinceMs = rig.clock.monotonic();
    await untilPhase(rig, "Failed", { stepMs: 1_000 });
    strictEqual(rig.status("web")?.reason, "DeadlineExceeded");
    const leftMs = rig.clock.monotonic() - sinceMs;
    if (isSpent) ok(leftMs <= 5_000, `${leftMs} ms left`);
    else ok(leftMs >= 45_000 && leftMs <= 65_000, `${leftMs} ms left`);
  });

  Deno.test(`CL-02 Agent gives an update no more than its time when it returns and the clock has jumped ${jump.name}`, async () => {
    await using rig = await rigFor(jump);
    await rig.apply("web", version("one"));
    await untilRuns(rig, "one");
    await rig.pass(5_000);
    await rig.apply("web", version("two", { isBad: true }));
    await untilRuns(rig, "two");
    await rig.pass(10_000);
    await restart(rig, jump);
    const sinceMs = rig.clock.monotonic();
    await rig.until(() => runningVersion(rig) === "one", "the way back", {
      stepMs: 1_000,
    });
    const leftMs = rig.clock.monotonic() - sinceMs;
    ok(leftMs <= 70_000, `${leftMs} ms left`);
  });

  Deno.test(`CL-02 Agent does not take from a deadline that the clock jumped ${jump.name} while the image was pulled`, async () => {
    const image = "localhost/large:1";
    await using rig = await rigFor(jump, ({ fake }) => {
      fake.setRegistry(image, { kind: "image", image: { ref: image } });
      fake.fault("PullImage", { kind: "delay", ms: 20_000 });
    });
    const spec = {
      activeDeadlineSeconds: 60,
      containers: [busybox(WEB, { image })],
    };
    await rig.apply("web", web({ spec }));
    await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
    const sinceMs = rig.clock.monotonic();
    rig.clock.wall = jump.to(rig.clock.now());
    await untilPhase(rig, "Running", { stepMs: 1_000 });
    await untilPhase(rig, "Failed", { stepMs: 1_000 });
    const lastedMs = rig.clock.monotonic() - sinceMs;
    ok(lastedMs >= 55_000 && lastedMs <= 68_000, `${lastedMs} ms`);
  });
}
