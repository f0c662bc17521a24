/**
 * Replacing a sandbox that the runtime cannot stop.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";

const REFUSED = { kind: "error", code: 2, details: "network is busy" } as const;

Deno.test("PodExecutor.execute() makes no sandbox beside one that lives and cannot be stopped", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  fake.fault("StopPodSandbox", REFUSED);
  const outcome = await rig.sync(pod({ hostNetwork: true }));
  strictEqual(outcome.podFailure?.reason, "KillPodSandboxError");
  deepStrictEqual([outcome.unstopped, outcome.acted], [undefined, true]);
  strictEqual(fake.sandboxes.size, 1);
});

Deno.test("PodExecutor.execute() leaves a sandbox to the collector that is over and cannot be stopped", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  const [id = ""] = fake.sandboxes.keys();
  fake.killSandbox(id);
  fake.fault("StopPodSandbox", REFUSED);
  const outcome = await rig.sync(pod());
  deepStrictEqual(outcome.unstopped, [id]);
  strictEqual(outcome.podFailure, undefined);
  // What was in it is to be seen anew.
  strictEqual(outcome.observed, undefined);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() has perhaps changed something when it could not stop a container", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  const image = "localhost/other:1";
  fake.addImage({ ref: image });
  fake.fault("StopContainer", REFUSED);
  const { podFailure, acted } = await rig.sync(
    pod({ containers: [container("c", { image })] }),
  );
  deepStrictEqual([podFailure?.reason, acted], ["KillContainerError", true]);
  strictEqual(fake.callsOf("CreateContainer").length, 1);
});
