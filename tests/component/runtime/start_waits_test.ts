/**
 * How long a start waits for what, to the millisecond.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { container, pod } from "../../support/pods.ts";
import { fakeRig, unseen } from "../../support/runtime/runtime_rig.ts";
import { until } from "../../support/until.ts";

const SLOW_IMAGE = "localhost/slow:1";

Deno.test("PodExecutor.execute() gives up its place among those that start after 2 s, when another waits", async () => {
  await using both = await fakeRig({ maxParallelStarts: 1 });
  const { rig, fake } = both;
  const { runtime } = rig;
  const make = runtime.runPodSandbox.bind(runtime);
  const answer = Promise.withResolvers<void>();
  runtime.runPodSandbox = async (config, options) => {
    const id = await make(config, options);
    if (config.metadata.uid === "u-slow") await answer.promise;
    return id;
  };
  const slow = pod({ uid: "u-slow", name: "slow" });
  const next = pod();
  const stop = new AbortController();
  const { signal } = stop;
  const hanging = rig.sync(slow, { observed: unseen(slow), signal });
  const givenUp = rejects(hanging, /deleted/);
  await until(() => fake.callsOf("RunPodSandbox").length === 1);
  const starting = rig.sync(next, { observed: unseen(next) });
  const waits = () => rig.activities("u-1").includes("waiting_for_start_place");
  await until(waits);
  await rig.clock.advance(1_999);
  ok(waits());
  await rig.clock.advance(1);
  strictEqual(waits(), false);
  await starting;
  strictEqual(fake.running("c").length, 1);
  stop.abort(new Error("deleted"));
  await givenUp;
  answer.resolve();
});

Deno.test("PodExecutor.execute() leaves a pull that takes longer than 2 s to itself", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  fake.fault("PullImage", { kind: "hang" });
  const subject = pod({ containers: [container("c", { image: SLOW_IMAGE })] });
  const starting = rig.sync(subject, { observed: unseen(subject) });
  const waits = () => rig.activities("u-1").includes("starting_container");
  await until(() => fake.callsOf("PullImage").length === 1);
  await rig.clock.advance(1_999);
  ok(waits());
  await rig.clock.advance(1);
  strictEqual(waits(), false);
  const outcome = await starting;
  deepStrictEqual([outcome.isPulling, outcome.failures], [true, []]);
  rig.executor.keepPulls(pod());
  await until(() => fake.unanswered.unary === 0);
});

for (
  const [what, details, waitMs] of [
    ["a name that a listed sandbox holds", "", 200],
    ["a runtime that is away", "connection refused", 1_000],
  ] as const
) {
  Deno.test(`PodExecutor.execute() tries again after ${waitMs} ms to make a sandbox for ${what}`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    const subject = pod();
    await rig.sync(subject);
    if (details !== "") {
      fake.fault("RunPodSandbox", { kind: "error", code: 14, details });
    }
    // The fake refuses a second sandbox of a name by itself.
    const outcome = await rig.sync(subject, { observed: unseen(subject) });
    strictEqual(outcome.podFailure?.retryAtMs, waitMs);
    strictEqual(outcome.acted, true);
  });
}

Deno.test("PodExecutor.execute() tries again after 200 ms to create a container whose name was taken", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const details = "already exists";
  fake.fault("CreateContainer", { kind: "error", code: 6, details });
  const { failures } = await rig.sync(pod());
  deepStrictEqual(failures.map(({ retryAtMs }) => retryAtMs), [200]);
});

for (const [ms, isTold] of [[1_000, true], [1_001, false]] as const) {
  Deno.test(`PodExecutor.execute() ${isTold ? "tells" : "does not tell"} what the pod is like after starts of ${ms} ms`, async () => {
    await using both = await fakeRig();
    const { clock, runtime } = both.rig;
    const start = runtime.startContainer.bind(runtime);
    runtime.startContainer = async (id, options) => {
      await start(id, options);
      await clock.advance(ms);
    };
    const subject = pod();
    const { observed } = await both.rig.sync(subject, {
      observed: unseen(subject),
    });
    strictEqual(observed !== undefined, isTold);
  });
}

Deno.test("PodExecutor.execute() does not count the time of the sandbox to that of the starts", async () => {
  await using both = await fakeRig();
  const { clock, runtime } = both.rig;
  const make = runtime.runPodSandbox.bind(runtime);
  runtime.runPodSandbox = async (config, options) => {
    const id = await make(config, options);
    await clock.advance(5_000);
    return id;
  };
  const subject = pod();
  const outcome = await both.rig.sync(subject, { observed: unseen(subject) });
  ok(outcome.observed !== undefined);
});

Deno.test("PodExecutor.execute() keeps its place until its container is created", async () => {
  await using both = await fakeRig({ maxParallelStarts: 1 });
  const { rig, fake } = both;
  fake.fault("CreateContainer", { kind: "hang" }, { times: 1 });
  const stop = new AbortController();
  const slow = pod({ uid: "u-slow", name: "slow" });
  const { signal } = stop;
  const hanging = rig.sync(slow, { observed: unseen(slow), signal });
  const givenUp = rejects(hanging, /deleted/);
  await until(() => fake.callsOf("CreateContainer").length === 1);
  const next = pod();
  const starting = rig.sync(next, { observed: unseen(next) });
  const waits = () => rig.activities("u-1").includes("waiting_for_start_place");
  await until(waits);
  stop.abort(new Error("deleted"));
  await givenUp;
  await starting;
  strictEqual(fake.running("c").length, 1);
});

const BUSYBOX = { reference: SLOW_IMAGE, pullPolicy: "IfNotPresent" };
const HOOKED = { postStart: { exec: { command: ["warm-up"] } } };
const RUNTIME = () => ({
  version: { runtimeName: "containerd", runtimeVersion: "2.1.0" },
  handlers: [],
  supplementalGroupsPolicy: false,
});

for (
  const [what, method, spec] of [
    [
      "behind a container that could not be started",
      "CreateContainer",
      { containers: [container("broken"), container("b")] },
    ],
    [
      "with a hook",
      "ExecSync",
      { containers: [container("b", { lifecycle: HOOKED })] },
    ],
    [
      "on an image that is pulled for a volume",
      "PullImage",
      {
        containers: [container("b", {
          volumeMounts: [{ name: "m", mountPath: "/m" }],
        })],
        volumes: [{ name: "m", image: BUSYBOX }],
      },
    ],
  ] as const
) {
  Deno.test(`PodExecutor.execute() keeps no place for a start that lasts ${what}`, async () => {
    await using both = await fakeRig({ maxParallelStarts: 1 }, {
      runtime: RUNTIME,
    });
    const { rig, fake } = both;
    fake.behave("broken", { startError: "no such file or directory" });
    const isOfBroken = (request: unknown) =>
      JSON.stringify(
        request,
        (_, value: unknown) =>
          typeof value === "bigint" ? String(value) : value,
      )
        .includes('"name":"broken"');
    fake.fault(method, { kind: "hang" }, {
      when: (request) => !isOfBroken(request),
      times: 1,
    });
    const stop = new AbortController();
    const slow = pod({ ...spec, uid: "u-slow", name: "slow" });
    const { signal } = stop;
    const hanging = rig.sync(slow, { observed: unseen(slow), signal });
    const givenUp = rejects(hanging, /deleted/);
    const isReached = () =>
      fake.callsOf(method).some(({ request }) => !isOfBroken(request));
    await until(isReached);
    const next = pod();
    const starting = rig.sync(next, { observed: unseen(next) });
    await until(() => fake.running("c").length === 1);
    await starting;
    stop.abort(new Error("deleted"));
    await givenUp;
    await until(() => fake.unanswered.unary === 0);
  });
}

Deno.test("PodExecutor.execute() waits 2 s for the third sandbox when two broke, and no longer", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  for (let made = 0; made < 2; made++) {
    strictEqual((await rig.sync(pod())).podFailure, undefined);
    for (const id of fake.sandboxes.keys()) fake.killSandbox(id);
  }
  const { podFailure, acted } = await rig.sync(pod());
  deepStrictEqual(
    [podFailure?.cause?.kind, podFailure?.retryAtMs, acted],
    ["sandboxes_broke", 2_000, false],
  );
  await rig.clock.advance(2_000);
  strictEqual((await rig.sync(pod())).podFailure, undefined);
  strictEqual(fake.sandboxes.size, 3);
});
