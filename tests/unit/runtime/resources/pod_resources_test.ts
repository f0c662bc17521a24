/**
 * What is asked of the runtime and the kernel when a pod's resources change.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Sessions } from "../../../../mod/base/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { CriError } from "../../../../mod/cri/model/mod.ts";
import { planPod, type PodPlan } from "../../../../mod/pod/plan/mod.ts";
import { SyncReport } from "../../../../mod/runtime/account/mod.ts";
import { PodResources } from "../../../../mod/runtime/resources/mod.ts";
import { bareNode } from "../../../../scripts/lib/bare_node.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { observed, probes, seen } from "../../../support/observed_pods.ts";
import { container, pod } from "../../../support/pods.ts";
import { RecordDisk } from "../../../support/record_disk.ts";
import { EventList } from "../../../support/event_list.ts";

const UID = "4a6b6c1e-0000-4000-8000-000000000001";
const never = new AbortController().signal;

/** A pod of a and b, each with so much of the processors. */
function asking(cpu: string): Pod {
  const resources = { requests: { cpu } };
  const containers = ["a", "b"].map((name) => container(name, { resources }));
  return pod({ uid: UID, containers });
}

/** The plan for such a pod whose containers have 100m each. */
function planFor(wanted: Pod): PodPlan {
  const resources = { requests: { cpu: "100m" }, limits: {} };
  const containers = ["a", "b"].map((name) => seen(name, { resources }));
  const looked = { ...observed(containers), uid: UID };
  return planPod({ pod: wanted, observed: looked, probes: probes() });
}

function setUp(options: { readonly announce?: () => Promise<void> } = {}) {
  const events = new EventList();
  const calls: string[] = [];
  const note = (call: string): Promise<void> => {
    calls.push(call);
    return Promise.resolve();
  };
  const sessions = new Sessions();
  const resources = new PodResources({
    runtime: {
      updateContainerResources: (id) => note(`update ${id}`),
      updatePodSandboxResources: options.announce ??
        ((id) => note(`announce ${id}`)),
    },
    records: new RecordDisk().records({ sessions }),
    events,
    cgroups: {
      ensure: () => note("ensure"),
      update: (_, { only = "all" } = {}) => note(`cgroup ${only}`),
      memoryExcess: () => Promise.resolve(0n),
      memoryLeft: () => Promise.resolve(undefined),
      stalls: () => Promise.resolve(undefined),
      processes: () => Promise.resolve(undefined),
      remove: (uid, signal) => note(`remove ${uid} ${signal === never}`),
    },
    node: bareNode(),
    sessions,
  });
  const resize = async (plan: PodPlan, signal = never) => {
    const report = new SyncReport(new FakeClock());
    await resources.resize({ pod: asking("200m"), plan, signal }, report);
    return report.outcome();
  };
  const reasons = () => events.events.map(({ reason }) => reason);
  return { resources, resize, calls, events, reasons };
}

Deno.test("PodResources.remove() removes the pod's cgroup", async () => {
  const { resources, calls } = setUp();
  await resources.remove(UID, never);
  deepStrictEqual(calls, [`remove ${UID} true`]);
});

Deno.test("PodResources.resize() updates what runs, then tells the runtime", async () => {
  const { resize, calls, reasons } = setUp();
  const { acted, failures } = await resize(planFor(asking("200m")));
  deepStrictEqual([acted, failures], [true, []]);
  deepStrictEqual(calls, [
    "cgroup memory",
    "cgroup cpu",
    "update a-0",
    "update b-0",
    "announce s0",
  ]);
  deepStrictEqual(reasons(), ["ResizeStarted", "ResizeCompleted"]);
});

Deno.test("PodResources.resize() leaves out what the plan ends", async () => {
  const { resize, calls, reasons } = setUp();
  const plan = planFor(asking("200m"));
  const kill = (name: string) => ({
    containerId: `${name}-0`,
    containerName: name,
    reason: "spec_changed" as const,
    message: "",
  });
  await resize({ ...plan, kill: [kill("a")] });
  deepStrictEqual(
    calls.filter((call) => call.startsWith("update")),
    ["update b-0"],
  );
  calls.length = 0;
  // What is left is a matter of the pod's cgroup alone.
  await resize({ ...plan, kill: ["a", "b"].map(kill) });
  deepStrictEqual(calls, ["cgroup memory", "cgroup cpu"]);
  deepStrictEqual(reasons(), ["ResizeStarted", "ResizeCompleted"]);
});

Deno.test("PodResources.resize() does nothing without a resize in the plan", async () => {
  const { resize, calls, reasons } = setUp();
  const { acted } = await resize(planFor(asking("100m")));
  deepStrictEqual([acted, calls, reasons()], [false, [], []]);
});

for (
  const [kind, told] of [["unimplemented", []], ["failed", [
    "Warning ResizeError: Cannot tell the runtime of the resize: not now",
  ]]] as const
) {
  Deno.test(`PodResources.resize() is complete when the runtime is told in vain (${kind})`, async () => {
    const method = "UpdatePodSandboxResources";
    const refusal = new CriError({ kind, method, detail: "not now" });
    const { resize, events, reasons } = setUp({
      announce: () => Promise.reject(refusal),
    });
    deepStrictEqual((await resize(planFor(asking("200m")))).failures, []);
    deepStrictEqual(
      events.texts.filter((text) => text.startsWith("Warning")),
      told,
    );
    strictEqual(reasons().at(-1), "ResizeCompleted");
  });
}

Deno.test("PodResources.resize() stops when it is told to while it tells the runtime", async () => {
  const stop = new AbortController();
  const { resize, reasons } = setUp({
    announce: () => {
      stop.abort(new Error("deleted"));
      return Promise.reject(new Error("cancelled"));
    },
  });
  await rejects(resize(planFor(asking("200m")), stop.signal), /deleted/);
  deepStrictEqual(reasons(), ["ResizeStarted"]);
});

Deno.test("PodResources knows what containers were started with, and what they were resized to", async () => {
  const { resources, resize } = setUp();
  const before = asking("100m");
  const known = async () => {
    const looked = { ...observed([seen("a"), seen("b")]), uid: UID };
    const { qosClass, containers } = await resources.complete(looked);
    return [qosClass, ...containers.map((each) => each.resources?.requests)];
  };
  deepStrictEqual(await known(), [undefined, undefined, undefined]);
  await resources.sandboxMade(before);
  for (const each of before.spec.containers) {
    await resources.started(before, each, `${each.name}-0`);
  }
  deepStrictEqual(await known(), ["Burstable", { cpu: "100m" }, {
    cpu: "100m",
  }]);
  await resize(planFor(asking("200m")));
  deepStrictEqual(await known(), ["Burstable", { cpu: "200m" }, {
    cpu: "200m",
  }]);
});
