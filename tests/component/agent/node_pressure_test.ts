/**
 * A node that runs short of memory or disk.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { IMAGE } from "../../support/pods.ts";

const MI = 2 ** 20;

/** A pod of another name, whose container is named so as well. */
function named(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({
    name,
    spec: { containers: [busybox(name)], ...spec },
  });
}

async function withTwo(
  options: Parameters<typeof CoreRig.start>[0] = {},
): Promise<CoreRig> {
  const rig = await CoreRig.start(options);
  await rig.apply("large", named("large"));
  await rig.apply("small", named("small"));
  await rig.until(
    () =>
      rig.status("large")?.phase === "Running" &&
      rig.status("small")?.phase === "Running",
    "both pods",
  );
  rig.only("large").memoryBytes = BigInt(500 * MI);
  rig.only("small").memoryBytes = BigInt(MI);
  return rig;
}

Deno.test("Agent ends one pod after the other while memory is short, and takes no new one (GC-07)", async () => {
  await using rig = await withTwo();
  rig.machine.left.available = 50 * MI;
  await rig.until(
    () => rig.status("large")?.reason === "Evicted",
    "the eviction",
    { stepMs: 500, limitMs: 20_000 },
  );
  const status = rig.status("large");
  strictEqual(status?.phase, "Failed");
  strictEqual(
    status?.message,
    "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container large was using 500Mi, request is 0, has larger consumption of memory. ",
  );
  const target = status?.conditions?.find(({ type }) =>
    type === "DisruptionTarget"
  );
  deepStrictEqual([target?.status, target?.reason], [
    "True",
    "TerminationByKubelet",
  ]);
  // There is enough again: the other one stays, and the condition for a while.
  rig.machine.left.available = 900 * MI;
  await rig.until(() => rig.ready().length === 1, "the end of it");
  await rig.apply("late", named("late"));
  await rig.pass(60_000);
  strictEqual(rig.status("small")?.phase, "Running");
  deepStrictEqual(
    [rig.status("late")?.phase, rig.status("late")?.reason],
    ["Failed", "Evicted"],
  );
  strictEqual(
    rig.status("late")?.message,
    "Pod was rejected: The node had condition: [MemoryPressure]. ",
  );
  // Five minutes after the last look that found too little.
  await rig.until(
    () => rig.status("late")?.phase === "Running",
    "the pod that was refused",
    { stepMs: 5_000, limitMs: 300_000 },
  );
  strictEqual(rig.status("large")?.phase, "Failed");
  const node = rig.core.events.list({ uid: "edge1" });
  deepStrictEqual(node.map(({ reason }) => reason), [
    "NodeHasInsufficientMemory",
    "EvictionThresholdMet",
    "NodeHasSufficientMemory",
  ]);
});

Deno.test("Agent that restarts under pressure changes no pod that runs (I2)", async () => {
  await using rig = await withTwo({
    kubelet: [
      "evictionSoft: {memory.available: 1Gi}",
      "evictionSoftGracePeriod: {memory.available: 1h}",
    ],
  });
  rig.machine.left.available = 500 * MI;
  await rig.pass(20_000);
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.status("large")?.phase, "Running");
});

Deno.test("Agent frees what completed pods keep before it ends one, and they stay completed (GC-07)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilRunning(rig);
  const job = named("job", { restartPolicy: "Never" });
  await rig.apply("job", job);
  await rig.until(() => rig.fake.running("job").length === 1, "the job");
  const [container] = rig.fake.running("job");
  ok(container !== undefined);
  rig.fake.exitContainer(container.id, 0);
  await rig.until(() => rig.status("job")?.phase === "Succeeded", "its end");
  await rig.pass(10_000);
  strictEqual(rig.fake.containers.size, 2);
  rig.machine.disk.available = 0;
  await rig.until(
    () => rig.fake.containers.size === 1,
    "the end of its container",
    { limitMs: 15_000 },
  );
  rig.machine.disk.available = rig.machine.disk.capacity;
  await rig.pass(60_000);
  strictEqual(rig.status("web")?.phase, "Running");
  strictEqual(rig.status("job")?.phase, "Succeeded");
  strictEqual(
    rig.status("job")?.containerStatuses?.[0]?.state?.terminated?.exitCode,
    0,
  );
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.pass(30_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.status("job")?.phase, "Succeeded");
});

Deno.test("Agent ends the pod with the most files where the disk stays short", async () => {
  await using rig = await withTwo();
  const log = `${rig.config.runtime.podLogsDir}/default_small-edge1_${
    rig.pod("small")?.metadata.uid
  }/small/0.log`;
  await Deno.writeFile(log, new Uint8Array(2 * MI));
  rig.machine.disk.capacity = 100 * MI;
  rig.machine.disk.available = 0;
  await rig.until(
    () => rig.status("small")?.reason === "Evicted",
    "the eviction",
    { limitMs: 30_000 },
  );
  rig.machine.disk.available = rig.machine.disk.capacity;
  await rig.pass(30_000);
  strictEqual(rig.status("large")?.phase, "Running");
  const line = 'kubelet_evictions{eviction_signal="nodefs.available"} 1';
  ok(rig.metrics.render().includes(line));
});

Deno.test("Agent does not wait for ever for what completed pods keep", async () => {
  await using rig = await withTwo();
  const log = `${rig.config.runtime.podLogsDir}/default_large-edge1_${
    rig.pod("large")?.metadata.uid
  }/large/0.log`;
  await Deno.writeFile(log, new Uint8Array(2 * MI));
  await rig.apply("job", named("job", { restartPolicy: "Never" }));
  await rig.until(() => rig.fake.running("job").length === 1, "the job");
  rig.fake.exitContainer(rig.only("job").id, 0);
  await rig.until(() => rig.status("job")?.phase === "Succeeded", "its end");
  for (const method of ["RemovePodSandbox", "RemoveContainer"]) {
    rig.fake.fault(method, { kind: "error", code: 13, details: "busy" });
  }
  rig.machine.disk.capacity = 100 * MI;
  rig.machine.disk.available = 0;
  await rig.until(
    () => rig.status("large")?.reason === "Evicted",
    "the eviction",
    { limitMs: 60_000 },
  );
  // The collector goes on by itself, with its pauses.
  const said = rig.logged("garbage_not_removed").filter((line) =>
    line.includes("job")
  );
  strictEqual(said.length, 1);
});

Deno.test("Agent does nothing to pods while it cannot ask the disk", async () => {
  await using rig = await withTwo();
  rig.machine.isBlind = true;
  const from = rig.fake.calls.length;
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.logged("signals_not_measured").length, 2);
});

Deno.test("Agent asks the runtime nothing and writes nothing while nothing is short (I5)", async () => {
  await using rig = await withTwo();
  await rig.pass(60_000);
  strictEqual(rig.fake.callsOf("ListContainerStats").length, 0);
});

Deno.test("Agent starts a critical pod although the disk is short", async () => {
  await using rig = await CoreRig.start();
  // Before any manifest names it, the image that is there goes for the room.
  rig.fake.setRegistry(IMAGE, { kind: "image", image: { ref: IMAGE } });
  rig.machine.disk.available = 0;
  await rig.pass(15_000);
  await rig.apply("web", web());
  await rig.pass(5_000);
  strictEqual(rig.status("web")?.reason, "Evicted");
  const containers = [busybox(WEB)];
  await rig.apply(
    "web",
    web({ spec: { containers, priority: 2_000_000_000 } }),
  );
  await untilRunning(rig);
});
