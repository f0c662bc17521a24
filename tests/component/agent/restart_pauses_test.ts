/**
 * What waits before it starts once more, and what need not: restarts of all
 * containers, and ends of whole sandboxes.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";

const RULES = [{
  action: "RestartAllContainers",
  exitCodes: { operator: "In", values: [42] },
}];

function resetting(): Record<string, unknown> {
  const own = { restartPolicy: "Never", restartPolicyRules: RULES };
  return web({
    spec: { containers: [busybox("asks", own), busybox("beside")] },
  });
}

function resets(rig: CoreRig): number {
  return rig.fake.callsOf("RemoveContainer").length / 2;
}

Deno.test("Agent restarts all containers again and again with growing pauses, and lets the others run meanwhile", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("asks", { exit: { code: 42, afterMs: 100 } });
  await rig.apply("web", resetting());
  await rig.until(() => resets(rig) === 1, "the first");
  await rig.pass(30_000);
  ok(resets(rig) <= 3, `${resets(rig)} in 30 s`);
  strictEqual(rig.fake.running("beside").length, 1);
  const [asks] = rig.status("web")?.containerStatuses ?? [];
  strictEqual(asks?.state?.waiting?.reason, "CrashLoopBackOff");
  await rig.pass(600_000, 5_000);
  ok(resets(rig) >= 5 && resets(rig) <= 8, `${resets(rig)} in 10 min`);
});

Deno.test("Agent restarts all containers at once when they have run for long", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", resetting());
  const both = () =>
    rig.fake.running("asks").length + rig.fake.running("beside").length;
  for (let round = 1; round <= 3; round++) {
    await rig.until(() => both() === 2, "both");
    await rig.pass(700_000, 20_000);
    rig.fake.exitContainer(rig.only("asks").id, 42);
    await rig.until(() => resets(rig) === round, "the reset", {
      limitMs: 3_000,
    });
  }
});

Deno.test("Agent starts a container at once whose sandbox was stopped, however often that was", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  for (let round = 0; round < 3; round++) {
    await rig.until(() => rig.fake.running(WEB).length === 1, "the container");
    await rig.pass(40_000);
    const { sandboxId } = rig.only(WEB);
    const endedMs = rig.clock.monotonic();
    // As crictl stopp does: with all that runs in it.
    await rig.connection.runtime.stopPodSandbox(sandboxId);
    await rig.until(() => rig.fake.running(WEB).length === 1, "the next");
    const tookMs = rig.clock.monotonic() - endedMs;
    ok(tookMs < 5_000, `${tookMs} ms`);
  }
  deepStrictEqual(rig.events("web").filter((each) => /BackOff/.test(each)), []);
});

Deno.test("Agent lets a container that crashed by itself wait in a new sandbox, too", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await rig.until(() => rig.fake.running(WEB).length === 1, "the container");
  const { sandboxId } = rig.only(WEB);
  for (let crash = 0; crash < 3; crash++) {
    await rig.until(() => rig.fake.running(WEB).length === 1, "the container");
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.pass(1_000);
  }
  const waiting = () =>
    rig.status("web")?.containerStatuses?.[0]?.state?.waiting?.reason;
  strictEqual(waiting(), "CrashLoopBackOff");
  await rig.connection.runtime.stopPodSandbox(sandboxId);
  await rig.until(() => rig.ready().length === 1, "the next sandbox");
  await rig.pass(5_000);
  strictEqual(rig.fake.running(WEB).length, 0);
  strictEqual(waiting(), "CrashLoopBackOff");
  await rig.until(() => rig.fake.running(WEB).length === 1, "the start");
});

for (const isTold of [false, true]) {
  Deno.test(
    `Agent waits before it tries again to start a container, though what it made for it is removed each time${
      isTold ? " and the runtime tells of it" : ""
    }`,
    async () => {
      await using rig = await CoreRig.start({
        prepare: (rig) => {
          rig.fake.containerdEventsEnabled = isTold;
          const details = "cannot allocate memory";
          rig.fake.fault("StartContainer", {
            kind: "error",
            code: 13,
            details,
          });
        },
      });
      const tries = () => rig.fake.callsOf("StartContainer").length;
      await rig.apply("web", web());
      await rig.until(() => tries() > 0, "an attempt");
      await rig.pass(60_000, 200);
      ok(tries() >= 3 && tries() <= 7, `${tries()} in a minute`);
    },
  );
}
