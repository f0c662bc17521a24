/**
 * Ending pods and clearing away what is left of them, against a fake runtime.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}

Deno.test("PodRemover.removeContainer(), of a pod's leftovers, keeps the newest dead container, its log and no other", async () => {
  await using both = await fakeRig({ maxRestartWaitMs: 1 });
  const { rig, fake } = both;
  const subject = pod();
  const logs = `${rig.logDirectory(subject)}/c`;
  for (let round = 0; round < 4; round++) {
    await rig.sync(subject);
    await Deno.writeTextFile(`${logs}/${round}.log`, "x");
    for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
    // Two ends in one millisecond would have to wait for the next.
    await rig.clock.advance(1);
  }
  await Deno.writeTextFile(`${logs}/1.log.20260101-000000.gz`, "x");
  await Deno.writeTextFile(`${logs}/10.log`, "x");

  const observed = await rig.look(subject);
  strictEqual(observed.containers.length, 4);
  await rig.prune(observed);

  const left = await rig.look(subject);
  deepStrictEqual(left.containers.map(({ restartCount }) => restartCount), [3]);
  const names = await Array.fromAsync(Deno.readDir(logs), ({ name }) => name);
  deepStrictEqual(names.sort(), ["10.log", "3.log"]);
  // The files of their last words went with their records.
  const files = Deno.readDir(`${rig.podsDir}/u-1/containers/c`);
  deepStrictEqual(
    await Array.fromAsync(files, ({ name }) => name),
    ["00000003"],
  );

  fake.calls.length = 0;
  await rig.prune(left);
  deepStrictEqual(fake.calls, []);
});

Deno.test("PodRemover.removeSandbox() removes replaced sandboxes", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  for (let attempt = 0; attempt < 3; attempt++) {
    await rig.sync(subject);
    const [sandbox] = (await rig.look(subject)).sandboxes;
    if (attempt < 2) fake.killSandbox(sandbox?.id ?? "");
    // What was forgotten need not wait for its next sandbox.
    rig.sessions.delete(subject.metadata.uid);
  }
  const observed = await rig.look(subject);
  fake.calls.length = 0;
  await rig.prune(observed);
  // What may not have been stopped wholly is stopped again.
  deepStrictEqual(fake.calls.map(({ method }) => method), [
    "RemoveContainer",
    "StopPodSandbox",
    "RemovePodSandbox",
  ]);
  const left = await rig.look(subject);
  // The one before last holds the container whose end is still to be seen.
  deepStrictEqual(left.sandboxes.map(({ attempt }) => attempt), [2, 1]);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodRemover.removePod() leaves nothing in the runtime, and no logs", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({
    containers: [container(), container("d")],
  });
  await rig.sync(subject);
  const { signal } = rig;
  const observed = await rig.look(subject);
  await rejects(
    rig.remover.removePod(observed, { signal }),
    /its container "[cd]" still runs, wanted none/,
  );
  await rig.executor.killPod({ pod: subject, observed, signal });
  ok(await exists(rig.logDirectory(subject)));
  await rig.remover.removePod(await rig.look(subject), { signal });
  strictEqual(fake.sandboxes.size + fake.containers.size, 0);
  ok(!await exists(rig.logDirectory(subject)));
});

Deno.test("PodRemover.removeLogs() removes what a UID has under one name", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  const subject = pod();
  const renamed = pod({ name: "other" });
  const observed = await rig.look(subject);
  for (const each of [subject, renamed]) {
    await Deno.mkdir(`${rig.logDirectory(each)}/c`, { recursive: true });
  }
  await rig.remover.removeLogs({ ...observed, ...subject.metadata });
  const left = [subject, renamed].map((each) => exists(rig.logDirectory(each)));
  deepStrictEqual(await Promise.all(left), [false, true]);
});

Deno.test("PodRemover.removePod() leaves no logs of other names of its UID, and all of other UIDs", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  const subject = pod();
  const { signal } = rig;
  await rig.sync(subject);
  const observed = await rig.look(subject);
  await rig.executor.killPod({ pod: subject, observed, signal });
  const logs = rig.logDirectory(subject);
  const parent = logs.slice(0, logs.lastIndexOf("/"));
  const others = ["shop_earlier_u-1", "shop_other_xu-1", "shop_other_u-2"];
  for (const name of others) await Deno.mkdir(`${parent}/${name}`);
  await rig.remover.removePod(await rig.look(subject), { signal });
  const names = await Array.fromAsync(Deno.readDir(parent), ({ name }) => name);
  deepStrictEqual(names.sort(), ["shop_other_u-2", "shop_other_xu-1"]);
});

Deno.test("PodRemover.removePod() removes the rest when a part fails, and says so", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  const { signal } = rig;
  await rig.sync(subject);
  const observed = await rig.look(subject);
  await rig.executor.killPod({ pod: subject, observed, signal });
  fake.fault("RemovePodSandbox", {
    kind: "error",
    code: 2,
    details: "device or resource busy",
  }, { times: 1 });
  const ended = await rig.look(subject);
  await rejects(
    rig.remover.removePod(ended, { signal }),
    /Cannot remove pod "u-1": .*device or resource busy/,
  );
  ok(!await exists(rig.logDirectory(subject)));
  await rig.remover.removePod(ended, { signal });
  strictEqual(fake.sandboxes.size, 0);
});

Deno.test("PodExecutor.killPod() ends a lost pod with the grace and the hook it was started with", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const lifecycle = { preStop: { exec: { command: ["bye"] } } };
  const subject = pod({
    containers: [container("c", { lifecycle })],
    terminationGracePeriodSeconds: 33,
  });
  await rig.sync(subject);
  const observed = await rig.look(subject);
  fake.calls.length = 0;
  await rig.executor.killPod({ pod: undefined, observed, signal: rig.signal });
  deepStrictEqual(fake.callsOf("ExecSync").map(({ request }) => request), [
    {
      containerId: observed.containers[0]?.id,
      cmd: ["bye"],
      timeout: 0n,
    },
  ]);
  const [stop] = fake.callsOf("StopContainer");
  deepStrictEqual(stop?.request, {
    containerId: observed.containers[0]?.id,
    timeout: 33n,
  });
  strictEqual(fake.callsOf("StopPodSandbox").length, 1);
  ok(rig.told().includes("Killing: Stopping container c"));
});

Deno.test("PodExecutor.killPod() is done when everything is gone already", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  await rig.sync(subject);
  const observed = await rig.look(subject);
  for (const id of fake.sandboxes.keys()) fake.vanish(id);
  const { signal } = rig;
  await rig.executor.killPod({ pod: subject, observed, signal });
  await rig.remover.removePod(await rig.look(subject), { signal });
});

Deno.test("PodRemover.removeContainer() gives 2 s to what is not known to have ended, and no word to what has", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  const observed = await rig.look(pod());
  const [running] = observed.containers;
  ok(running !== undefined);
  const { signal } = rig;
  const unknown = { ...running, state: "unknown" } as const;
  await rig.remover.removeContainer(observed, unknown, { signal });
  deepStrictEqual(fake.callsOf("StopContainer").map(({ request }) => request), [
    { containerId: running.id, timeout: 2n },
  ]);
  strictEqual(fake.containers.size, 0);
  const exited = { ...running, state: "exited" } as const;
  await rig.remover.removeContainer(observed, exited, { signal });
  strictEqual(fake.callsOf("StopContainer").length, 1);
});

Deno.test("PodRemover.removePod() removes containers of sandboxes that are gone, and stops when it is told to", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({
    containers: [container(), container("d")],
  });
  await rig.sync(subject);
  const { signal } = rig;
  const observed = await rig.look(subject);
  await rig.executor.killPod({ pod: subject, observed, signal });
  const ended = await rig.look(subject);
  fake.fault("RemoveContainer", { kind: "hang" }, { times: 1 });
  const stop = new AbortController();
  const removal = rig.remover.removePod({ ...ended, sandboxes: [] }, {
    signal: stop.signal,
  });
  const stopped = rejects(removal, /the agent ends/);
  await until(() => fake.callsOf("RemoveContainer").length === 1);
  stop.abort(new Error("the agent ends"));
  await stopped;
  strictEqual(fake.callsOf("RemoveContainer").length, 1);
  ok(await exists(rig.logDirectory(subject)));
  await rig.remover.removePod({ ...ended, sandboxes: [] }, { signal });
  deepStrictEqual([fake.containers.size, fake.sandboxes.size], [0, 1]);
});

Deno.test("PodRemover.removePod() stops between two sandboxes when it is told to", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  const { signal } = rig;
  const observed = await rig.look(pod());
  await rig.executor.killPod({ pod: pod(), observed, signal });
  const ended = await rig.look(pod());
  fake.fault("RemovePodSandbox", { kind: "hang" }, { times: 1 });
  const stop = new AbortController();
  const removal = rig.remover.removePod(ended, { signal: stop.signal });
  const stopped = rejects(removal, /the agent ends/);
  await until(() => fake.callsOf("RemovePodSandbox").length === 1);
  stop.abort(new Error("the agent ends"));
  await stopped;
  ok(await exists(rig.logDirectory(pod())));
});
