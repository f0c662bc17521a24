/**
 * What an agent finds that comes after one of an older version, which kept four files of a pod.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sealRecord } from "../../../mod/host/files/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";
const OTHER = "0badc0de-0000-4000-8000-000000000002";

/** A pod with resources, and ids of its own, of the image that the fake runtime has. */
function pod(options: {
  readonly name?: string;
  readonly uid?: string;
  readonly cpu?: string;
  readonly restartPolicy?: string;
}): Record<string, unknown> {
  const { name = "web", uid = UID, cpu = "10m", restartPolicy = "Always" } =
    options;
  const containers = [busybox(WEB, { resources: { requests: { cpu } } })];
  return web({
    name,
    uid,
    spec: { hostUsers: false, restartPolicy, containers },
  });
}

async function start(): Promise<CoreRig> {
  return await CoreRig.start({
    prepare: (rig) => void (rig.fake.settings.userNamespaces = true),
  });
}

/** Puts in the place of the record what an older agent would have written. */
async function makeOld(rig: CoreRig): Promise<readonly string[]> {
  const directory = `${rig.config.paths.rootDir}/pods/${UID}`;
  const path = `${directory}/record.json`;
  const { record } = JSON.parse(await Deno.readTextFile(path));
  const { status, containers, resources, userns } = record;
  const texts = {
    "status.json": status && sealRecord(status).text,
    "containers.json": containers && sealRecord(containers).text,
    "resources.json": resources && sealRecord(resources).text,
    userns: userns && JSON.stringify(userns),
  };
  const written = Object.entries(texts).filter(([, text]) => text);
  for (const [name, text] of written) {
    await Deno.writeTextFile(`${directory}/${name}`, text);
  }
  await Deno.remove(path);
  return written.map(([name]) => name);
}

function files(rig: CoreRig): readonly string[] {
  const directory = `${rig.config.paths.rootDir}/pods/${UID}`;
  return [...rig.list(directory)].filter((name) =>
    name.endsWith(".json") || name === "userns"
  );
}

function idsOf(rig: CoreRig, at: number): unknown {
  const request = rig.fake.callsOf("RunPodSandbox")[at]?.request as {
    config: {
      linux: { securityContext: { namespaceOptions: Record<string, unknown> } };
    };
  };
  const { usernsOptions } =
    request.config.linux.securityContext.namespaceOptions;
  return (usernsOptions as { uids: readonly { hostId: number }[] }).uids[0]
    ?.hostId;
}

Deno.test("Agent keeps start time, restarts, resources and ids of a pod that an older version ran", async () => {
  await using rig = await start();
  await rig.apply("web", pod({}));
  await untilRunning(rig);
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  const status = () => rig.status("web")?.containerStatuses?.[0];
  await rig.until(() => rig.fake.running(WEB).length === 1, "its restart");
  await rig.until(() => status()?.restartCount === 1, "its restart");
  await rig.pass(2_000);
  const { startTime } = rig.status("web") ?? {};
  const ids = idsOf(rig, 0);
  await rig.stopAgent();
  deepStrictEqual(await makeOld(rig), [
    "status.json",
    "resources.json",
    "userns",
  ]);
  // Its resources were changed while no agent ran.
  await rig.apply("web", pod({ cpu: "20m" }));
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilRunning(rig);
  strictEqual(rig.status("web")?.startTime, startTime);
  ok((status()?.restartCount ?? 0) >= 1);
  await rig.until(
    () => rig.fake.callsOf("UpdateContainerResources").length === 1,
    "the resize",
  );
  deepStrictEqual(rig.mutations(from), []);
  deepStrictEqual(files(rig), ["record.json"]);
  // Its ids are taken, and it has them in its next sandbox.
  await rig.apply("two", pod({ name: "two", uid: OTHER }));
  await rig.until(() => rig.fake.running(WEB).length === 2, "the other");
  ok(idsOf(rig, 1) !== ids, `${idsOf(rig, 1)}`);
  const { id } =
    [...rig.fake.sandboxes.values()].find(({ config }) =>
      config.metadata?.uid === UID
    ) ?? {};
  rig.fake.vanish(id ?? "");
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length === 3,
    "another sandbox",
  );
  strictEqual(idsOf(rig, 2), ids);
});

Deno.test("Agent does not run a pod again that ended under an older version", async () => {
  await using rig = await start();
  await rig.apply("web", pod({ restartPolicy: "Never" }));
  await untilRunning(rig);
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.until(() => rig.ready().length === 0, "its end");
  await rig.pass(2_000);
  await rig.stopAgent();
  await makeOld(rig);
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await untilPhase(rig, "Failed");
  await rig.pass(70_000);
  deepStrictEqual(rig.mutations(from), []);
  deepStrictEqual(files(rig), ["record.json"]);
});

for (const damage of ["", "half", "foreign"]) {
  Deno.test(`Agent lets a pod run on whose record is ${damage || "empty"}, and says so`, async () => {
    await using rig = await start();
    await rig.apply("web", pod({}));
    await untilRunning(rig);
    await rig.pass(2_000);
    await rig.stopAgent();
    const path = `${rig.config.paths.rootDir}/pods/${UID}/record.json`;
    const text = await Deno.readTextFile(path);
    const texts: Readonly<Record<string, string>> = {
      half: text.slice(0, text.length / 2),
      foreign: sealRecord({ status: 7, containers: "x", userns: [] }).text,
    };
    await Deno.writeTextFile(path, texts[damage] ?? "");
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await untilRunning(rig);
    await rig.pass(70_000);
    deepStrictEqual(rig.mutations(from), []);
    const told = damage === "foreign"
      ? "status_record_broken"
      : "pod_record_broken";
    strictEqual(rig.logged(told).length, 1);
  });
}
