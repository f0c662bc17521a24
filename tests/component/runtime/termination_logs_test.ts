/**
 * The files for the last words of containers: none before it is needed, none that
 * outlives its container.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig, type RuntimeRig } from "../../support/runtime/runtime_rig.ts";

const ERROR = { kind: "error", code: 2, details: "no luck" } as const;

async function filesOf(rig: RuntimeRig): Promise<string[]> {
  try {
    const files = Deno.readDir(`${rig.podsDir}/u-1/containers/c`);
    const names = await Array.fromAsync(files, ({ name }) => name);
    return names.sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

Deno.test("PodExecutor.execute() leaves no termination log after 24 sandboxes that could not be made", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  fake.fault("RunPodSandbox", ERROR, { times: 24 });
  for (let round = 0; round < 24; round++) {
    await rig.sync(subject);
    // What was forgotten need not wait for its next sandbox.
    rig.sessions.delete("u-1");
  }
  strictEqual(fake.callsOf("RunPodSandbox").length, 24);
  deepStrictEqual(await filesOf(rig), []);
  await rig.sync(subject);
  deepStrictEqual(await filesOf(rig), ["00000000"]);
});

Deno.test("PodExecutor.execute() leaves no termination log of a container that cannot be created", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  fake.fault("CreateContainer", ERROR, { times: 20 });
  for (let round = 0; round < 20; round++) await rig.sync(subject);
  strictEqual(fake.callsOf("CreateContainer").length, 20);
  deepStrictEqual(await filesOf(rig), []);
  await rig.sync(subject);
  strictEqual(fake.running("c").length, 1);
  deepStrictEqual(await filesOf(rig), ["00000000"]);
});

Deno.test("PodExecutor.execute() writes no termination log for a container whose configuration is refused", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const volumeMounts = [{ name: "none", mountPath: "/none" }];
  await rig.sync(pod({ containers: [container("c", { volumeMounts })] }));
  strictEqual(fake.callsOf("CreateContainer").length, 0);
  deepStrictEqual(await filesOf(rig), []);
});

Deno.test("PodExecutor.execute() goes on beside a container that was created, never ran and cannot be removed", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  fake.fault("StartContainer", ERROR, { times: 1 });
  await rig.sync(subject);
  const [stale] = (await rig.look(subject)).containers;
  strictEqual(stale?.state, "created");
  fake.fault("RemoveContainer", ERROR);
  await rig.sync(subject);
  strictEqual(fake.running("c").length, 1);
  const counts = (await rig.look(subject)).containers
    .map(({ restartCount }) => restartCount);
  // Its name is taken, which is made of its number.
  deepStrictEqual(counts, [1, 0]);
});

Deno.test("PodExecutor.execute() mounts the termination log, and none where a container wants none", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({
    containers: [
      container("c"),
      container("none", { terminationMessagePath: "" }),
    ],
  });
  await rig.sync(subject);
  const mounts = ["c", "none"].map((name) =>
    fake.running(name)[0]?.config.mounts
      .filter(({ containerPath }) => containerPath !== "/etc/hosts")
      .map(({ containerPath, hostPath }) => [containerPath, hostPath])
  );
  deepStrictEqual(mounts, [[
    ["/dev/termination-log", `${rig.podsDir}/u-1/containers/c/00000000`],
  ], []]);
});

Deno.test("PodExecutor.execute() starts a container without a termination log when none can be made, and says so", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await Deno.mkdir(`${rig.podsDir}/u-1/containers`, { recursive: true });
  await Deno.writeTextFile(`${rig.podsDir}/u-1/containers/c`, "");
  deepStrictEqual((await rig.sync(pod())).failures, []);
  const paths = fake.running("c")[0]?.config.mounts
    .map(({ containerPath }) => containerPath);
  deepStrictEqual(paths, ["/etc/hosts"]);
  const told = rig.events.filter(({ type }) => type === "Warning");
  deepStrictEqual(
    told.map(({ reason, fieldPath }) => [reason, fieldPath]),
    [["FailedTerminationLog", "spec.containers{c}"]],
  );
});
