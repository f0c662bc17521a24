/**
 * The look that completes a start.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

Deno.test("PodExecutor.execute() can be aborted while it looks at what it has started", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  const observed = await rig.look(subject);
  fake.fault("ContainerStatus", { kind: "hang" });
  const stop = new AbortController();
  const { signal } = stop;
  const syncing = rig.sync(subject, { observed, signal });
  await until(() => fake.callsOf("ContainerStatus").length > 0);
  stop.abort(new Error("deleted"));
  await rejects(syncing, /deleted/);
});

Deno.test("PodExecutor.execute() leaves the look to its caller when the runtime does not answer", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  const observed = await rig.look(subject);
  fake.fault("ContainerStatus", { kind: "error", code: 2, details: "busy" });
  const outcome = await rig.sync(subject, { observed });
  strictEqual(outcome.acted, true);
  strictEqual(outcome.observed, undefined);
});

Deno.test("PodExecutor.execute() ends what still runs beside the successor of a container that was said to have ended", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  await rig.sync(subject);
  const seen = await rig.look(subject);
  const containers = seen.containers.map((each) => ({
    ...each,
    state: "exited" as const,
    isUnconfirmed: true as const,
  }));
  const outcome = await rig.sync(subject, {
    observed: { ...seen, containers },
  });
  strictEqual(fake.running("c").length, 1);
  deepStrictEqual(fake.callsOf("StopContainer").map(({ request }) => request), [
    { containerId: seen.containers[0]?.id, timeout: 0n },
  ]);
  deepStrictEqual(outcome.observed?.pod, await rig.look(subject));
});
