/**
 * Every call over a real socket, there and back.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  containerConfig,
  runContainer,
  sandboxConfig,
  startCriRig,
} from "../../support/cri/cri_rig.ts";

Deno.test("RuntimeService walks a container from creation to removal", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const { sandboxId, containerId } = await runContainer(rig, "web");
  const running = await runtime.containerStatus(containerId);
  strictEqual(running.state, "running");
  strictEqual(running.logPath, "/logs/web/web/0.log");
  ok(running.startedAt > running.createdAt);

  rig.fake.exitContainer(containerId, 3);
  const exited = await runtime.containerStatus(containerId);
  strictEqual(exited.state, "exited");
  strictEqual(exited.exitCode, 3);
  strictEqual(exited.reason, "Error");
  ok(exited.finishedAt > exited.startedAt);

  await runtime.removeContainer(containerId);
  await rejects(runtime.containerStatus(containerId), { kind: "not_found" });
  await runtime.stopPodSandbox(sandboxId);
  strictEqual((await runtime.podSandboxStatus(sandboxId)).state, "not_ready");
  await runtime.removePodSandbox(sandboxId);
  deepStrictEqual(await runtime.listPodSandbox(), []);
});

Deno.test("RuntimeService lists by state, sandbox and labels", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const a = await runContainer(rig, "a");
  const b = await runContainer(rig, "b");
  rig.fake.exitContainer(b.containerId, 0);

  const ids = async (filter?: Parameters<typeof runtime.listContainers>[0]) =>
    (await runtime.listContainers(filter)).map(({ id }) => id);
  deepStrictEqual(
    (await ids()).sort(),
    [a.containerId, b.containerId].sort(),
  );
  deepStrictEqual(await ids({ state: "exited" }), [b.containerId]);
  deepStrictEqual(await ids({ sandboxId: a.sandboxId }), [a.containerId]);
  const label = { "io.kubernetes.container.name": "b" };
  deepStrictEqual(await ids({ labels: label }), [b.containerId]);

  rig.fake.killSandbox(a.sandboxId);
  const ready = await runtime.listPodSandbox({ state: "ready" });
  deepStrictEqual(ready.map(({ id }) => id), [b.sandboxId]);
});

Deno.test("RuntimeService.listContainers() shows a state that changed", async () => {
  await using rig = await startCriRig();
  const { containerId } = await runContainer(rig, "web");
  const [before] = await rig.cri.runtime.listContainers();
  const [same] = await rig.cri.runtime.listContainers();
  strictEqual(same, before);
  rig.fake.exitContainer(containerId, 0);
  const [after] = await rig.cri.runtime.listContainers();
  strictEqual(after?.state, "exited");
});

Deno.test("RuntimeService carries numbers beyond what a double holds", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const sandboxId = await runtime.runPodSandbox(sandboxConfig("big"));
  const containerId = await runtime.createContainer({
    sandboxId,
    sandboxConfig: sandboxConfig("big"),
    config: containerConfig("big", {
      linux: { resources: { memoryLimitInBytes: 9007199254740993n } },
    }),
  });
  const created = await runtime.containerStatus(containerId);
  strictEqual(created.resources?.memoryLimitInBytes, 9007199254740993n);
  await runtime.updateContainerResources(containerId, {
    memoryLimitInBytes: 9007199254740995n,
    oomScoreAdj: -997n,
  });
  const updated = await runtime.containerStatus(containerId);
  strictEqual(updated.resources?.memoryLimitInBytes, 9007199254740995n);
  strictEqual(updated.resources.oomScoreAdj, -997n);
});

Deno.test("RuntimeService.podSandboxStatus() has an address only for a network of its own", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const own = await runtime.runPodSandbox(sandboxConfig("own"));
  strictEqual((await runtime.podSandboxStatus(own)).ip, "10.88.0.2");
  const onNode = await runtime.runPodSandbox(sandboxConfig("node", {
    linux: { securityContext: { namespaceOptions: { network: "node" } } },
  }));
  const status = await runtime.podSandboxStatus(onNode);
  strictEqual(status.ip, "");
  strictEqual(status.networkMode, "node");
});

Deno.test("RuntimeService.execSync() returns output as bytes, and the exit code", async () => {
  await using rig = await startCriRig();
  const { containerId } = await runContainer(rig, "web");
  rig.fake.settings.exec = (container, command) => ({
    stdout: `${container.name}: ${command.join(" ")}`,
    stderr: "é",
    exitCode: 7,
  });
  const result = await rig.cri.runtime.execSync(containerId, ["echo", "hi"]);
  strictEqual(new TextDecoder().decode(result.stdout), "web: echo hi");
  deepStrictEqual([...result.stderr], [0xc3, 0xa9]);
  strictEqual(result.exitCode, 7);
});

Deno.test("RuntimeService.runPodSandbox() passes the runtime handler on", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const config = sandboxConfig("vm");
  const id = await runtime.runPodSandbox(config, { runtimeHandler: "kata" });
  const [sandbox] = await runtime.listPodSandbox();
  strictEqual(sandbox?.id, id);
  strictEqual(sandbox?.runtimeHandler, "kata");
});

Deno.test("ImageService pulls and finds", async () => {
  await using rig = await startCriRig();
  const { images } = rig.cri;
  rig.fake.setRegistry("example.org/app:1", {
    kind: "image",
    image: { ref: "example.org/app:1", size: 5, username: "web" },
  });
  const image = { image: "example.org/app:1" };
  strictEqual(await images.imageStatus(image), undefined);
  const ref = await images.pullImage(image);
  const found = await images.imageStatus({ image: ref });
  strictEqual(found?.size, 5n);
  strictEqual(found.username, "web");
  strictEqual(found.uid, undefined);
});

Deno.test("ImageService lists images, says where they lie, and removes them", async () => {
  await using rig = await startCriRig();
  const { images, runtime } = rig.cri;
  const { id } = rig.fake.addImage({ ref: "example.org/app:1", size: 5 });
  rig.fake.addImage({ ref: "pause:3", size: 2, pinned: true });
  const found = await images.listImages();
  deepStrictEqual(found.find((image) => image.id === id), {
    id,
    names: [
      "example.org/app:1",
      `example.org/app@${id}`,
    ],
    size: 5n,
    pinned: false,
  });
  strictEqual(found.filter(({ pinned }) => pinned).length, 1);
  const usedBytes = found.reduce((sum, { size }) => sum + size, 0n);
  deepStrictEqual(await images.imageFsInfo(), {
    images: [{ mountpoint: "/var/lib/containerd", usedBytes }],
    layers: [],
  });
  await images.removeImage({ image: id });
  rig.fake.fault("RemoveImage", { kind: "error", code: 5, details: "gone" });
  await images.removeImage({ image: id });
  strictEqual((await images.listImages()).length, found.length - 1);

  await runContainer(rig, "web");
  const [container] = await runtime.listContainers();
  strictEqual(
    container?.imageRef,
    [...rig.fake.containers.values()][0]?.imageId,
  );
});

Deno.test("ImageService.pullImage() rejects with what the registry said", async () => {
  await using rig = await startCriRig();
  await rejects(rig.cri.images.pullImage({ image: "nothing:1" }), {
    name: "CriError",
    kind: "not_found",
    method: "PullImage",
  });
});

Deno.test("RuntimeService.listContainerStats() tells what containers wrote and hold in memory, once it is measured", async () => {
  await using rig = await startCriRig();
  await runContainer(rig, "web");
  const labels = { "io.kubernetes.container.name": "web" };
  deepStrictEqual(await rig.cri.runtime.listContainerStats(), [
    {
      labels,
      writtenBytes: undefined,
      writtenInodes: undefined,
      cpu: undefined,
      memory: undefined,
    },
  ]);
  const [container] = rig.fake.running("web");
  ok(container !== undefined);
  container.layerBytes = 4096n;
  container.memoryBytes = 8192n;
  container.measuredNanos = 5n;
  container.cpuNanos = 7_000_000_000n;
  const [stats] = await rig.cri.runtime.listContainerStats();
  strictEqual(stats?.writtenBytes, 4096n);
  strictEqual(stats.writtenInodes, 1n);
  deepStrictEqual(stats.memory, {
    atNanos: 5n,
    workingSet: 8192n,
    available: undefined,
    usage: undefined,
    resident: undefined,
    pageFaults: undefined,
    majorPageFaults: undefined,
  });
  deepStrictEqual(stats.cpu, {
    atNanos: 5n,
    usedNanos: 7_000_000_000n,
    nanoCores: undefined,
  });
});

Deno.test("RuntimeService.listContainerStats() tells what was swapped out, if the runtime does", async () => {
  await using rig = await startCriRig();
  await runContainer(rig, "web");
  const [container] = rig.fake.running("web");
  ok(container !== undefined);
  container.swapBytes = 9n;
  container.measuredNanos = 5n;
  const [stats] = await rig.cri.runtime.listContainerStats();
  deepStrictEqual(stats?.swap, {
    atNanos: 5n,
    available: undefined,
    usage: 9n,
  });
});

Deno.test("RuntimeService.listNetworkStats() tells what went over the networks of sandboxes that have one", async () => {
  await using rig = await startCriRig();
  await rig.cri.runtime.runPodSandbox(sandboxConfig("none"));
  const id = await rig.cri.runtime.runPodSandbox(sandboxConfig("web"));
  const sandbox = rig.fake.sandboxes.get(id);
  ok(sandbox !== undefined);
  const figures = (name: string, base: bigint) => ({
    name,
    rxBytes: { value: base },
    rxErrors: { value: base + 1n },
    txBytes: { value: base + 2n },
    txErrors: undefined,
  });
  sandbox.network = {
    timestamp: 7n,
    defaultInterface: figures("eth0", 10n),
    interfaces: [figures("net1", 20n)],
  };
  const shown = (name: string, base: bigint) => ({
    name,
    receivedBytes: base,
    receiveErrors: base + 1n,
    sentBytes: base + 2n,
    sendErrors: undefined,
  });
  deepStrictEqual(await rig.cri.runtime.listNetworkStats(), [{
    podUid: sandbox.config.metadata?.uid,
    atNanos: 7n,
    primary: shown("eth0", 10n),
    others: [shown("net1", 20n)],
  }]);
});

Deno.test("RuntimeService answers of 10 MB arrive", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const annotations = { blob: "x".repeat(1_000_000) };
  for (let n = 0; n < 10; n++) {
    await runtime.runPodSandbox(sandboxConfig(`p${n}`, { annotations }));
  }
  const sandboxes = await runtime.listPodSandbox();
  strictEqual(sandboxes.length, 10);
  strictEqual(sandboxes[9]?.annotations["blob"]?.length, 1_000_000);
});

Deno.test("RuntimeService refuses a message above 16 MiB as resource_exhausted", async () => {
  await using rig = await startCriRig();
  const annotations = { blob: "x".repeat(17 * 1024 * 1024) };
  const config = sandboxConfig("huge", { annotations });
  // A connection that is still being made leaves a timer behind for a moment.
  await rig.cri.runtime.version();
  await rejects(rig.cri.runtime.runPodSandbox(config), {
    kind: "resource_exhausted",
  });
});
