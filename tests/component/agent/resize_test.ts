/**
 * Pods that ask for other resources while they run.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { PodCondition } from "../../../mod/api/types/mod.ts";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const CPUS = getCpuCount();

/** A pod with a UID of its own that asks for so many processors. */
function fixed(
  name: string,
  cpu: number,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const resources = { requests: { cpu: String(cpu), memory: "1Mi" } };
  const containers = [busybox(WEB, { resources, ...fields })];
  return web({ name, uid: `fixed-${name}`, spec: { containers } });
}

/** A pod of one container that is limited as a whole only. */
function whole(memory: string): Record<string, unknown> {
  const amounts = { cpu: "100m", memory };
  const resources = { requests: amounts, limits: amounts };
  const containers = [
    busybox(WEB, { resources: { limits: { cpu: "100m", memory: "8Mi" } } }),
  ];
  return web({ uid: "fixed-whole", spec: { resources, containers } });
}

function pending(rig: CoreRig, name: string): PodCondition | undefined {
  return rig.status(name)?.conditions
    ?.find(({ type }) => type === "PodResizePending");
}

/** What the status says the one container of a pod has of the processors. */
function shownCpu(rig: CoreRig, name: string): readonly unknown[] {
  const [shown] = rig.status(name)?.containerStatuses ?? [];
  return [
    shown?.allocatedResources?.["cpu"],
    shown?.resources?.requests?.["cpu"],
  ];
}

Deno.test("Agent does not resize a pod beyond the node, says so, and goes on with what it has", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", fixed("a", 1));
  await untilRunning(rig, "a");
  await rig.apply("a", fixed("a", CPUS + 1));
  await rig.until(() => pending(rig, "a") !== undefined, "the refusal");
  strictEqual(pending(rig, "a")?.reason, "Infeasible");
  match(
    pending(rig, "a")?.message ?? "",
    /^Node didn't have enough capacity: cpu, requested: \d+, capacity: \d+$/,
  );
  deepStrictEqual(shownCpu(rig, "a"), ["1", "1"]);
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 0);

  // A restart of its container is none of the resize.
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(
    () => rig.status("a")?.containerStatuses?.[0]?.restartCount === 1,
    "the restart",
  );
  strictEqual(rig.only(WEB).config.linux?.resources?.cpuShares, 1024n);
  await rig.restartAgent();
  await untilRunning(rig, "a");
  await rig.pass(70_000);
  strictEqual(pending(rig, "a")?.reason, "Infeasible");
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 0);
  ok(
    rig.events("a").filter((e) => e === "Warning ResizeInfeasible").length ===
      1,
  );

  await rig.apply("a", fixed("a", 1));
  await rig.until(() => pending(rig, "a") === undefined, "its withdrawal");
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 0);
});

Deno.test("Agent resizes a pod when another has given back what it wants", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", fixed("a", 1));
  await rig.apply("b", fixed("b", CPUS - 1));
  await untilRunning(rig, "a");
  await untilRunning(rig, "b");
  await rig.apply("a", fixed("a", CPUS));
  await rig.until(() => pending(rig, "a")?.reason === "Deferred", "Deferred");
  ok(rig.events("a").includes("Warning ResizeDeferred"));
  // What it does not have is not taken from others.
  await rig.remove("b");
  await rig.until(() => pending(rig, "a") === undefined, "room", {
    limitMs: 20_000,
  });
  await rig.until(() => shownCpu(rig, "a")[1] === String(CPUS), "the resize");
  deepStrictEqual(shownCpu(rig, "a"), [String(CPUS), String(CPUS)]);
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 1);
  strictEqual(rig.status("a")?.containerStatuses?.[0]?.restartCount, 0);
});

Deno.test("Agent shows what a container has until the runtime has given it more", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", fixed("a", 1));
  await untilRunning(rig, "a");
  const busy = { kind: "error", code: 2, details: "busy" } as const;
  rig.fake.fault("UpdateContainerResources", busy, { times: 1_000 });
  await rig.apply("a", fixed("a", CPUS));
  await rig.until(
    () => rig.events("a").includes("Warning ResizeError"),
    "the failure",
  );
  deepStrictEqual(shownCpu(rig, "a"), [String(CPUS), "1"]);
  rig.fake.clearFaults();
  await rig.until(() => shownCpu(rig, "a")[1] === String(CPUS), "the resize");
});

Deno.test("Agent resizes a pod whose resources change as a whole only, and tells the runtime", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", whole("32Mi"));
  await untilRunning(rig, "web");
  const { id } = rig.only(WEB);
  await rig.apply("web", whole("64Mi"));
  await rig.until(
    () => rig.events("web").includes("Normal ResizeCompleted"),
    "the resize",
  );
  strictEqual(rig.fake.callsOf("UpdatePodSandboxResources").length, 1);
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 0);
  strictEqual(rig.status("web")?.resources?.limits?.["memory"], "64Mi");
  // It is done once, also for the next agent.
  await rig.restartAgent();
  await untilRunning(rig, "web");
  await rig.pass(70_000);
  strictEqual(rig.fake.callsOf("UpdatePodSandboxResources").length, 1);
  strictEqual(rig.only(WEB).id, id);
});

Deno.test("Agent resizes pods on a runtime that is not interested in the pod as a whole", async () => {
  await using rig = await CoreRig.start();
  const unknown = { kind: "error", code: 12, details: "unknown" } as const;
  rig.fake.fault("UpdatePodSandboxResources", unknown, { times: 1_000 });
  await rig.apply("web", whole("32Mi"));
  await untilRunning(rig, "web");
  await rig.apply("web", whole("64Mi"));
  await rig.until(
    () => rig.events("web").includes("Normal ResizeCompleted"),
    "the resize",
  );
  ok(!rig.events("web").includes("Warning ResizeError"));
});
