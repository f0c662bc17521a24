/**
 * What an execution says of itself where something does not go as it should.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import { probes } from "../../support/observed_pods.ts";
import { container, IMAGE, pod } from "../../support/pods.ts";
import {
  fakeRig,
  type RuntimeRig,
  unseen,
} from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const HOOKED = { postStart: { exec: { command: ["warm-up"] } } };
const REFUSED = { kind: "error", code: 2, details: "no luck" } as const;

/**
 * Has what an execution left to itself come to its end: the look into the directory of
 * logs, which nobody waits for when no sandbox came of it.
 */
async function settled({ runtime }: RuntimeRig): Promise<void> {
  for (let times = 0; times < 5; times++) await runtime.listPodSandbox();
}

Deno.test("PodExecutor.execute() looks again when a sandbox was finished that an earlier execution gave up", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const { runtime } = rig;
  const make = runtime.runPodSandbox.bind(runtime);
  const answer = Promise.withResolvers<void>();
  runtime.runPodSandbox = async (config, options) => {
    const id = await make(config, options);
    await answer.promise;
    return id;
  };
  const subject = pod();
  const stop = new AbortController();
  const { signal } = stop;
  const observed = unseen(subject);
  const givenUp = rejects(rig.sync(subject, { observed, signal }), /deleted/);
  await until(() => fake.callsOf("RunPodSandbox").length === 1);
  stop.abort(new Error("deleted"));
  await givenUp;
  const again = rig.sync(subject, { observed });
  await until(() => rig.activities("u-1").includes("waiting_for_late_sandbox"));
  answer.resolve();
  const { failures, acted } = await again;
  const [id] = fake.sandboxes.keys();
  deepStrictEqual(
    failures.map(({ reason, message }) => [reason, message]),
    [["SandboxChanged", `Sandbox "${id}" was finished meanwhile`]],
  );
  strictEqual(acted, true);
  strictEqual(fake.callsOf("RunPodSandbox").length, 1);
  // Nothing is under way any more: the next one takes it as it is.
  deepStrictEqual((await rig.sync(subject)).failures, []);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() has changed something when the runtime could not make a sandbox", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("RunPodSandbox", REFUSED);
  strictEqual((await rig.sync(pod())).acted, true);
  await settled(rig);
});

const UNFIT = [
  ["mount", { volumeMounts: [{ name: "none", mountPath: "/none" }] }],
  ["variables", { envFrom: [{ secretRef: { name: "none" } }] }],
] as const;

for (const [what, fields] of UNFIT) {
  Deno.test(`PodExecutor.execute() has changed nothing when a container cannot have its ${what}`, async () => {
    await using both = await fakeRig();
    const { rig } = both;
    const subject = pod({ containers: [container("c", fields)] });
    await rig.sync(subject);
    const outcome = await rig.sync(subject);
    strictEqual(outcome.failures[0]?.reason, "CreateContainerConfigError");
    strictEqual(outcome.acted, false);
  });
}

Deno.test("PodExecutor.execute() has changed something when it ran a hook that was due", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({ containers: [container("c", { lifecycle: HOOKED })] });
  await rig.sync(subject);
  const seen = await rig.look(subject);
  const containers = seen.containers.map((each) => ({
    ...each,
    postStartDue: true as const,
  }));
  const observed = { ...seen, containers };
  const done = await rig.sync(subject, { observed });
  deepStrictEqual([done.acted, done.failures], [true, []]);
  strictEqual(fake.callsOf("ExecSync").length, 2);
  fake.settings.exec = () => ({ exitCode: 1 });
  const failed = await rig.sync(subject, { observed });
  deepStrictEqual(
    failed.failures.map(({ container, reason }) => [container, reason]),
    [["c", "PostStartHookError"]],
  );
});

Deno.test("PodExecutor.execute() leaves it to its caller to see what has vanished since it was started", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const { runtime } = rig;
  const start = runtime.startContainer.bind(runtime);
  runtime.startContainer = async (id, options) => {
    await start(id, options);
    fake.vanish(id);
  };
  const subject = pod();
  const outcome = await rig.sync(subject, { observed: unseen(subject) });
  deepStrictEqual([outcome.acted, outcome.failures], [true, []]);
  strictEqual(outcome.observed, undefined);
});

Deno.test("PodExecutor.execute() starts no container of a pod of which no hosts file can be written", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const subject = pod({ hostNetwork: true, name: "-".repeat(70) });
  const outcome = await rig.sync(subject, { observed: unseen(subject) });
  strictEqual(outcome.podFailure?.reason, "CreateContainerConfigError");
  ok(outcome.podFailure.message.startsWith("Cannot make a host name"));
  strictEqual(fake.callsOf("CreateContainer").length, 0);
});

Deno.test("PodExecutor.execute() asks anew for the image of a container that could not be created", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("CreateContainer", REFUSED, { times: 1 });
  await rig.sync(pod());
  strictEqual(fake.callsOf("ImageStatus").length, 1);
  await rig.sync(pod());
  strictEqual(fake.callsOf("ImageStatus").length, 2);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() pulls for each start of a container whose image is always pulled", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.setRegistry(IMAGE, { kind: "image", image: { ref: IMAGE } });
  const subject = pod({
    containers: [container("c", { imagePullPolicy: "Always" })],
  });
  for (const pulls of [1, 2]) {
    deepStrictEqual((await rig.sync(subject)).failures, []);
    strictEqual(fake.callsOf("PullImage").length, pulls);
    for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
  }
});

Deno.test("PodExecutor.execute() does not count a start that waits for its image to the crashes", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.setRegistry(IMAGE, { kind: "image", image: { ref: IMAGE } });
  const subject = pod({
    containers: [container("c", { imagePullPolicy: "Always" })],
  });
  await rig.sync(subject);
  for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
  fake.fault("PullImage", { kind: "hang" }, { times: 1 });
  const pulling = rig.sync(subject);
  await until(() => fake.callsOf("PullImage").length === 2);
  await rig.clock.advance(2_000);
  strictEqual((await pulling).isPulling, true);
  const still = await rig.sync(subject);
  deepStrictEqual([still.isPulling, still.failures], [true, []]);
  rig.executor.keepPulls(pod({ containers: [] }));
  deepStrictEqual((await rig.sync(subject)).failures, []);
  strictEqual(fake.running("c").length, 1);
});

Deno.test("PodExecutor.execute() takes every part of a secret path out of what it says", async () => {
  const message = '"hunter2" of "a//hunter2" is no directory';
  const env = [{ name: "DIR", value: "hunter2" }];
  const volumeMounts = [
    { name: "v", mountPath: "/d", subPathExpr: "a//$(DIR)" },
  ];
  await using both = await fakeRig({}, {
    subPaths: {
      resolve: () => Promise.resolve({ kind: "refused", message }),
      isUnchanged: () => Promise.resolve(true),
    },
  });
  const subject = pod({ containers: [container("c", { env, volumeMounts })] });
  const volumes = new Map([["v", { hostPath: "/v", readOnly: false }]]);
  const { failures } = await both.rig.sync(subject, { volumes });
  deepStrictEqual(failures.map((failure) => failure.message), [
    'Cannot mount volume "v" at "/d": "…" of "a//$(DIR)" is no directory',
  ]);
});

Deno.test("PodExecutor.execute() fails as little as it must where a directory stands in the place of the hosts file", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await Deno.mkdir(`${rig.podsDir}/u-1/etc-hosts`, { recursive: true });
  const reasons: (string | undefined)[] = [];
  // The first needs no hosts file; the second waits for it.
  for (const image of ["Upper", IMAGE]) {
    const subject = pod({ containers: [container("c", { image })] });
    const { failures } = await rig.sync(subject);
    reasons.push(...failures.map(({ reason }) => reason));
  }
  deepStrictEqual(reasons, ["InvalidImageName", "CreateContainerError"]);
  strictEqual(fake.callsOf("CreateContainer").length, 0);
});

Deno.test("PodExecutor.execute() says at a container's first start that its stop signal is ignored", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const { runtime } = rig;
  const ask = runtime.containerStatus.bind(runtime);
  runtime.containerStatus = async (id, options) => {
    const { stopSignal: _, ...status } = await ask(id, options);
    return status;
  };
  const lifecycle = { stopSignal: "SIGUSR1" };
  const subject = pod({
    containers: [container("c", { lifecycle }), container("plain")],
  });
  await rig.sync(subject);
  for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
  await rig.sync(subject);
  strictEqual(fake.running("c").length, 1);
  deepStrictEqual(
    rig.events.filter(({ reason }) => reason === "StopSignalIgnored")
      .map(({ message, fieldPath }) => [message, fieldPath]),
    [[
      'The runtime does not know stop signals: "SIGUSR1" is not sent, the image\'s own signal is',
      "spec.containers{c}",
    ]],
  );
});

Deno.test("PodExecutor.execute() says why it could not look at the sandbox that it made", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("PodSandboxStatus", REFUSED);
  const subject = pod();
  const outcome = await rig.sync(subject, { observed: unseen(subject) });
  strictEqual(outcome.podFailure?.reason, "CreatePodSandboxError");
  strictEqual(outcome.acted, true);
  deepStrictEqual(rig.told(), [
    "FailedPodSandBoxStatus: Unable to get pod sandbox status: no luck",
  ]);
  await settled(rig);
});

for (const hostNetwork of [true, false]) {
  Deno.test(`PodExecutor.execute() tells a container the address of its pod, ${hostNetwork ? "which is the node's" : "which is its own"}`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const valueFrom = { fieldRef: { fieldPath: "status.podIP" } };
    const env = [{ name: "IP", valueFrom }];
    const subject = pod({ hostNetwork, containers: [container("c", { env })] });
    await rig.sync(subject);
    const [told] = fake.running("c")[0]?.config.envs ?? [];
    const [own] = (await rig.look(subject)).ips;
    strictEqual(
      new TextDecoder().decode(told?.value),
      hostNetwork ? "192.0.2.1" : own,
    );
  });
}

Deno.test("PodExecutor.execute() starts nothing in a sandbox that is not there", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(pod());
  for (const { id } of fake.running("c")) fake.exitContainer(id, 1);
  const seen = await rig.look(pod());
  const outcome = await rig.executor.execute({
    pod: pod(),
    observed: { ...seen, sandboxes: [] },
    plan: planPod({ pod: pod(), observed: seen, probes: probes() }),
    volumes: new Map(),
    signal: rig.signal,
  });
  deepStrictEqual(
    [outcome.podFailure?.reason, outcome.podFailure?.message, outcome.acted],
    [
      "CreatePodSandboxError",
      "Cannot start containers: the pod has no sandbox",
      false,
    ],
  );
  strictEqual(fake.callsOf("CreateContainer").length, 1);
});
