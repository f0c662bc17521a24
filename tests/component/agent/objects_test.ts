/**
 * Pods and the objects that they refer to.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { claim, configMap, withClaim } from "../../support/local_objects.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

/** A pod with the settings as files. */
function withFiles(): Record<string, unknown> {
  return web({
    spec: {
      volumes: [{ name: "files", configMap: { name: "settings" } }],
      containers: [
        busybox(WEB, {
          volumeMounts: [{ name: "files", mountPath: "/etc/settings" }],
        }),
      ],
    },
  });
}

/** A pod with one of the settings as a variable. */
function withVariable(): Record<string, unknown> {
  const valueFrom = { configMapKeyRef: { name: "settings", key: "color" } };
  return web({
    spec: {
      containers: [busybox(WEB, { env: [{ name: "COLOR", valueFrom }] })],
    },
  });
}

/** Where the files of the one volume of the running container lie on the node. */
function filesOf(rig: CoreRig): string {
  const [mount] = rig.only(WEB).config.mounts
    .filter(({ containerPath }) => containerPath === "/etc/settings");
  ok(mount !== undefined);
  return mount.hostPath;
}

Deno.test("Agent starts a pod as soon as the ConfigMap of its volume is there (VO-14)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", withFiles());
  await rig.until(
    () => rig.events("web").includes("Warning FailedMount"),
    "FailedMount",
  );
  strictEqual(rig.status("web")?.phase, "Pending");
  await rig.pass(1_500);
  const from = rig.clock.monotonic();
  await rig.apply("settings", configMap("settings", { color: "red" }));
  await untilRunning(rig);
  // It did not wait for its next attempt, ten seconds after the last.
  ok(rig.clock.monotonic() - from < 3_000);
  strictEqual(await Deno.readTextFile(`${filesOf(rig)}/color`), "red");
});

Deno.test("Agent starts a pod as soon as the ConfigMap of a variable is there (VO-14)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", withVariable());
  const reason = () =>
    rig.status("web")?.containerStatuses?.[0]?.state?.waiting?.reason;
  await rig.until(
    () => reason() === "CreateContainerConfigError",
    "CreateContainerConfigError",
  );
  await rig.pass(1_500);
  const from = rig.clock.monotonic();
  await rig.apply("settings", configMap("settings", { color: "red" }));
  await untilRunning(rig);
  ok(rig.clock.monotonic() - from < 3_000);
  const { envs } = rig.only(WEB).config;
  const value = envs.find(({ key }) => key === "COLOR")?.value;
  strictEqual(new TextDecoder().decode(value), "red");
});

Deno.test("Agent finds the objects of the same file before it starts the pod", async () => {
  await using rig = await CoreRig.start();
  const items = [withFiles(), configMap("settings", { color: "red" })];
  await Deno.writeTextFile(
    `${rig.directory}/all.new`,
    items.map((item) => JSON.stringify(item)).join("\n---\n"),
  );
  const { manifestPath } = rig.config.source;
  await Deno.rename(`${rig.directory}/all.new`, `${manifestPath}/all.yaml`);
  await untilRunning(rig);
  ok(!rig.events("web").includes("Warning FailedMount"));
});

Deno.test("Agent brings the files of a running pod up to date when the ConfigMap changes", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("settings", configMap("settings", { color: "red" }));
  await rig.apply("web", withFiles());
  await untilRunning(rig);
  const { id } = rig.only(WEB);
  const path = `${filesOf(rig)}/color`;
  const from = rig.fake.calls.length;
  await rig.apply("settings", configMap("settings", { color: "blue" }));
  await rig.until(() => Deno.readTextFileSync(path) === "blue", "blue");
  strictEqual(rig.only(WEB).id, id);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent leaves a pod alone whose ConfigMap goes, and says so", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("settings", configMap("settings", { color: "red" }));
  await rig.apply("web", withFiles());
  await untilRunning(rig);
  const { id } = rig.only(WEB);
  await rig.remove("settings");
  await rig.until(
    () => rig.events("web").includes("Warning FailedMount"),
    "FailedMount",
  );
  await rig.pass(60_000);
  strictEqual(rig.only(WEB).id, id);
  strictEqual(rig.status("web")?.phase, "Running");
  strictEqual(await Deno.readTextFile(`${filesOf(rig)}/color`), "red");
});

Deno.test("Agent says that a claim which another pod uses keeps its group", async () => {
  const user = (name: string, fsGroup?: number) =>
    web({
      name,
      spec: {
        ...fsGroup !== undefined && { securityContext: { fsGroup } },
        ...withClaim("data", busybox(name)),
      },
    });
  await using rig = await CoreRig.start();
  await rig.apply("data", claim("data"));
  for (const [name, group] of [["web", undefined], ["near", 4321]] as const) {
    await rig.apply(name, user(name, group));
    await untilRunning(rig, name);
  }
  const event = "Warning AlreadyMountedVolume";
  strictEqual(rig.events("web").includes(event), false);
  strictEqual(rig.events("near").includes(event), true);
});

Deno.test("Agent adds the overhead of a RuntimeClass to what a pod asks for", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("class", {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "heavy" },
    handler: "heavy",
    overhead: { podFixed: { cpu: "100000" } },
  });
  await rig.apply("web", web({ spec: { runtimeClassName: "heavy" } }));
  await untilPhase(rig, "Failed");
  strictEqual(rig.status("web")?.reason, "OutOfcpu");
  // The class costs less now: the pod is taken.
  await rig.apply("class", {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "heavy" },
    handler: "heavy",
    overhead: { podFixed: { cpu: "10m" } },
  });
  await rig.until(() => rig.status("web")?.phase !== "Failed", "no refusal");
  strictEqual(rig.pod("web")?.spec.overhead?.["cpu"], "10m");
});

Deno.test("Agent gives pods the priority of their class, or that of the default class", async () => {
  const priorityClass = (
    name: string,
    value: number,
    globalDefault = false,
  ) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    globalDefault,
  });
  await using rig = await CoreRig.start();
  await rig.apply("high", priorityClass("high", 1000));
  await rig.apply("usual", priorityClass("usual", 7, true));
  await rig.apply("web", web({ spec: { priorityClassName: "high" } }));
  await rig.apply(
    "near",
    web({ name: "near", spec: { containers: [busybox("near")] } }),
  );
  await untilRunning(rig);
  await untilRunning(rig, "near");
  strictEqual(rig.pod("web")?.spec.priority, 1000);
  strictEqual(rig.pod("near")?.spec.priority, 7);
  strictEqual(rig.pod("near")?.spec.priorityClassName, "usual");
  const { id } = rig.only(WEB);
  // It is worth more now: the pod goes on, and counts more.
  await rig.apply("high", priorityClass("high", 2000));
  await rig.until(() => rig.pod("web")?.spec.priority === 2000, "the value");
  strictEqual(rig.only(WEB).id, id);
});
