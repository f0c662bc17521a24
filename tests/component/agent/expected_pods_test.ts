/**
 * What an agent that starts leaves to the pods of a URL that does not answer yet.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { getCpuCount } from "../../../mod/host/machine/mod.ts";
import type { CoreRig } from "../../support/agent/core_rig.ts";
import { drain } from "../../support/peers/raw_server.ts";
import { RawServer } from "../../support/peers/manifest_server.ts";
import { alone, busybox, web } from "../../support/agent/manifests.ts";
import { untilContainerRuns } from "../../support/agent/phases.ts";
import { listAnswer, startWithUrl } from "../../support/agent/pod_server.ts";

const UID = "0badc0de-0000-4000-8000-000000000005";
const CPUS = getCpuCount();

/** Takes a question and never answers: the network is not there yet. */

const ON_PORT = { ports: [{ containerPort: 80, hostPort: 8080 }] };

function asks(cpu: number): Record<string, unknown> {
  return { resources: { requests: { cpu: String(cpu), memory: "1Mi" } } };
}

/** Another agent begins, of which the manifest is read at once and the URL hangs. */
async function restart(
  rig: CoreRig,
  options: {
    readonly server: RawServer;
    readonly file?: string;
    /** Nothing of the pods outlives it. */
    readonly isReboot?: boolean;
  },
): Promise<void> {
  const { server, file, isReboot = false } = options;
  await rig.stopAgent();
  if (file !== undefined) await Deno.utime(rig.manifestPath(file), 1, 1);
  if (isReboot) {
    for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  }
  server.misbehaviour = drain;
  await rig.startAgent();
}

Deno.test("Agent does not end a pod that moved from the file to the URL under its UID, when it restarts before the URL answers (I2)", async () => {
  await using server = await RawServer.start(listAnswer(alone("other")));
  await using rig = await startWithUrl(server);
  await rig.apply("moved", alone("moved", {}, { uid: UID }));
  await untilContainerRuns(rig, "moved");
  server.misbehaviour = listAnswer(
    alone("other"),
    alone("moved", {}, { uid: UID }),
  );
  await rig.pass(10_000);
  await rig.remove("moved");
  await rig.pass(10_000);
  const { id } = rig.only("moved");
  const from = rig.fake.calls.length;
  await restart(rig, { server });
  await rig.pass(40_000);
  strictEqual(rig.only("moved").id, id);
  deepStrictEqual(rig.mutations(from), []);
});

Deno.test("Agent gives the port of a URL's pod to no other after a reboot, before the URL answers", async () => {
  await using server = await RawServer.start(
    listAnswer(alone("a", ON_PORT)),
  );
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "a");
  await rig.apply("b", alone("b", ON_PORT));
  await rig.until(() => rig.status("b")?.reason === "NodePorts", "the refusal");
  await rig.pass(5_000);
  await restart(rig, { server, file: "b", isReboot: true });
  await untilContainerRuns(rig, "a");
  await rig.pass(20_000);
  deepStrictEqual(rig.fake.running("b"), []);
  // What the URL does not have any more holds nothing.
  server.misbehaviour = listAnswer();
  await untilContainerRuns(rig, "b");
});

Deno.test("Agent leaves a name after a reboot to the pod that had it, and not to the one that waited and comes first", async () => {
  const ofUrl = { env: [{ name: "OF", value: "url" }] };
  await using server = await RawServer.start(
    listAnswer(alone("twin", ofUrl)),
  );
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "twin");
  await rig.apply("twin", alone("twin"));
  await rig.pass(5_000);
  await restart(rig, { server, file: "twin", isReboot: true });
  await untilContainerRuns(rig, "twin");
  await rig.pass(20_000);
  strictEqual(rig.only("twin").config.envs.some((e) => e.key === "OF"), true);
});

Deno.test("Agent that restarts before its URL answers gives the processors of the URL's pod to none that is new or resized", async () => {
  await using server = await RawServer.start(
    listAnswer(alone("b", asks(CPUS - 1), { uid: "b" })),
  );
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "b");
  await rig.apply("a", alone("a", asks(1), { uid: "a" }));
  await untilContainerRuns(rig, "a");
  await rig.apply("a", alone("a", asks(CPUS), { uid: "a" }));
  const isPending = (): boolean =>
    rig.status("a")?.conditions
      ?.some(({ type }) => type === "PodResizePending") === true;
  await rig.until(isPending, "the refusal");
  await rig.pass(5_000);
  await rig.apply("c", alone("c", asks(CPUS - 1)));
  await rig.pass(5_000);
  await Deno.utime(rig.manifestPath("c"), 1, 1);
  await restart(rig, { server, file: "a" });
  await rig.pass(30_000);
  strictEqual(isPending(), true);
  strictEqual(rig.fake.callsOf("UpdateContainerResources").length, 0);
  deepStrictEqual(rig.fake.running("c"), []);
});

/** What is in a volume that is made of configMaps and secrets. */
function namesIn(rig: CoreRig, uid: string, plugin: string): string[] {
  const below = plugin === "configmap" ? "root" : "run";
  const path = `${rig.directory}/${below}/pods/${uid}/volumes`;
  return rig.list(`${path}/kubernetes.io~${plugin}/config`)
    .filter((name) => !name.startsWith("."));
}

const VOLUMES = [
  ["configmap", { configMap: { name: "conf", optional: true } }],
  ["secret", { secret: { secretName: "conf", optional: true } }],
  ["projected", {
    projected: { sources: [{ configMap: { name: "conf", optional: true } }] },
  }],
] as const;

for (const [plugin, volume] of VOLUMES) {
  Deno.test(`Agent that restarts takes no file of an optional object out of a running pod before the URL has spoken: ${plugin} (I2)`, async () => {
    const kind = plugin === "secret" ? "Secret" : "ConfigMap";
    const object = {
      apiVersion: "v1",
      kind,
      metadata: { name: "conf" },
      [kind === "Secret" ? "stringData" : "data"]: { "a.txt": "one" },
    };
    await using server = await RawServer.start(
      listAnswer(object, alone("remote")),
    );
    await using rig = await startWithUrl(server);
    await untilContainerRuns(rig, "remote");
    const mounts = [{ name: "config", mountPath: "/config" }];
    await rig.apply(
      "user",
      web({
        name: "user",
        spec: {
          containers: [busybox("user", { volumeMounts: mounts })],
          volumes: [{ name: "config", ...volume }],
        },
      }),
    );
    await untilContainerRuns(rig, "user");
    await rig.pass(5_000);
    const uid = rig.pod("user")?.metadata.uid ?? "";
    deepStrictEqual(namesIn(rig, uid, plugin), ["a.txt"]);
    await restart(rig, { server, file: "user" });
    for (let round = 0; round < 40; round++) {
      await rig.pass(500, 100);
      deepStrictEqual(namesIn(rig, uid, plugin), ["a.txt"]);
    }
    // What the URL has removed goes as ever.
    server.misbehaviour = listAnswer(alone("remote"));
    await rig.until(
      () => namesIn(rig, uid, plugin).length === 0,
      "its removal",
    );
    strictEqual(rig.only("user").state, "running");
  });
}
