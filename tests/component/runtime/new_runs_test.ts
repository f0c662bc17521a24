/**
 * The numbers that runs of containers get.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig, unseen } from "../../support/runtime/runtime_rig.ts";

for (
  const [what, name, expected] of [
    ["goes on behind one of its name", "c", 5],
    ["does not look at those of other names", "other", 0],
  ] as const
) {
  Deno.test(`PodExecutor.execute() ${what} when another pod of the UID has taken numbers`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const subject = pod();
    const taken = {
      sandboxAttempts: [],
      restartCounts: [{ name, restartCount: 4 }],
    };
    await rig.sync(subject, { observed: { ...unseen(subject), taken } });
    strictEqual(fake.running("c")[0]?.config.metadata?.attempt, expected);
  });
}

Deno.test("PodExecutor.execute() removes what is left of init containers that run anew", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({ initContainers: [container("first")] });
  await rig.sync(subject);
  for (const { id } of fake.running("first")) fake.exitContainer(id, 0);
  await rig.sync(subject);
  for (const id of fake.sandboxes.keys()) fake.killSandbox(id);
  await rig.sync(subject);
  const { containers } = await rig.look(subject);
  deepStrictEqual(
    containers.map(({ name, state }) => `${name} ${state}`).sort(),
    ["c exited", "first running"],
  );
});

Deno.test("PodExecutor.execute() keeps the newest dead of an init container that it starts again, and no other", async () => {
  await using both = await fakeRig({ maxRestartWaitMs: 1 });
  const { rig, fake } = both;
  const subject = pod({ initContainers: [container("first")] });
  const seen: (readonly number[])[] = [];
  for (let round = 0; round < 3; round++) {
    const { failures, observed } = await rig.sync(subject);
    deepStrictEqual(failures, []);
    // What was removed is to be seen anew.
    strictEqual(observed === undefined, round === 2);
    const { containers } = await rig.look(subject);
    seen.push(containers.map(({ restartCount }) => restartCount));
    for (const { id } of fake.running("first")) fake.exitContainer(id, 1);
    // Two ends in one millisecond would have to wait for the next.
    await rig.clock.advance(1);
  }
  deepStrictEqual(seen, [[0], [1, 0], [2, 1]]);
});

Deno.test("PodExecutor.execute() runs no hooks when it restarts all containers", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const restartPolicyRules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [7] },
  }];
  const asking = { restartPolicy: "Never", restartPolicyRules };
  const lifecycle = { preStop: { exec: { command: ["bye"] } } };
  const subject = pod({
    containers: [
      container("c", { lifecycle }),
      container("d", asking),
    ],
  });
  await rig.sync(subject);
  for (const { id } of fake.running("d")) fake.exitContainer(id, 7);
  const [running] = fake.running("c");
  await rig.sync(subject);
  strictEqual(fake.containers.size, 0);
  deepStrictEqual(fake.callsOf("StopContainer").map(({ request }) => request), [
    { containerId: running?.id, timeout: 2n },
  ]);
  strictEqual(fake.callsOf("ExecSync").length, 0);
});

Deno.test("PodExecutor.execute() keeps the last dead of a sidecar that runs when it starts another one again", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const sidecar = { restartPolicy: "Always" };
  const subject = pod({
    initContainers: [container("s1", sidecar), container("s2", sidecar)],
  });
  await rig.sync(subject);
  await rig.sync(subject);
  for (const name of ["s1", "s2"]) {
    for (const { id } of fake.running(name)) fake.exitContainer(id, 1);
    await rig.sync(subject);
    strictEqual(fake.running(name).length, 1);
  }
  const { containers } = await rig.look(subject);
  deepStrictEqual(
    containers.map(({ name, restartCount }) => `${name} ${restartCount}`)
      .filter((text) => text.startsWith("s")).sort(),
    ["s1 0", "s1 1", "s2 0", "s2 1"],
  );
});
