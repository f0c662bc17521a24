/**
 * Executing plans against a fake runtime.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { container, IMAGE, pod, podOfThree } from "../../support/pods.ts";
import { fakeRig, unseen } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const KILLED = 9;

Deno.test("PodExecutor.execute() starts a pod with as few calls as possible, in order", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();

  const outcome = await rig.sync(subject, { observed: unseen(subject) });

  deepStrictEqual([outcome.failures, outcome.isPulling], [[], false]);
  const methods = fake.calls.map(({ method }) => method);
  // The image is looked up beside the sandbox; the order of these two is open.
  deepStrictEqual(methods.slice(0, 2).sort(), ["ImageStatus", "RunPodSandbox"]);
  deepStrictEqual(methods.slice(2), [
    "PodSandboxStatus",
    "CreateContainer",
    "StartContainer",
    "ContainerStatus",
  ]);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() tells what the pod is like now, as a fresh look does", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  const subject = pod();
  const outcome = await rig.sync(subject, { observed: unseen(subject) });
  deepStrictEqual(outcome.observed?.pod, await rig.look(subject));
  ok((outcome.observed?.atMs ?? 0) > outcome.actedAtMs);
});

Deno.test("PodExecutor.execute() tells the events of a start", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  await rig.sync(pod());
  deepStrictEqual(rig.told(), [
    `Pulled: Container image "${IMAGE}" already present on machine and can be accessed by the pod`,
    "Created: Container created",
    "Started: Container started",
  ]);
  ok(rig.events.every(({ fieldPath }) => fieldPath === "spec.containers{c}"));
});

Deno.test("PodExecutor.execute() asks less for a pod on the node's network", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({ hostNetwork: true });
  const outcome = await rig.sync(subject, { observed: unseen(subject) });
  strictEqual(fake.callsOf("PodSandboxStatus").length, 0);
  const { sandboxes: [sandbox] = [], ips } = outcome.observed?.pod ?? {};
  deepStrictEqual([sandbox?.hostNetwork, sandbox?.ready, ips], [
    true,
    true,
    [],
  ]);
});

Deno.test("PodExecutor.execute() prepares logs, hosts file and termination log", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  const subject = pod();
  await rig.sync(subject);
  const [ip] = (await rig.look(subject)).ips;
  const hosts = await Deno.readTextFile(`${rig.podsDir}/u-1/etc-hosts`);
  ok(hosts.includes(`${ip}\tweb\n`), hosts);
  const logs = await Deno.stat(`${rig.logDirectory(subject)}/c`);
  ok(logs.isDirectory);
  const directory = `${rig.podsDir}/u-1/containers/c`;
  const [last] = await Array.fromAsync(Deno.readDir(directory));
  ok(/^[0-9a-f]{8}$/.test(last?.name ?? ""));
  const { mode } = await Deno.stat(`${directory}/${last?.name}`);
  strictEqual((mode ?? 0) & 0o777, 0o666);
});

Deno.test("PodExecutor.execute() does nothing for a pod that is as it should be", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  await rig.sync(subject);
  const observed = await rig.look(subject);
  fake.calls.length = 0;
  const outcome = await rig.sync(subject, { observed });
  strictEqual(outcome.acted, false);
  deepStrictEqual(fake.calls, []);
});

Deno.test("PodExecutor.execute() starts the other containers when one fails", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.behave("b", { startError: "no such file or directory" });
  const outcome = await rig.sync(podOfThree());
  deepStrictEqual(
    outcome.failures.map(({ container, reason }) => [container, reason]),
    [["b", "RunContainerError"]],
  );
  deepStrictEqual(
    ["a", "b", "c"].map((name) => fake.running(name).length),
    [1, 0, 1],
  );
  // What failed half way is not described from memory.
  strictEqual(outcome.observed, undefined);
});

Deno.test("PodExecutor.execute() restarts a crashed container at once, then waits", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  await rig.sync(subject);
  for (const expected of [1, 2]) {
    for (const { id } of fake.running("c")) fake.exitContainer(id, KILLED);
    const outcome = await rig.sync(subject);
    if (expected === 1) {
      deepStrictEqual(outcome.failures, []);
      strictEqual(outcome.acted, true);
      continue;
    }
    const [failure] = outcome.failures;
    strictEqual(failure?.reason, "CrashLoopBackOff");
    strictEqual(
      failure?.message,
      "back-off 10s restarting failed container=c pod=web_shop(u-1)",
    );
    strictEqual(failure?.retryAtMs, rig.clock.monotonic() + 10_000);
    strictEqual(outcome.acted, false);
  }
  ok(
    rig.told().includes(
      "BackOff: Back-off restarting failed container c in pod web_shop(u-1)",
    ),
  );
  const counts = (await rig.look(subject)).containers
    .map(({ restartCount }) => restartCount);
  deepStrictEqual(counts, [1, 0]);
});

Deno.test("PodExecutor.execute() replaces a pod whose sandbox died", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod();
  await rig.sync(subject);
  const [first] = fake.sandboxes.keys();
  fake.killSandbox(first ?? "");
  const outcome = await rig.sync(subject);
  deepStrictEqual(outcome.failures, []);
  ok(
    rig.told().includes(
      "SandboxChanged: Pod sandbox changed, it will be killed and re-created.",
    ),
  );
  const observed = await rig.look(subject);
  deepStrictEqual(
    observed.sandboxes.map(({ attempt, ready }) => [attempt, ready]),
    [[1, true], [0, false]],
  );
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() stops at an ordinary init container that cannot start", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.behave("i1", { startError: "exec format error" });
  const outcome = await rig.sync(
    pod({ initContainers: [container("i1")] }),
  );
  strictEqual(outcome.failures[0]?.container, "i1");
  strictEqual(fake.containers.size, 1);
});

Deno.test("PodExecutor.execute() tells why a sandbox cannot be made and pauses", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", {
    kind: "error",
    code: 2,
    details: "no address left",
  });
  const subject = pod();
  const outcome = await rig.sync(subject);
  strictEqual(outcome.podFailure?.reason, "CreatePodSandboxError");
  deepStrictEqual(rig.told(), [
    "FailedCreatePodSandBox: Failed to create pod sandbox: no address left",
  ]);
  const again = await rig.sync(subject);
  ok((again.podFailure?.retryAtMs ?? 0) > rig.clock.monotonic());
  strictEqual(fake.callsOf("RunPodSandbox").length, 1);
});

Deno.test("PodExecutor.execute() refuses what cannot be configured, without a container", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const mount = { name: "data", mountPath: "/data" };
  const outcome = await rig.sync(
    pod({ containers: [container("c", { volumeMounts: [mount] })] }),
  );
  strictEqual(outcome.failures[0]?.reason, "CreateContainerConfigError");
  strictEqual(fake.callsOf("CreateContainer").length, 0);
  ok(rig.told().some((text) => text.startsWith("Failed: Error: Cannot mount")));
});

for (const method of ["RunPodSandbox", "CreateContainer", "StartContainer"]) {
  Deno.test(`PodExecutor.execute() recovers when the reply to ${method} is lost`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    fake.fault(method, { kind: "drop_reply" }, { times: 1 });
    const subject = pod();
    const failed = await rig.sync(subject);
    ok(failed.failures.length > 0 || failed.podFailure !== undefined);
    strictEqual(failed.observed, undefined);
    await rig.sync(subject);
    strictEqual(fake.running("c").length, 1);
    const observed = await rig.look(subject);
    strictEqual(observed.sandboxes.length, 1);
    strictEqual(observed.containers[0]?.restartCount, 0);
  });
}

Deno.test("PodExecutor.execute() runs a postStart hook and kills the container when it fails", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.settings.exec = () => ({ exitCode: 1 });
  const lifecycle = { postStart: { exec: { command: ["false"] } } };
  const outcome = await rig.sync(
    pod({ containers: [container("c", { lifecycle })] }),
  );
  strictEqual(outcome.failures[0]?.reason, "PostStartHookError");
  deepStrictEqual(rig.told().slice(-2), [
    "FailedPostStartHook: PostStartHook failed",
    "Killing: FailedPostStartHook",
  ]);
  strictEqual(fake.running("c").length, 0);
});

Deno.test("PodExecutor.execute() can be aborted while a sandbox hangs; killPod() ends what came of it", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", { kind: "delay", ms: 300 });
  const subject = pod();
  const stop = new AbortController();
  const running = rig.sync(subject, { signal: stop.signal });
  await until(() => fake.callsOf("RunPodSandbox").length === 1);
  stop.abort(new Error("the pod is going away"));
  await rejects(running, /going away/);
  strictEqual(fake.sandboxes.size, 0);

  const observed = await rig.look(subject);
  const { signal } = rig;
  const killing = rig.executor.killPod({ pod: subject, observed, signal });
  await until(() => rig.activities("u-1").includes("waiting_for_late_sandbox"));
  await rig.clock.advance(300);
  await killing;

  deepStrictEqual([...fake.sandboxes.values()].map(({ state }) => state), [
    "not_ready",
  ]);
});

Deno.test("PodExecutor.execute() starts no more pods at once than allowed", async () => {
  await using both = await fakeRig({ maxParallelStarts: 2 });
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", { kind: "delay", ms: 50 });
  const pods = [1, 2, 3, 4, 5].map((n) =>
    pod({ uid: `u-${n}`, name: `p${n}` })
  );
  const all = Promise.all(
    pods.map((each) => rig.sync(each, { observed: unseen(each) })),
  );
  const waiting = () =>
    pods.filter(({ metadata: { uid } }) =>
      rig.activities(uid).includes("waiting_for_start_place")
    ).length;
  const called = () => fake.callsOf("RunPodSandbox").length;
  // The others wait although the runtime would take them.
  for (const [calls, left] of [[2, 3], [4, 1], [5, 0]] as const) {
    await until(() => called() === calls && waiting() === left);
    await rig.clock.advance(50);
  }
  await all;
  strictEqual(fake.running("c").length, 5);
});

Deno.test("PodExecutor.execute() does not let a pull keep others from starting", async () => {
  await using both = await fakeRig({ maxParallelStarts: 1 });
  const { rig, fake } = both;
  fake.setRegistry("localhost/slow:1", {
    kind: "image",
    image: { ref: "localhost/slow:1" },
  });
  fake.fault("PullImage", { kind: "hang" });
  const slow = pod({
    uid: "u-slow",
    name: "slow",
    containers: [container("c", { image: "localhost/slow:1" })],
  });
  const stop = new AbortController();
  const pulling = rig.sync(slow, { signal: stop.signal });
  await until(() => fake.callsOf("PullImage").length === 1);
  await rig.sync(pod());
  strictEqual(fake.running("c").length, 1);
  stop.abort(new Error("deleted"));
  await rejects(pulling, /deleted/);
});

const HOLDER = "4837".repeat(16);
const TAKEN = {
  kind: "error",
  code: 2,
  details: `name "web_shop_u-1_0" is reserved for "${HOLDER}"`,
} as const;

Deno.test("PodExecutor.execute() frees the name of a sandbox that is not to be seen", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", TAKEN, { times: 1 });
  await rig.sync(pod());
  for (const method of ["StopPodSandbox", "RemovePodSandbox"]) {
    const requests = fake.callsOf(method).map(({ request }) => request);
    deepStrictEqual(requests, [{ podSandboxId: HOLDER }]);
  }
});

Deno.test("PodExecutor.execute() frees the name of a container that is not to be seen", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("CreateContainer", TAKEN, { times: 1 });
  const subject = pod();
  const outcome = await rig.sync(subject);
  const [failure] = outcome.failures;
  strictEqual(failure?.reason, "CreateContainerError");
  strictEqual(failure?.retryAtMs, rig.clock.monotonic() + 200);
  deepStrictEqual(
    fake.callsOf("RemoveContainer").map(({ request }) => request),
    [{ containerId: HOLDER }],
  );
  deepStrictEqual((await rig.sync(subject)).failures, []);
});

Deno.test("PodExecutor.execute() looks again soon when the runtime went away", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", {
    kind: "error",
    code: 14,
    details: "connection refused",
  }, { times: 1 });
  const outcome = await rig.sync(pod());
  const retryAtMs = rig.clock.monotonic() + 1_000;
  strictEqual(outcome.podFailure?.retryAtMs, retryAtMs);
  deepStrictEqual((await rig.sync(pod())).failures, []);
});

Deno.test("PodExecutor.execute() puts no container into a sandbox without an address", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const { runtime } = rig;
  const ask = runtime.podSandboxStatus.bind(runtime);
  runtime.podSandboxStatus = async (id, options) => ({
    ...await ask(id, options),
    ip: "",
  });
  const outcome = await rig.sync(pod());
  strictEqual(outcome.podFailure?.reason, "CreatePodSandboxError");
  strictEqual(fake.callsOf("CreateContainer").length, 0);
  // The next one is not made at once, although the first is of no use.
  strictEqual((await rig.sync(pod())).acted, false);
});

Deno.test("PodExecutor.execute() restarts all containers in place when an exit asks for it", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const rules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [7] },
  }];
  const asking = { restartPolicy: "Never", restartPolicyRules: rules };
  const subject = pod({
    containers: [container(), container("d", asking)],
  });
  await rig.sync(subject);
  for (const { id } of fake.running("d")) fake.exitContainer(id, 7);
  const outcome = await rig.sync(subject);
  strictEqual(outcome.failures[0]?.reason, "RestartingAllContainers");
  strictEqual(fake.containers.size, 0);
  await rig.sync(subject);
  deepStrictEqual(
    ["c", "d"].map((name) => fake.running(name).length),
    [1, 1],
  );
  strictEqual(fake.sandboxes.size, 1);
});
