/**
 * A restart of all containers that an exit asks for too soon after the last.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";

Deno.test("PodExecutor.execute() lets what else runs of a pod run on while a restart of all containers waits", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const restartPolicyRules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [7] },
  }];
  const asking = { restartPolicy: "Never", restartPolicyRules };
  const subject = pod({
    containers: [container(), container("d", asking)],
  });
  const exit = () => {
    for (const { id } of fake.running("d")) fake.exitContainer(id, 7);
  };
  await rig.sync(subject);
  exit();
  strictEqual(
    (await rig.sync(subject)).failures[0]?.reason,
    "RestartingAllContainers",
  );
  await rig.sync(subject);
  exit();
  const [other] = fake.running("c");
  const { failures } = await rig.sync(subject);
  deepStrictEqual(
    failures.map(({ container, reason }) => [container, reason]),
    [["d", "CrashLoopBackOff"]],
  );
  deepStrictEqual(fake.running("c").map(({ id }) => id), [other?.id]);
  // In a sandbox that has ended nothing runs on that could wait.
  for (const id of fake.sandboxes.keys()) {
    await rig.runtime.stopPodSandbox(id);
  }
  const ended = await rig.sync(subject);
  strictEqual(
    ended.failures.some(({ reason }) => reason === "CrashLoopBackOff"),
    false,
  );
});
