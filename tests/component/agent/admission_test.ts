/**
 * Which pods the node takes, and when it takes those that it refused.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase } from "../../support/agent/phases.ts";

const CPUS = getCpuCount();

/** A pod whose container asks for things. */
function asking(
  name: string,
  fields: Readonly<Record<string, unknown>>,
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({ name, spec: { ...spec, containers: [busybox(WEB, fields)] } });
}

/** A pod that asks for so many processors. */
function cpu(name: string, count: number): Record<string, unknown> {
  return asking(name, { resources: { requests: { cpu: String(count) } } });
}

/** A pod that has a port of the node. */
function port(
  name: string,
  hostPort: number,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const ports = [{ containerPort: 80, hostPort }];
  return asking(name, { ports, ...fields });
}

Deno.test("Agent refuses a pod whose port is taken and runs it when the port falls free", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", port("a", 8080));
  await untilPhase(rig, "Running", { name: "a" });
  await rig.apply("b", port("b", 8080));
  await untilPhase(rig, "Failed", { name: "b" });
  const status = rig.status("b");
  strictEqual(status?.reason, "NodePorts");
  strictEqual(
    status?.message,
    "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  );
  strictEqual(status?.containerStatuses, undefined);
  deepStrictEqual(rig.events("b"), ["Warning NodePorts"]);
  await rig.pass(30_000);
  // Told once, however often it is judged.
  deepStrictEqual(rig.events("b"), ["Warning NodePorts"]);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, 1);
  await rig.remove("a");
  await untilPhase(rig, "Running", { name: "b" });
  strictEqual(rig.status("b")?.reason, undefined);
  strictEqual(rig.only(WEB).state, "running");
});

Deno.test("Agent counts each refusal by its reason", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", cpu("a", CPUS + 1));
  await rig.apply("b", web({ name: "b", spec: { nodeSelector: { x: "y" } } }));
  await untilPhase(rig, "Failed", { name: "b" });
  const text = rig.metrics.render();
  for (const reason of ["OutOfcpu", "NodeAffinity"]) {
    const line = `kubelet_admission_rejections_total{reason="${reason}"} 1`;
    ok(text.includes(line), text);
  }
});

Deno.test("Agent refuses a pod that asks for more than is left and runs it when there is room", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", cpu("a", CPUS));
  await untilPhase(rig, "Running", { name: "a" });
  await rig.apply("b", cpu("b", 1));
  await untilPhase(rig, "Failed", { name: "b" });
  strictEqual(rig.status("b")?.reason, "OutOfcpu");
  match(
    rig.status("b")?.message ?? "",
    new RegExp(
      `requested: 1000, used: ${CPUS}000, capacity: ${CPUS}000$`,
    ),
  );
  await rig.remove("a");
  await untilPhase(rig, "Running", { name: "b" });
});

Deno.test("Agent runs a refused pod whose manifest asks for less", async () => {
  await using rig = await CoreRig.start();
  const uid = "11111111-2222-3333-4444-555555555555";
  const sized = (count: number) => ({
    ...cpu("a", count),
    metadata: { name: "a", uid },
  });
  await rig.apply("a", sized(CPUS + 1));
  await untilPhase(rig, "Failed", { name: "a" });
  await rig.apply("a", sized(1));
  await untilPhase(rig, "Running", { name: "a" });
});

Deno.test("Agent forgets a refused pod whose manifest goes", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", cpu("a", CPUS + 1));
  await untilPhase(rig, "Failed", { name: "a" });
  await rig.remove("a");
  await rig.until(() => rig.pods().length === 0, "no pod");
  deepStrictEqual(rig.mutations(), []);
});

Deno.test("Agent takes no more pods than the node has places, first come, first served", async () => {
  await using rig = await CoreRig.start({ kubelet: ["maxPods: 2"] });
  for (const name of ["a", "b", "c", "d"]) await rig.apply(name, web({ name }));
  await untilPhase(rig, "Running", { name: "a" });
  await untilPhase(rig, "Running", { name: "b" });
  await untilPhase(rig, "Failed", { name: "d" });
  strictEqual(rig.status("c")?.reason, "OutOfpods");
  await rig.remove("a");
  await untilPhase(rig, "Running", { name: "c" });
  strictEqual(rig.status("d")?.reason, "OutOfpods");
});

Deno.test("Agent looks at the labels of its node", async () => {
  await using rig = await CoreRig.start({ flags: ["--node-labels=disk=ssd"] });
  await rig.apply(
    "a",
    web({ name: "a", spec: { nodeSelector: { disk: "ssd" } } }),
  );
  await rig.apply(
    "b",
    web({ name: "b", spec: { nodeSelector: { disk: "hdd" } } }),
  );
  await untilPhase(rig, "Running", { name: "a" });
  await untilPhase(rig, "Failed", { name: "b" });
  strictEqual(rig.status("b")?.reason, "NodeAffinity");
});

Deno.test("Agent gives back the share of a pod that has completed (PW-09)", async () => {
  await using rig = await CoreRig.start();
  const { fake } = rig;
  fake.behave("job", { exit: { code: 0, afterMs: 3_000 } });
  const job = web({
    name: "job",
    spec: {
      restartPolicy: "Never",
      containers: [
        busybox("job", { resources: { requests: { cpu: String(CPUS) } } }),
      ],
    },
  });
  await rig.apply("job", job);
  await untilPhase(rig, "Running", { name: "job" });
  await rig.apply("a", cpu("a", CPUS));
  await untilPhase(rig, "Failed", { name: "a" });
  await untilPhase(rig, "Succeeded", { name: "job" });
  await untilPhase(rig, "Running", { name: "a" });
  strictEqual(rig.status("job")?.phase, "Succeeded");
  // After a restart the job is over still, and the other runs still.
  const { id } = rig.only(WEB);
  await rig.restartAgent();
  await untilPhase(rig, "Running", { name: "a" });
  await rig.pass(30_000);
  strictEqual(rig.only(WEB).id, id);
  strictEqual(rig.status("job")?.phase, "Succeeded");
  deepStrictEqual(rig.events("a"), []);
});

Deno.test("Agent starts the new version of a pod that has the same port of the node (PW-11)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", port("a", 8080));
  await untilPhase(rig, "Running", { name: "a" });
  const { id } = rig.only(WEB);
  await rig.apply("a", port("a", 8080, { args: ["new"] }));
  await rig.until(
    () => rig.fake.running(WEB).some((each) => each.id !== id),
    "the new version",
  );
  await untilPhase(rig, "Running", { name: "a" });
  ok(!rig.events("a").includes("Warning NodePorts"), rig.events("a").join());
});

Deno.test("Agent moves a pod with a port of the node to another namespace without refusing it (PW-11)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", port("a", 8080));
  await untilPhase(rig, "Running", { name: "a" });
  const moved = port("a", 8080);
  await rig.apply("a", {
    ...moved,
    metadata: { name: "a", namespace: "other" },
  });
  await rig.until(
    () =>
      rig.pods().some(({ metadata, status }) =>
        metadata.namespace === "other" && status?.phase === "Running"
      ),
    "the pod in its new namespace",
  );
  ok(!rig.events("a").includes("Warning NodePorts"), rig.events("a").join());
});

Deno.test("Agent that restarts takes what runs before what waits (I2)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("z", port("z", 8080));
  await untilPhase(rig, "Running", { name: "z" });
  const { id } = rig.only(WEB);
  await rig.stopAgent();
  // By the order of the files it would come first.
  await Deno.writeTextFile(
    rig.manifestPath("a"),
    JSON.stringify(port("a", 8080)),
  );
  await rig.startAgent();
  await untilPhase(rig, "Failed", { name: "a" });
  await untilPhase(rig, "Running", { name: "z" });
  strictEqual(rig.only(WEB).id, id);
  strictEqual(rig.status("a")?.reason, "NodePorts");
});

Deno.test("Agent that restarts leaves alone a pod that the node would not take now (I2)", async () => {
  await using rig = await CoreRig.start({ flags: ["--node-labels=disk=ssd"] });
  await rig.apply(
    "a",
    web({ name: "a", spec: { nodeSelector: { disk: "ssd" } } }),
  );
  await untilPhase(rig, "Running", { name: "a" });
  const { id } = rig.only(WEB);
  await rig.stopAgent();
  rig.config = await coreConfig(rig.directory, {
    flags: ["--node-labels=disk=hdd"],
  });
  await rig.startAgent();
  await untilPhase(rig, "Running", { name: "a" });
  await rig.pass(10_000);
  strictEqual(rig.only(WEB).id, id);
});

Deno.test("Agent that restarts judges a refused pod anew", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", port("a", 8080));
  await untilPhase(rig, "Running", { name: "a" });
  await rig.apply("b", port("b", 8080));
  await untilPhase(rig, "Failed", { name: "b" });
  await rig.restartAgent();
  await untilPhase(rig, "Failed", { name: "b" });
  strictEqual(rig.status("b")?.reason, "NodePorts");
  await rig.remove("a");
  await untilPhase(rig, "Running", { name: "b" });
});
