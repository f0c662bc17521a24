/**
 * What an API server cannot do to its node, whatever it says.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { busybox } from "../../support/agent/manifests.ts";
import { JoinedCore } from "../../support/cluster/joined_core.ts";
import { parseApiPath } from "../../support/cluster/api_path.ts";
import { filesBelow } from "../../support/files_below.ts";

/** The message of the status that the server shows of a pod. */
function messageOf(rig: JoinedCore, name: string): string {
  const status = rig.shown(name)?.["status"];
  return isRecord(status) ? `${status["message"]}` : "";
}

Deno.test("a container whose name leads out of the agent's directories is never made", async () => {
  await using rig = await JoinedCore.start();
  rig.bind("good");
  await rig.until(() => rig.phase("good") === "Running", "a pod that runs");
  rig.bind("evil", { containers: [busybox("../../../../escaped")] });
  await rig.until(() => rig.phase("evil") === "Failed", "a pod that failed");
  ok(messageOf(rig, "evil").includes("spec.containers[0].name"));
  const paths = [...(await filesBelow(rig.core.directory)).keys()];
  deepStrictEqual(paths.filter((path) => path.includes("escaped")), []);
  strictEqual(rig.core.fake.running("server").length, 1);
});

Deno.test("a probe without a pause between its questions is never asked", async () => {
  await using rig = await JoinedCore.start();
  const livenessProbe = { periodSeconds: -1, exec: { command: ["true"] } };
  rig.bind("evil", { containers: [busybox("server", { livenessProbe })] });
  await rig.until(() => rig.phase("evil") === "Failed", "a pod that failed");
  ok(messageOf(rig, "evil").includes("livenessProbe.periodSeconds"));
});

Deno.test("a ConfigMap that changes all the time does not wear out the disk", async () => {
  await using rig = await JoinedCore.start();
  const named = { metadata: { name: "lock" } };
  rig.make("configmaps", "ConfigMap", { ...named, data: { holder: "0" } });
  const configMapRef = { name: "lock" };
  const env = [{
    name: "LOCK",
    valueFrom: {
      configMapKeyRef: {
        ...configMapRef,
        key: "holder",
      },
    },
  }];
  rig.bind("good", { containers: [busybox("server", { env })] });
  await rig.until(() => rig.phase("good") === "Running", "a pod that runs");
  const path = parseApiPath("/api/v1/namespaces/default/configmaps/lock");
  ok(path !== undefined);
  const directory = `${rig.core.directory}/root/checkpoints/api`;
  const entries = await Array.fromAsync(Deno.readDir(directory));
  const names = entries.map(({ name }) => name);
  const file = names.find((name) => name.endsWith(".json"));
  ok(file !== undefined);
  const written = new Set<string>();
  for (let change = 1; change <= 40; change++) {
    rig.api.objects.patch(path, (object) => ({
      ...Object(object),
      data: { holder: `${change}` },
    }));
    await rig.pass(500);
    // It is replaced as a whole, so that it is another file each time.
    const { ino, mtime } = await Deno.stat(`${directory}/${file}`);
    written.add(`${ino} ${mtime?.getTime()}`);
  }
  ok(written.size >= 2 && written.size <= 5, `${written.size} writes`);
});

Deno.test("a ConfigMap that cannot be read and changes all the time fills no log", async () => {
  await using rig = await JoinedCore.start();
  rig.make("configmaps", "ConfigMap", {
    metadata: { name: "odd" },
    data: { key: "1" },
  });
  const configMapKeyRef = { name: "odd", key: "key" };
  const env = [{ name: "KEY", valueFrom: { configMapKeyRef } }];
  rig.bind("good", { containers: [busybox("server", { env })] });
  await rig.until(() => rig.phase("good") === "Running", "a pod that runs");
  const path = parseApiPath("/api/v1/namespaces/default/configmaps/odd");
  ok(path !== undefined);
  const refusals = (): number =>
    rig.core.log.filter((line) =>
      line.includes("api_object_refused") && line.includes('"warn"')
    ).length;
  for (let change = 1; change <= 50; change++) {
    rig.api.objects.patch(path, (object) => ({
      ...Object(object),
      data: { key: { change } },
    }));
    await rig.pass(50);
  }
  strictEqual(refusals(), 5);
  strictEqual(rig.core.fake.running("server").length, 1);
});
