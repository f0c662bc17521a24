/**
 * Nothing that is kept of pods outlives them (I3), whatever their lives were like.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import {
  busybox,
  leftovers,
  untilGone,
  WEB,
  web,
} from "../../support/agent/manifests.ts";

const SPECS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plain: {},
  probed: {
    containers: [busybox(WEB, {
      readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 },
    })],
  },
  unpullable: {
    containers: [busybox(WEB, { image: "localhost/none:1" })],
  },
  sidecar: {
    initContainers: [busybox("side", { restartPolicy: "Always" })],
  },
  hooked: {
    containers: [busybox(WEB, {
      lifecycle: { postStart: { exec: { command: ["true"] } } },
    })],
  },
  mapless: {
    volumes: [{ name: "v", configMap: { name: "none" } }],
    containers: [busybox(WEB, {
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    })],
  },
  crashing: { containers: [busybox("crasher")] },
  short: { activeDeadlineSeconds: 3 },
};

const NAMES: readonly string[] = Object.keys(SPECS).flatMap((kind) =>
  [1, 2, 3].map((number) => `${kind}-${number}`)
);

async function applyAll(
  rig: CoreRig,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const name of NAMES) {
    const spec = SPECS[name.split("-")[0] ?? ""] ?? {};
    await rig.apply(name, web({ name, labels, spec }));
  }
}

Deno.test("Agent keeps nothing of 24 pods that were replaced, crashed, waited or failed, and then went (I3)", async () => {
  await using rig = await CoreRig.start();
  const crash = (): void => {
    for (const { id } of rig.fake.running("crasher")) {
      rig.fake.exitContainer(id, 1);
    }
  };
  await applyAll(rig);
  await rig.until(() => rig.pods().length === NAMES.length, "all pods");
  for (let round = 0; round < 5; round++) {
    await rig.pass(2_000);
    crash();
  }
  strictEqual(rig.core.sessions.keys().size, NAMES.length);
  // Without a UID of its own each manifest makes another pod.
  await applyAll(rig, { version: "2" });
  await rig.pass(10_000);
  crash();
  ok(leftovers(rig).length > NAMES.length);
  for (const name of NAMES) await rig.remove(name);
  await untilGone(rig);
  await rig.pass(2_000);
  deepStrictEqual(leftovers(rig), []);
  strictEqual(rig.core.agent.pods().length, 0);
  strictEqual(rig.metric("skerry_garbage_pieces"), 0);
});
