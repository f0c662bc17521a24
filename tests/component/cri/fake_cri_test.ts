/**
 * The fake runtime itself: what it refuses, how its containers live and end, and
 * how it fails on demand.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { CODE } from "../../support/fake_cri/status_error.ts";
import { normalizeReference } from "../../support/fake_cri/image_store.ts";
import {
  containerConfig,
  type CriRig,
  runContainer,
  sandboxConfig,
  startCriRig,
} from "../../support/cri/cri_rig.ts";
import { until } from "../../support/until.ts";

Deno.test("FakeCri refuses a second sandbox of the same name and attempt", async () => {
  await using rig = await startCriRig();
  const first = await rig.cri.runtime.runPodSandbox(sandboxConfig("p"));
  await rejects(rig.cri.runtime.runPodSandbox(sandboxConfig("p")), {
    kind: "failed",
    detail: new RegExp(`is reserved for "${first}"`),
  });
});

Deno.test("FakeCri refuses a second container of the same name and attempt", async () => {
  await using rig = await startCriRig();
  const { sandboxId } = await runContainer(rig, "web");
  await rejects(create(rig, sandboxId, "web"), {
    kind: "failed",
    detail: /is reserved for/,
  });
});

Deno.test("FakeCri refuses a container whose image is not there", async () => {
  await using rig = await startCriRig();
  const sandboxId = await rig.cri.runtime.runPodSandbox(sandboxConfig("p"));
  const config = containerConfig("app", { image: { image: "nothing" } });
  await rejects(
    rig.cri.runtime.createContainer({
      sandboxId,
      config,
      sandboxConfig: sandboxConfig("p"),
    }),
    { kind: "not_found" },
  );
});

Deno.test("FakeCri refuses a container in a sandbox that ended", async () => {
  await using rig = await startCriRig();
  const sandboxId = await rig.cri.runtime.runPodSandbox(sandboxConfig("p"));
  rig.fake.killSandbox(sandboxId);
  await rejects(create(rig, sandboxId, "app"), { kind: "failed" });
});

Deno.test("FakeCri refuses to start a container twice", async () => {
  await using rig = await startCriRig();
  const { containerId } = await runContainer(rig, "web");
  await rejects(rig.cri.runtime.startContainer(containerId), {
    kind: "failed",
    detail: /CONTAINER_RUNNING/,
  });
});

Deno.test("FakeCri refuses a sandbox with a network while there is none", async () => {
  await using rig = await startCriRig();
  rig.fake.settings.networkReady = false;
  await rejects(rig.cri.runtime.runPodSandbox(sandboxConfig("p")), {
    detail: /cni plugin not initialized/,
  });
});

Deno.test("FakeCri containers run on when their sandbox ends", async () => {
  await using rig = await startCriRig();
  const { sandboxId, containerId } = await runContainer(rig, "web");
  rig.fake.killSandbox(sandboxId);
  strictEqual(rig.fake.containers.get(containerId)?.state, "running");
  await rig.cri.runtime.stopPodSandbox(sandboxId);
  strictEqual(rig.fake.containers.get(containerId)?.exitCode, 137);
});

Deno.test("FakeCri removes a sandbox with its containers", async () => {
  await using rig = await startCriRig();
  const { sandboxId } = await runContainer(rig, "web");
  await rig.cri.runtime.removePodSandbox(sandboxId);
  strictEqual(rig.fake.containers.size, 0);
  strictEqual(rig.fake.sandboxes.size, 0);
});

Deno.test("FakeCri gives an address again once its sandbox has ended", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  const a = await runtime.runPodSandbox(sandboxConfig("a"));
  await runtime.runPodSandbox(sandboxConfig("b"));
  await runtime.stopPodSandbox(a);
  const c = await runtime.runPodSandbox(sandboxConfig("c"));
  strictEqual((await runtime.podSandboxStatus(c)).ip, "10.88.0.2");
  strictEqual((await runtime.podSandboxStatus(a)).ip, "");
});

Deno.test("FakeCri timestamps rise on a clock that stands still", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  const { containerId } = await runContainer(rig, "web");
  rig.fake.exitContainer(containerId, 0);
  const status = await rig.cri.runtime.containerStatus(containerId);
  ok(status.createdAt < status.startedAt);
  ok(status.startedAt < status.finishedAt);
  strictEqual(status.createdAt / 1_000_000n, BigInt(fakeClock.now()));
});

Deno.test("FakeCri containers end by themselves when told to", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  rig.fake.behave("web", { exit: { code: 3, afterMs: 1_000 } });
  const { containerId } = await runContainer(rig, "web");
  await fakeClock.advance(999);
  strictEqual(rig.fake.running("web").length, 1);
  await fakeClock.advance(1);
  const status = await rig.cri.runtime.containerStatus(containerId);
  strictEqual(status.exitCode, 3);
  strictEqual(status.finishedAt / 1_000_000n, BigInt(fakeClock.now()));
});

Deno.test("FakeCri containers obey SIGTERM unless told otherwise", async () => {
  await using rig = await startCriRig();
  const { containerId } = await runContainer(rig, "web");
  await rig.cri.runtime.stopContainer(containerId, 30);
  strictEqual(rig.fake.containers.get(containerId)?.exitCode, 143);
});

Deno.test("FakeCri kills a container that ignores SIGTERM when its grace is over", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  rig.fake.behave("web", { onTerm: "ignore" });
  const { containerId } = await runContainer(rig, "web");
  const stopped = rig.cri.runtime.stopContainer(containerId, 30);
  await until(() => rig.fake.callsOf("StopContainer").length === 1);
  await fakeClock.advance(29_999);
  strictEqual(rig.fake.running("web").length, 1);
  await fakeClock.advance(1);
  await stopped;
  strictEqual(rig.fake.containers.get(containerId)?.exitCode, 137);
});

Deno.test("FakeCri containers can fail to start", async () => {
  await using rig = await startCriRig();
  rig.fake.behave("web", { startError: "exec: no such file" });
  await rejects(runContainer(rig, "web"), { detail: /exec: no such file/ });
  const [container] = rig.fake.containers.values();
  strictEqual(container?.state, "exited");
  strictEqual(container.exitCode, 128);
});

Deno.test("FakeCri commands run into their limit as in containerd", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  const { containerId } = await runContainer(rig, "web");
  rig.fake.settings.exec = () => ({ afterMs: 5_000 });
  const result = rejects(
    rig.cri.runtime.execSync(containerId, ["x"], { timeoutSeconds: 2 }),
    { kind: "deadline", detail: /timeout 2s exceeded/ },
  );
  await until(() => fakeClock.pendingTimers === 1);
  await fakeClock.advance(2_000);
  await result;
});

Deno.test("FakeCri keeps its state over a restart", async () => {
  await using rig = await startCriRig();
  const { containerId } = await runContainer(rig, "web");
  await rig.fake.restart();
  // The first calls may still go to the connection that broke.
  await rig.cri.ready(new AbortController().signal);
  const status = await rig.cri.runtime.containerStatus(containerId);
  strictEqual(status.state, "running");
});

Deno.test("FakeCri.vanish() leaves no trace", async () => {
  await using rig = await startCriRig();
  const { sandboxId, containerId } = await runContainer(rig, "web");
  rig.fake.vanish(containerId);
  await rejects(rig.cri.runtime.containerStatus(containerId), {
    kind: "not_found",
  });
  rig.fake.vanish(sandboxId);
  deepStrictEqual(await rig.cri.runtime.listPodSandbox(), []);
});

Deno.test("FakeCri.calls records requests as they came", async () => {
  await using rig = await startCriRig();
  await rig.cri.runtime.stopContainer("c1", 30);
  deepStrictEqual(
    rig.fake.calls.map(({ method, request }) => [method, request]),
    [["StopContainer", { containerId: "c1", timeout: 30n }]],
  );
});

Deno.test("FakeCri.fault() hits as often as told, and only what it is for", async () => {
  await using rig = await startCriRig();
  const { runtime } = rig.cri;
  rig.fake.fault(
    "StopContainer",
    { kind: "error", code: CODE.unknown, details: "busy" },
    {
      times: 1,
      when: (request) =>
        typeof request === "object" && request !== null &&
        "containerId" in request && request.containerId === "c1",
    },
  );
  await runtime.stopContainer("c2", 0);
  await rejects(runtime.stopContainer("c1", 0), { detail: "busy" });
  await runtime.stopContainer("c1", 0);
});

Deno.test("FakeCri.clearFaults() ends them all", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("Version", { kind: "hang" });
  rig.fake.clearFaults();
  await rig.cri.runtime.version();
});

Deno.test("FakeCri delays by its own clock", async () => {
  const fakeClock = new FakeClock();
  await using rig = await startCriRig({ fakeClock });
  rig.fake.fault("RunPodSandbox", { kind: "delay", ms: 60_000 });
  const running = rig.cri.runtime.runPodSandbox(sandboxConfig("p"));
  await until(() => fakeClock.pendingTimers === 1);
  strictEqual(rig.fake.sandboxes.size, 0);
  await fakeClock.advance(60_000);
  await running;
  strictEqual(rig.fake.sandboxes.size, 1);
});

Deno.test("FakeCri can do what was asked and never say so", async () => {
  await using rig = await startCriRig();
  rig.fake.fault("RunPodSandbox", { kind: "drop_reply", reply: "never" });
  const controller = new AbortController();
  const running = rejects(
    rig.cri.runtime.runPodSandbox(sandboxConfig("p"), {
      signal: controller.signal,
    }),
    { kind: "cancelled" },
  );
  await until(() => rig.fake.sandboxes.size === 1);
  controller.abort();
  await running;
});

const REFERENCES = [
  ["busybox", "docker.io/library/busybox:latest"],
  ["busybox:1.35", "docker.io/library/busybox:1.35"],
  ["me/app", "docker.io/me/app:latest"],
  ["localhost/app:1", "localhost/app:1"],
  ["localhost:5000/app", "localhost:5000/app:latest"],
  ["example.org/a/b@sha256:0f", "example.org/a/b@sha256:0f"],
] as const;

for (const [short, full] of REFERENCES) {
  Deno.test(`normalizeReference() makes ${full} of ${short}`, () => {
    strictEqual(normalizeReference(short), full);
  });
}

function create(
  { cri }: CriRig,
  sandboxId: string,
  name: string,
): Promise<string> {
  return cri.runtime.createContainer({
    sandboxId,
    config: containerConfig(name),
    sandboxConfig: sandboxConfig(name),
  });
}
