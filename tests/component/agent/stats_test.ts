/**
 * What clients are told of what pods use.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("AgentViews.stats() measures pods, and with their files those that have ended", async () => {
  await using rig = await CoreRig.start();
  const volumes = [{ name: "data", emptyDir: {} }];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  await rig.apply(
    "web",
    web({ spec: { volumes, containers: [busybox(WEB, { volumeMounts })] } }),
  );
  const job = { restartPolicy: "Never", containers: [busybox("job")] };
  await rig.apply("job", web({ name: "job", spec: job }));
  await untilRunning(rig);
  await rig.until(() => rig.fake.running("job").length === 1, "the job");
  rig.fake.exitContainer(rig.only("job").id, 0);
  await rig.until(() => rig.status("job")?.phase === "Succeeded", "its end");
  const container = rig.only(WEB);
  container.memoryBytes = 5n;
  container.cpuNanos = 1_000_000_000n;
  container.layerBytes = 7n;
  const [mount] = container.config.mounts
    .filter(({ containerPath }) => containerPath === "/data");
  await Deno.writeFile(`${mount?.hostPath}/x`, new Uint8Array(1 << 20));
  const all = await rig.views.stats("all");
  deepStrictEqual(
    all.pods.map(({ pod }) => pod.metadata.name).sort(),
    ["job-edge1", "web-edge1"],
  );
  const use = all.pods.find(({ pod }) => pod.metadata.name === "web-edge1")
    ?.use;
  strictEqual(use?.containers[0]?.memory?.workingSet, 5n);
  strictEqual(use.containers[0]?.layer?.bytes, 7);
  ok((use.volumes[0]?.stored.bytes ?? 0) >= 1 << 20);
  strictEqual(all.node.nodeFs?.bytes.capacity, rig.machine.disk.capacity);
  strictEqual(all.node.imageFs, undefined);

  // Half a processor since the first look.
  await rig.views.stats("memory");
  container.cpuNanos = 2_000_000_000n;
  container.measuredNanos = 2_000_000_000n;
  const again = await rig.views.stats("memory");
  deepStrictEqual(
    again.pods.map(({ pod }) => pod.metadata.name),
    ["web-edge1"],
  );
  const [pod] = again.pods;
  strictEqual(pod?.use.containers[0]?.cpu?.nanoCores, 500_000_000n);
  strictEqual(pod?.use.containers[0]?.logs, undefined);
});

Deno.test("AgentViews.stats() tells of networks of pods where the runtime does", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilRunning(rig);
  const { uid } = rig.pod("web")?.metadata ?? {};
  const [sandbox] = rig.ready();
  ok(sandbox !== undefined && uid !== undefined);
  const defaultInterface = {
    name: "eth0",
    rxBytes: { value: 5n },
    rxErrors: undefined,
    txBytes: undefined,
    txErrors: undefined,
  };
  sandbox.network = { timestamp: 7n, defaultInterface, interfaces: [] };
  const { networks } = await rig.views.stats("all");
  strictEqual(networks?.get(uid)?.primary?.receivedBytes, 5n);
  // Who asks for processors and memory alone costs the runtime no more than that.
  strictEqual((await rig.views.stats("memory")).networks, undefined);
  strictEqual(rig.fake.callsOf("ListPodSandboxStats").length, 1);
  rig.fake.fault("ListPodSandboxStats", {
    kind: "error",
    code: 12,
    details: "unknown method",
  });
  const { networks: none, pods } = await rig.views.stats("all");
  strictEqual(none, undefined);
  strictEqual(pods.length, 1);
});

Deno.test("AgentViews.stats() does without networks where the runtime hangs on them", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilRunning(rig);
  rig.fake.fault("ListPodSandboxStats", { kind: "hang" });
  const startMs = rig.clock.monotonic();
  let tookMs: number | undefined;
  const asked = rig.views.stats("all").then((stats) => {
    tookMs = rig.clock.monotonic() - startMs;
    return stats;
  });
  await rig.until(() => tookMs !== undefined, "the answer");
  // And not the two minutes that any call may take.
  strictEqual(tookMs, 10_000);
  const { networks, pods } = await asked;
  strictEqual(networks, undefined);
  strictEqual(pods.length, 1);
});

Deno.test("AgentViews.stats() says that the runtime has no figures", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("ListContainerStats", {
    kind: "error",
    code: 12,
    details: "unknown method",
  });
  await rejects(rig.views.stats("memory"), /unknown method/);
});

Deno.test("AgentViews.stats() has the file system for images where the host view shows it", async () => {
  await using dir = await TempDir.make();
  await using rig = await CoreRig.start({ flags: [`--host-view=${dir.path}`] });
  const { node } = await rig.views.stats("all");
  strictEqual(node.imageFs?.bytes.capacity, rig.machine.disk.capacity);
  ok(rig.machine.asked.includes(`${dir.path}/imagefs`));
});
