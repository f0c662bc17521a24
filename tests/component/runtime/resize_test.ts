/**
 * Resizing pods in place against a fake runtime.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { buildConditions } from "../../../mod/pod/status/mod.ts";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import {
  NO_POD_CGROUPS,
  type PodCgroups,
} from "../../../mod/runtime/resources/mod.ts";
import { container, pod } from "../../support/pods.ts";
import { fakeRig, type RuntimeRig } from "../../support/runtime/runtime_rig.ts";

const UID = "fixed-uid";

/** A pod of container c with these limits. */
function limited(limits: Readonly<Record<string, string>> | undefined): Pod {
  const fields = limits && { resources: { limits, requests: limits } };
  return pod({ uid: UID, containers: [container("c", fields)] });
}

const SMALL = { cpu: "100m", memory: "32Mi" };
const LARGE = { cpu: "200m", memory: "9007199254740993" };

/** Writes down what is asked of it, between the calls of the runtime. */
function recordingCgroups(
  told: string[],
  excess: () => bigint = () => 0n,
): PodCgroups {
  const tell = (what: string): Promise<void> => {
    told.push(what);
    return Promise.resolve();
  };
  return {
    ...NO_POD_CGROUPS,
    ensure: () => tell("ensure"),
    update: (_pod, { only = "all" } = {}) => tell(`update ${only}`),
    memoryExcess: () => Promise.resolve(excess()),
  };
}

Deno.test("PodExecutor.execute() resizes memory, then CPU, in a pod's cgroup that is wide enough (RT-32)", async () => {
  const told: string[] = [];
  await using both = await fakeRig({}, { cgroups: recordingCgroups(told) });
  const { rig, fake } = both;
  await rig.sync(limited(SMALL));
  deepStrictEqual(told, ["ensure", "update all"]);
  told.length = 0;
  const [before] = fake.running("c");

  const outcome = await rig.sync(limited(LARGE));

  deepStrictEqual([outcome.failures, outcome.acted], [[], true]);
  const calls = fake.callsOf("UpdateContainerResources");
  deepStrictEqual(calls.map(({ request }) => linuxOf(request)), [
    { cpuQuota: 10_000n, cpuShares: 102n, memory: 9007199254740993n },
    { cpuQuota: 20_000n, cpuShares: 204n, memory: 9007199254740993n },
  ]);
  deepStrictEqual(told, ["update memory", "update cpu"]);
  strictEqual(fake.running("c")[0]?.id, before?.id);
  strictEqual((await rig.sync(limited(LARGE))).acted, false);
  ok(rig.told().some((line) => line.startsWith("ResizeStarted: ")));
  ok(
    rig.told().some((event) =>
      event.startsWith('ResizeCompleted: Pod resize completed: {"containers":[')
    ),
  );
});

Deno.test("PodExecutor.execute() resizes a pod as a whole once, and knows it afterwards", async () => {
  const told: string[] = [];
  await using both = await fakeRig({}, { cgroups: recordingCgroups(told) });
  const { rig } = both;
  const whole = (limits: typeof SMALL): Pod =>
    pod({ uid: UID, resources: { limits, requests: limits } });
  await rig.sync(whole(SMALL));
  told.length = 0;
  deepStrictEqual((await rig.sync(whole(LARGE))).failures, []);
  ok(told.includes("update cpu"), told.join());
  told.length = 0;
  strictEqual((await rig.sync(whole(LARGE))).acted, false);
  deepStrictEqual(told, []);
  const path = `${rig.podsDir}/${UID}/record.json`;
  const record = JSON.parse(await Deno.readTextFile(path));
  deepStrictEqual(record.record.resources.pod.limits, LARGE);
});

Deno.test("PodExecutor.execute() writes down what a container was started with", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(limited(SMALL));
  const path = `${rig.podsDir}/${UID}/record.json`;
  const { record } = JSON.parse(await Deno.readTextFile(path));
  deepStrictEqual(record.resources.containers, {
    c: {
      id: fake.running("c")[0]?.id,
      resources: { requests: SMALL, limits: SMALL },
    },
  });
});

Deno.test("PodExecutor.execute() sets free what is not limited any more", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  const requests = { cpu: "50m", memory: "1Mi" };
  const burstable = (limits: Readonly<Record<string, string>>) => {
    const resources = { requests, limits };
    return pod({ uid: UID, containers: [container("c", { resources })] });
  };
  await rig.sync(burstable({ memory: "32Mi" }));
  await rig.sync(burstable({}));
  deepStrictEqual(
    fake.callsOf("UpdateContainerResources").map(({ request }) =>
      linuxOf(request)
    ),
    [{ cpuQuota: -1n, cpuShares: 51n, memory: -1n }],
  );
  const reasons = rig.events.map(({ reason }) => reason);
  deepStrictEqual(reasons.slice(-2), ["ResizeStarted", "ResizeCompleted"]);
});

Deno.test("PodExecutor.execute() tells of a resize that failed and tries again", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(limited(SMALL));
  const fault = {
    kind: "error",
    code: 2,
    details: "device or resource busy",
  } as const;
  fake.fault("UpdateContainerResources", fault, { times: 1 });
  const failed = await rig.sync(limited(LARGE));
  deepStrictEqual(failed.failures.map(({ reason }) => reason), [
    "ResizePodInPlaceError",
  ]);
  ok(failed.acted);
  ok(rig.told().some((text) => /^ResizeError: .*resource busy/.test(text)));
  const condition = await resizeCondition(rig, limited(LARGE));
  strictEqual(condition?.reason, "Error");
  ok(condition?.message?.includes("device or resource busy"));
  deepStrictEqual((await rig.sync(limited(LARGE))).failures, []);
  strictEqual(await resizeCondition(rig, limited(LARGE)), undefined);
});

Deno.test("PodExecutor.execute() does not take memory that is in use", async () => {
  const told: string[] = [];
  let excess = 4096n;
  await using both = await fakeRig({}, {
    cgroups: recordingCgroups(told, () => excess),
  });
  const { rig, fake } = both;
  await rig.sync(limited(LARGE));
  const refused = await rig.sync(limited(SMALL));
  ok(refused.failures[0]?.message.includes("uses 4096 bytes more"));
  strictEqual(fake.callsOf("UpdateContainerResources").length, 0);
  excess = 0n;
  await rig.sync(limited(SMALL));
  strictEqual(fake.callsOf("UpdateContainerResources").length, 2);
});

Deno.test("PodExecutor.execute() knows what another agent's containers were given", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(limited(SMALL));
  const path = `${rig.podsDir}/${UID}/record.json`;
  const record = await Deno.readTextFile(path);
  await using next = await both.connect();
  await Deno.mkdir(`${next.podsDir}/${UID}`, { recursive: true });
  await Deno.writeTextFile(`${next.podsDir}/${UID}/record.json`, record);

  await next.sync(limited({ ...SMALL, cpu: "300m" }));

  deepStrictEqual(
    fake.callsOf("UpdateContainerResources").map(({ request }) =>
      linuxOf(request)
    ),
    [{ cpuQuota: 30_000n, cpuShares: 307n, memory: 32n << 20n }],
  );
});

for (
  const [name, text] of [
    ["half a record", '{"version":1,"sha256":"'],
    [
      "a record of another shape",
      sealed({ containers: { c: { id: 7 } }, qosClass: 1 }),
    ],
    [
      "no quantities",
      sealed({
        containers: { c: { id: "x", resources: { limits: { cpu: "much" } } } },
      }),
    ],
  ] as const
) {
  Deno.test(`PodExecutor.execute() goes by what the runtime tells with ${name}`, async () => {
    await using both = await fakeRig();
    const { rig, fake } = both;
    await rig.sync(limited(SMALL));
    await using next = await both.connect();
    await Deno.mkdir(`${next.podsDir}/${UID}`, { recursive: true });
    await Deno.writeTextFile(`${next.podsDir}/${UID}/record.json`, text);
    await next.sync(limited(SMALL));
    strictEqual(fake.callsOf("UpdateContainerResources").length, 0);
    await next.sync(limited(LARGE));
    strictEqual(fake.callsOf("UpdateContainerResources").length, 2);
  });
}

Deno.test("PodExecutor.execute() writes nothing down of a pod whose UID is a hash", async () => {
  await using both = await fakeRig();
  const { rig } = both;
  const subject = limited(SMALL);
  const uid = "0123456789abcdef0123456789abcdef";
  await rig.sync({ ...subject, metadata: { ...subject.metadata, uid } });
  const names: string[] = [];
  for await (const { name } of Deno.readDir(`${rig.podsDir}/${uid}`)) {
    names.push(name);
  }
  ok(!names.includes("record.json"), names.join());
});

Deno.test("PodExecutor.execute() makes no sandbox for a pod whose cgroup cannot be made", async () => {
  const cgroups: PodCgroups = {
    ...NO_POD_CGROUPS,
    ensure: () => Promise.reject(new Error("Cannot make the cgroup: no")),
  };
  await using both = await fakeRig({}, { cgroups });
  const { rig, fake } = both;
  const outcome = await rig.sync(limited(SMALL));
  strictEqual(outcome.podFailure?.reason, "FailedToCreatePodContainer");
  strictEqual(fake.callsOf("RunPodSandbox").length, 0);
  deepStrictEqual(rig.told(), [
    "FailedCreatePodContainer: unable to ensure pod container exists: Cannot make the cgroup: no",
  ]);
});

Deno.test("PodExecutor.execute() runs a pod whose cgroup cannot be limited, and says so", async () => {
  const cgroups: PodCgroups = {
    ...NO_POD_CGROUPS,
    update: () => Promise.reject(new Error("Cannot write cpu.max: no")),
  };
  await using both = await fakeRig({}, { cgroups });
  const { rig, fake } = both;
  deepStrictEqual((await rig.sync(limited(SMALL))).failures, []);
  strictEqual(fake.running("c").length, 1);
  const [{ type, reason, message } = {}] = rig.events;
  deepStrictEqual([type, reason, message], [
    "Warning",
    "FailedCreatePodContainer",
    "Cannot limit the pod as a whole: Cannot write cpu.max: no",
  ]);
});

Deno.test("PodExecutor.execute() gives a pod of another class another sandbox", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  await rig.sync(limited(SMALL));
  await rig.sync(limited(undefined));
  const parents = fake.callsOf("RunPodSandbox").map(({ request }) =>
    parentOf(request)
  );
  deepStrictEqual(parents, [
    `/kubepods/pod${UID}`,
    `/kubepods/besteffort/pod${UID}`,
  ]);
  strictEqual(fake.running("c").length, 1);
});

async function resizeCondition(rig: RuntimeRig, subject: Pod) {
  const observed = await rig.look(subject);
  ok(planPod({ pod: subject, observed, probes: NO_PROBES }));
  return buildConditions({
    pod: subject,
    observed,
    previous: undefined,
    statuses: new Map(),
    phase: "Running",
    restartingAll: false,
    nowMs: 0,
  }).find(({ type }) => type === "PodResizeInProgress");
}

const NO_PROBES = { liveness: () => undefined, startup: () => undefined };

/** What was asked to be changed, without what does not matter here. */
function linuxOf(request: unknown) {
  // The fake runtime hands out what it decoded.
  const { linux } = request as {
    readonly linux: {
      readonly cpuQuota: bigint;
      readonly cpuShares: bigint;
      readonly memoryLimitInBytes: bigint;
    };
  };
  const { cpuQuota, cpuShares, memoryLimitInBytes: memory } = linux;
  return { cpuQuota, cpuShares, memory };
}

function parentOf(request: unknown): string {
  const { config } = request as {
    readonly config: { readonly linux: { readonly cgroupParent: string } };
  };
  return config.linux.cgroupParent;
}

Deno.test("PodExecutor.execute() runs containers all the same when their resources cannot be written down", async () => {
  await using both = await fakeRig();
  const { rig, fake } = both;
  // Stands where the file is to be.
  await Deno.mkdir(`${rig.podsDir}/${UID}/record.json`, { recursive: true });
  const outcome = await rig.sync(limited(SMALL));
  deepStrictEqual(outcome.failures, []);
  strictEqual(outcome.podFailure, undefined);
  strictEqual(fake.running("c").length, 1);
  ok(rig.events.some(({ reason }) => reason === "FailedCheckpoint"));
  // What could not be written down is known nevertheless.
  await rig.sync(limited({ cpu: "200m", memory: "32Mi" }));
  strictEqual(fake.callsOf("UpdateContainerResources").length, 1);
});

function sealed(resources: object): string {
  return sealRecord({ resources }).text;
}
