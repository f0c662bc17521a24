/**
 * What of a pod survives the agent and the loss of its containers (PW-08, PW-15, I4).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase } from "../../support/agent/phases.ts";

const DEADLINE_MESSAGE =
  "Pod was active on the node longer than the specified deadline";

/** Takes everything of all pods from the runtime, as `crictl rm` does. */
function forgetAll(rig: CoreRig): void {
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
}

/** The text of the only pod's record. */
async function record(rig: CoreRig): Promise<string> {
  const directory = `${rig.config.paths.rootDir}/pods`;
  const [uid = ""] = rig.list(directory);
  return await Deno.readTextFile(`${directory}/${uid}/record.json`);
}

Deno.test("Agent ends a pod at its deadline with the kubelet's words (PW-15)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 10 } }));
  await untilPhase(rig, "Failed");
  const { reason, message } = rig.status("web") ?? {};
  deepStrictEqual([reason, message], ["DeadlineExceeded", DEADLINE_MESSAGE]);
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
  const told = rig.log.filter((line) =>
    line.includes('"reason":"DeadlineExceeded"')
  );
  strictEqual(told.length, 1);
  match(told[0] ?? "", new RegExp(DEADLINE_MESSAGE));
});

Deno.test("Agent grants no new deadline when it restarts, even with a younger sandbox (PW-15)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 60 } }));
  await untilPhase(rig, "Running");
  const startTime = rig.status("web")?.startTime;
  const startMs = Date.parse(startTime ?? "");
  await rig.pass(30_000);
  // The oldest sandbox is what an agent without a memory would go by.
  forgetAll(rig);
  await rig.until(() => rig.fake.running(WEB).length === 1, "another one");
  await rig.restartAgent();
  await untilPhase(rig, "Running");
  strictEqual(rig.status("web")?.startTime, startTime);
  await untilPhase(rig, "Failed");
  const afterMs = rig.clock.now() - startMs;
  ok(afterMs >= 60_000 && afterMs <= 65_000, `${afterMs} ms`);
});

Deno.test("Agent lets the deadline pass while it is down (PW-15)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 20 } }));
  await untilPhase(rig, "Running");
  await rig.stopAgent();
  await rig.clock.advance(30_000);
  await rig.startAgent();
  await untilPhase(rig, "Failed", { limitMs: 5_000 });
  strictEqual(rig.status("web")?.reason, "DeadlineExceeded");
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end");
});

Deno.test("Agent does not run a pod again that exceeded its deadline, though nothing is left of it (PW-15)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web({ spec: { activeDeadlineSeconds: 10 } }));
  await untilPhase(rig, "Failed");
  await rig.until(() => rig.ready().length === 0, "its end");
  await rig.pass(2_000);
  await rig.stopAgent();
  forgetAll(rig);
  // The wall clock of a device without a battery begins anew at every boot.
  rig.clock.wall = rig.clock.now() - 3_600_000;
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilPhase(rig, "Failed");
  await rig.pass(70_000);
  strictEqual(rig.status("web")?.reason, "DeadlineExceeded");
  strictEqual(rig.status("web")?.message, DEADLINE_MESSAGE);
  deepStrictEqual(rig.mutations(from), []);
});

for (
  const [restartPolicy, code, phase] of [
    ["Never", 0, "Succeeded"],
    ["Never", 1, "Failed"],
    ["OnFailure", 0, "Succeeded"],
  ] as const
) {
  Deno.test(`Agent does not run a ${restartPolicy} pod again that exited ${code}, though its containers were removed (PW-08)`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave(WEB, { exit: { code, afterMs: 500 } });
    await rig.apply("web", web({ spec: { restartPolicy } }));
    await untilPhase(rig, phase);
    await rig.until(() => rig.ready().length === 0, "its end");
    await rig.pass(2_000);
    const shown = rig.status("web")?.containerStatuses?.[0]?.state;
    await rig.stopAgent();
    forgetAll(rig);
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await untilPhase(rig, phase);
    await rig.pass(70_000);
    deepStrictEqual(rig.mutations(from), []);
    deepStrictEqual(rig.status("web")?.containerStatuses?.[0]?.state, shown);
    // Its manifest is the way to have it run again, or to be rid of it.
    await rig.remove("web");
    await untilGone(rig);
  });
}

Deno.test("Agent counts restarts on though the runtime has forgotten them (I4)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  const count = () => rig.status("web")?.containerStatuses?.[0]?.restartCount;
  for (const expected of [1, 2]) {
    await rig.until(() => rig.fake.running(WEB).length === 1, "a run");
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.until(() => count() === expected, `restart ${expected}`);
  }
  await rig.until(() => rig.fake.running(WEB).length === 1, "a run");
  await rig.pass(2_000);
  await rig.stopAgent();
  forgetAll(rig);
  await rig.startAgent();
  await rig.until(() => rig.fake.running(WEB).length === 1, "a run");
  await untilPhase(rig, "Running");
  ok((count() ?? 0) >= 2, `${count()}`);
});

Deno.test("Agent writes nothing for a pod that just runs", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilPhase(rig, "Running");
  await rig.pass(2_000);
  const before = await record(rig);
  const [uid = ""] = rig.list(`${rig.config.paths.rootDir}/pods`);
  const path = `${rig.config.paths.rootDir}/pods/${uid}/record.json`;
  const { ino } = await Deno.stat(path);
  await rig.pass(180_000, 10_000);
  await rig.restartAgent();
  await untilPhase(rig, "Running");
  await rig.pass(70_000);
  strictEqual(await record(rig), before);
  // Each write makes another file.
  strictEqual((await Deno.stat(path)).ino, ino);
});
