/**
 * Pods that are stopped for a while and start again.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { buildPodStatus } from "../../../mod/pod/status/mod.ts";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import { probes, statusInput } from "../../support/observed_pods.ts";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";

for (const restartPolicy of ["OnFailure", "Never"]) {
  Deno.test(`PodExecutor.killPod() leaves a ${restartPolicy} pod to start again whose container ended with 0`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    fake.behave("c", { onTerm: { code: 0, afterMs: 0 } });
    const subject = pod({ restartPolicy });
    await rig.sync(subject);
    const { signal } = rig;
    const observed = await rig.look(subject);
    await rig.executor.killPod({
      pod: subject,
      observed,
      startsAgain: true,
      signal,
    });
    const after = { pod: subject, observed: await rig.look(subject) };
    strictEqual(after.observed.containers[0]?.stopped, "to_restart");
    strictEqual(buildPodStatus(statusInput(after)).phase, "Running");
    const plan = planPod({ ...after, probes: probes() });
    strictEqual(plan.sandbox.kind, "create");
    await rig.sync(subject);
    strictEqual(fake.running("c").length, 1);
  });
}

Deno.test("PodExecutor.execute() leaves an edited container to start again that ended with 0 and could not be made", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.behave("c", { onTerm: { code: 0, afterMs: 0 } });
  const restartPolicy = "OnFailure";
  await rig.sync(pod({ restartPolicy }));
  fake.fault("CreateContainer", { kind: "error", code: 2, details: "no" });
  const image = "localhost/other:1";
  fake.addImage({ ref: image });
  const containers = [container("c", { image })];
  await rig.sync(pod({ restartPolicy, containers }));
  strictEqual(fake.running("c").length, 0);
  strictEqual((await rig.look(pod())).containers[0]?.stopped, "to_restart");
});
