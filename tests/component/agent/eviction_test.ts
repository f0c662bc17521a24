/**
 * Pods that store more on the node than they may.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const MI = 1 << 20;

/** A pod with a volume of at most 1 MiB. */
function limited(
  spec: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return web({
    spec: {
      volumes: [{ name: "data", emptyDir: { sizeLimit: "1Mi" } }],
      containers: [
        busybox(WEB, {
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        }),
      ],
      ...spec,
    },
  });
}

/** A pod whose container may store 1 MiB on the node. */
function frugal(): Record<string, unknown> {
  const resources = { limits: { "ephemeral-storage": "1Mi" } };
  return web({ spec: { containers: [busybox(WEB, { resources })] } });
}

async function started(
  manifest: Record<string, unknown>,
): Promise<CoreRig> {
  const rig = await CoreRig.start();
  await rig.apply("web", manifest);
  await untilRunning(rig);
  return rig;
}

async function fill(path: string): Promise<void> {
  await Deno.writeFile(path, new Uint8Array(2 * MI));
}

function uidOf(rig: CoreRig): string {
  return rig.pod("web")?.metadata.uid ?? "";
}

async function untilEvicted(rig: CoreRig): Promise<void> {
  const from = rig.clock.monotonic();
  await rig.until(
    () => rig.status("web")?.reason === "Evicted" && rig.ready().length === 0,
    "the eviction",
    { stepMs: 500 },
  );
  ok(rig.clock.monotonic() - from <= 30_000);
}

Deno.test("Agent evicts a pod whose emptyDir exceeds its limit (PW-19, VO-01)", async () => {
  await using rig = await started(limited());
  const mount = rig.only(WEB).config.mounts
    .find(({ containerPath }) => containerPath === "/data");
  await fill(`${mount?.hostPath}/big`);
  const from = rig.fake.calls.length;
  await untilEvicted(rig);
  const status = rig.status("web");
  strictEqual(status?.phase, "Failed");
  strictEqual(
    status?.message,
    'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
  );
  ok(rig.events("web").includes("Warning Evicted"));
  // One second for the pod; no container gets less than two.
  const stops = rig.fake.callsOf("StopContainer");
  deepStrictEqual(
    stops.map(({ request }) => (request as { timeout: bigint }).timeout),
    [2n],
  );
  // What it filled is free again.
  await rig.until(
    () =>
      rig.fake.containers.size === 0 &&
      rig.list(`${mount?.hostPath}`).length === 0,
    "nothing left",
  );
  // It stays away, whoever looks.
  await rig.pass(180_000);
  deepStrictEqual(
    rig.mutations(from).filter((name) => name.startsWith("Run")),
    [],
  );
  strictEqual(rig.status("web")?.reason, "Evicted");
});

Deno.test("Agent evicts a pod that runs on until the image of its edit is pulled (PW-19)", async () => {
  await using rig = await started(limited());
  const [mount] = rig.only(WEB).config.mounts
    .filter(({ containerPath }) => containerPath === "/data");
  rig.fake.fault("PullImage", { kind: "hang" });
  const edit = { containers: [busybox(WEB, { image: "localhost/far:1" })] };
  await rig.apply("web", web({ spec: edit }));
  await rig.until(() => rig.fake.callsOf("PullImage").length === 1, "a pull");
  await rig.pass(10_000);
  strictEqual(rig.fake.running(WEB).length, 1);
  await fill(`${mount?.hostPath}/big`);
  await rig.until(() => rig.fake.containers.size === 0, "the eviction", {
    stepMs: 500,
    limitMs: 60_000,
  });
  ok(rig.events("web").includes("Warning Evicted"));
  // The pod in its place is not the one that was evicted.
  strictEqual(rig.status("web")?.phase, "Pending");
});

Deno.test("Agent that restarts leaves an evicted pod evicted (PW-19)", async () => {
  await using rig = await started(limited());
  const [mount] = rig.only(WEB).config.mounts
    .filter(({ containerPath }) => containerPath === "/data");
  await fill(`${mount?.hostPath}/big`);
  await untilEvicted(rig);
  await rig.pass(5_000);
  const from = rig.fake.calls.length;
  await rig.restartAgent();
  await rig.pass(60_000);
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.status("web")?.phase, "Failed");
  strictEqual(rig.status("web")?.reason, "Evicted");
  // Another manifest is another pod.
  await rig.apply("web", limited({ hostname: "other" }));
  await untilRunning(rig);
  await rig.remove("web");
  await untilGone(rig);
});

Deno.test("Agent evicts a pod whose volume in memory exceeds its limit (VO-01)", async () => {
  await using rig = await started(limited({
    volumes: [{
      name: "data",
      emptyDir: { sizeLimit: "1Mi", medium: "Memory" },
    }],
  }));
  const mount = rig.only(WEB).config.mounts
    .find(({ containerPath }) => containerPath === "/data");
  await fill(`${mount?.hostPath}/big`);
  await untilEvicted(rig);
});

Deno.test("Agent never evicts a critical pod (PW-19)", async () => {
  await using rig = await started(limited({ priority: 2_000_000_000 }));
  const mount = rig.only(WEB).config.mounts
    .find(({ containerPath }) => containerPath === "/data");
  await fill(`${mount?.hostPath}/big`);
  await rig.pass(60_000);
  strictEqual(rig.status("web")?.phase, "Running");
});

const WAYS: readonly (readonly [
  what: string,
  fill: (rig: CoreRig) => Promise<void>,
  message: string,
])[] = [
  [
    "log",
    (rig) =>
      fill(
        `${rig.config.runtime.podLogsDir}/default_web-${NODE}_${
          uidOf(rig)
        }/${WEB}/0.log`,
      ),
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
  ],
  [
    "hosts file",
    (rig) => fill(`${rig.config.paths.rootDir}/pods/${uidOf(rig)}/etc-hosts`),
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
  ],
  [
    "termination message",
    (rig) => {
      const [mount] = rig.only(WEB).config.mounts
        .filter(({ containerPath }) =>
          containerPath === "/dev/termination-log"
        );
      return fill(mount?.hostPath ?? "");
    },
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
  ],
  [
    "writable layer",
    (rig) => {
      rig.only(WEB).layerBytes = BigInt(2 * MI);
      return Promise.resolve();
    },
    "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
  ],
];
for (const [what, act, message] of WAYS) {
  Deno.test(`Agent evicts a pod whose ${what} exceeds the limit on local storage (SE-08)`, async () => {
    await using rig = await started(frugal());
    await act(rig);
    await untilEvicted(rig);
    strictEqual(rig.status("web")?.message, message);
    const line = 'kubelet_evictions{eviction_signal="ephemeralpodfs.limit"} 1';
    ok(rig.metrics.render().includes(line));
  });
}

Deno.test("Agent evicts a pod although the runtime has no figures on layers", async () => {
  await using rig = await started(frugal());
  rig.fake.fault("ListContainerStats", {
    kind: "error",
    code: 12,
    details: "unknown method",
  });
  await fill(`${rig.config.paths.rootDir}/pods/${uidOf(rig)}/etc-hosts`);
  await untilEvicted(rig);
});

Deno.test("Agent asks nothing about storage while no pod has a limit", async () => {
  await using rig = await started(web());
  await rig.pass(60_000);
  strictEqual(rig.fake.callsOf("ListContainerStats").length, 0);
});

Deno.test("Agent clears an evicted pod away when its manifest goes (I3)", async () => {
  await using rig = await started(limited());
  const mount = rig.only(WEB).config.mounts
    .find(({ containerPath }) => containerPath === "/data");
  await fill(`${mount?.hostPath}/big`);
  await untilEvicted(rig);
  await rig.remove("web");
  await untilGone(rig);
});
