/**
 * How a container ended, as containerd tells it earlier than its CRI.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Status } from "../../../proto/gen/containerd/types/task/task.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { until } from "../../support/until.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { taskMessage } from "../../support/fake_cri/to_answer.ts";
import {
  type CriRig,
  type CriRigOptions,
  runContainer,
  startCriRig,
} from "../../support/cri/cri_rig.ts";

const NEVER = new AbortController().signal;

/** A container whose process has ended, which the CRI does not show yet. */
async function withEnded(
  options: CriRigOptions = {},
): Promise<{ readonly rig: CriRig; readonly id: string }> {
  const rig = await startCriRig(options);
  rig.fake.tasks = true;
  await rig.cri.ready(NEVER);
  const { containerId: id } = await runContainer(rig, "web");
  rig.fake.endTask(id, 137);
  return { rig, id };
}

Deno.test("CriConnection.containerExit() tells of an end that the CRI does not show yet", async () => {
  const { rig, id } = await withEnded();
  await using _rig = rig;
  const before = await rig.cri.runtime.containerStatus(id);
  strictEqual(before.state, "running");
  const exit = await rig.cri.containerExit(id);
  rig.fake.exitContainer(id, 1);
  const { exitCode, finishedAt } = await rig.cri.runtime.containerStatus(id);
  strictEqual(exitCode, 137);
  deepStrictEqual(exit, { exitCode, finishedAt });
});

Deno.test("CriConnection.containerExit() tells nothing of what runs, or is buried, or never was", async () => {
  const { rig, id } = await withEnded();
  await using _rig = rig;
  const { containerId, sandboxId } = await runContainer(rig, "other");
  rig.fake.exitContainer(id, 1);
  for (const one of [containerId, sandboxId, id, "nobody"]) {
    strictEqual(await rig.cri.containerExit(one), undefined);
  }
});

Deno.test("CriConnection.containerExit() asks no other runtime than containerd, and none that it does not know", async () => {
  await using rig = await startCriRig();
  rig.fake.tasks = true;
  await rig.cri.containerExit("c");
  rig.fake.settings.runtimeName = "cri-o";
  await rig.cri.ready(NEVER);
  await rig.cri.containerExit("c");
  strictEqual(rig.fake.callsOf("Get").length, 0);
});

for (const code of [CODE.unimplemented, 7, 16]) {
  Deno.test(`CriConnection.containerExit() does not ask again a runtime that refused with ${code}, until it is ready anew`, async () => {
    const { rig, id } = await withEnded();
    await using _rig = rig;
    rig.fake.fault("Get", { kind: "error", code, details: "no" }, { times: 1 });
    for (let times = 0; times < 3; times++) {
      strictEqual(await rig.cri.containerExit(id), undefined);
    }
    strictEqual(rig.fake.callsOf("Get").length, 1);
    await rig.cri.ready(NEVER);
    strictEqual((await rig.cri.containerExit(id))?.exitCode, 137);
  });
}

Deno.test("CriConnection.containerExit() tells nothing when the call fails or hangs, and asks again the next time", async () => {
  const clock = new FakeClock();
  const { rig, id } = await withEnded({ clock });
  await using _rig = rig;
  const details = "ttrpc: closed";
  rig.fake.fault("Get", { kind: "error", code: CODE.unknown, details }, {
    times: 1,
  });
  rig.fake.fault("Get", { kind: "hang" }, { times: 1 });
  strictEqual(await rig.cri.containerExit(id), undefined);
  const hanging = rig.cri.containerExit(id);
  await until(() => rig.fake.callsOf("Get").length === 2);
  await clock.advance(1_000);
  strictEqual(await hanging, undefined);
  strictEqual((await rig.cri.containerExit(id))?.exitCode, 137);
});

Deno.test("CriConnection.containerExit() is cancelled by its signal", async () => {
  const { rig, id } = await withEnded();
  await using _rig = rig;
  rig.fake.fault("Get", { kind: "hang" });
  const stop = new AbortController();
  const asked = rig.cri.containerExit(id, { signal: stop.signal });
  stop.abort();
  await rejects(asked, { kind: "cancelled" });
});

const at = 1_700_000_000_000_000_000n;
const { process } = taskMessage("c", { code: 137, at });

const broken = [
  { name: "garbage", answer: new Uint8Array([255, 1, 2]) },
  { name: "nothing", answer: new Uint8Array() },
  ...[
    { name: "no time", exitedAt: undefined },
    { name: "a time before all", exitedAt: { seconds: -1n, nanos: 0 } },
    { name: "a broken time", exitedAt: { seconds: 1n, nanos: -1 } },
    { name: "a code that is none", exitStatus: 256 },
    { name: "a pause", status: Status.PAUSED },
    { name: "no state", status: Status.UNKNOWN },
  ].map(({ name, ...fields }) => ({
    name,
    answer: { process: process && { ...process, ...fields } },
  })),
];

for (const { name, answer } of broken) {
  Deno.test(`CriConnection.containerExit() takes ${name} for no end`, async () => {
    await using rig = await startCriRig();
    await rig.cri.ready(NEVER);
    rig.fake.tasks = () => answer;
    strictEqual(await rig.cri.containerExit("c"), undefined);
  });
}
