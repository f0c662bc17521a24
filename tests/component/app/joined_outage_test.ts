/**
 * A node whose API server is away for an hour, in each way that it can be, and comes back.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { web } from "../../support/agent/manifests.ts";
import {
  joinedContainerOf,
  pathOf,
  ScriptedNode,
} from "../../support/cluster/scripted_node.ts";

const HOUR_MS = 3_600_000;

/** After the server's return all is said and done within this: IN-14 wants that. */
const RETURN_MS = 60_000;

/** How a server can be away. */
const WAYS: Readonly<
  Record<string, {
    readonly leave: (core: ScriptedNode) => Promise<void> | void;
    readonly come: (core: ScriptedNode) => Promise<void> | void;
  }>
> = {
  "connections are refused": {
    leave: ({ api }) => api.shut(),
    come: ({ api }) => api.reopen(),
  },
  "connections stay and say nothing": {
    leave: ({ api }) => api.freeze(),
    come: ({ api }) => api.thaw(),
  },
  "connections are accepted and never answered": {
    leave: ({ api }) => {
      api.freeze();
      api.cutAll();
    },
    come: ({ api }) => api.thaw(),
  },
  "each request is cut": {
    leave: ({ api }) => {
      api.fail({ times: Infinity }, { kind: "cut" });
      api.cutAll();
    },
    come: ({ api }) => api.faults.clear(),
  },
  "watches live, and each call is refused": {
    leave: ({ api }) =>
      api.fail({ isWatch: false, times: Infinity }, {
        kind: "refuse",
        code: 503,
        reason: "ServiceUnavailable",
      }),
    come: ({ api }) => api.faults.clear(),
  },
};

for (const [way, { leave, come }] of Object.entries(WAYS)) {
  Deno.test(`a node goes on for an hour without its API server, and loses nothing by its return: ${way} (IN-14)`, async () => {
    await using core = await ScriptedNode.start({ relistPeriodMs: 5_000 });
    const { rig, api } = core;
    const { fake } = rig;
    await rig.apply("static", web({ name: "static" }));
    await begin(core);
    const before = ids(core);
    const uids = new Map(
      [...core.pods()].map(([name, { metadata }]) => [name, metadata.uid]),
    );

    await leave(core);
    const from = fake.calls.length;
    await rig.pass(60_000);
    const probesFrom = fake.callsOf("ExecSync").length;
    for (let crash = 0; crash < 3; crash++) {
      await rig.until(() => fake.running("crash").length === 1, "its return");
      fake.exitContainer(rig.only("crash").id, 1);
      await rig.pass(1_000);
    }
    // What the cluster wishes meanwhile; of a watch that lives some of it is heard at once.
    const isHeard = way.startsWith("watches");
    if (!isHeard) {
      core.delete("doomed", 7);
      core.delete("swapped", 0);
      core.make("swapped");
      core.make("late");
      core.config("conf", { word: "new" });
    }
    await rig.pass(HOUR_MS);
    const probes = fake.callsOf("ExecSync").length - probesFrom;
    ok(probes >= HOUR_MS / 10_000, `${probes} probes`);
    deepStrictEqual(
      rig.mutations(from).filter((each) => each !== "RemoveContainer"),
      [1, 2, 3].flatMap(() => ["CreateContainer", "StartContainer"]),
    );
    const asked = api.requests.length;
    await come(core);
    await rig.until(
      () => isHeard || isSettled(core, uids),
      "all to be settled",
      { limitMs: RETURN_MS },
    );
    await rig.until(
      () => core.shown("crash").containerStatuses?.[0]?.restartCount === 3,
      "the restarts to be told",
      { limitMs: RETURN_MS },
    );
    const after = ids(core);
    for (const name of ["web", "mapped", "server"]) {
      strictEqual(after.get(name), before.get(name), name);
    }
    const stops = fake.callsOf("StopContainer").map(({ request }) =>
      isRecord(request) ? Number(request["timeout"]) : undefined
    );
    ok(isHeard || stops.includes(7), stops.join());
    await rig.pass(RETURN_MS);
    const lines = api.lines.slice(asked);
    const reads = lines.filter((line) => /^(WATCH|GET).*\/pods/.test(line));
    ok(reads.length <= 3, reads.join("\n"));
    const told = lines.filter((line) => line.endsWith("/status"));
    ok(told.length <= 20, told.join("\n"));
    ok(lines.length <= 150, `${lines.length} calls`);
  });
}

/** Pods of each kind, all of them Running. */
async function begin(core: ScriptedNode): Promise<void> {
  core.config("conf", { word: "old" });
  const readinessProbe = { exec: { command: ["true"] }, periodSeconds: 10 };
  core.make("web", {
    containers: [joinedContainerOf("web", { readinessProbe })],
  });
  core.make("mapped", {
    volumes: [{ name: "v", configMap: { name: "conf" } }],
    containers: [
      joinedContainerOf("mapped", {
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      }),
    ],
  });
  for (const name of ["crash", "doomed", "swapped"]) core.make(name);
  await core.untilPhase("Running", ...core.pods().keys());
  await core.rig.until(
    () => core.rig.fake.running("server").length === 1,
    "the static pod",
  );
}

/** What runs, by the name of the container. */
function ids(core: ScriptedNode): ReadonlyMap<string, string> {
  return new Map(
    [...core.running().values()].map(({ name, id }) => [name, id]),
  );
}

function isSettled(
  core: ScriptedNode,
  uids: ReadonlyMap<string, string>,
): boolean {
  const running = core.running();
  const pods = core.pods();
  const runs = (name: string): boolean =>
    running.has(`${pods.get(name)?.metadata.uid}/${name}`) &&
    core.shown(name).phase === "Running";
  return !pods.has("doomed") && !running.has(`${uids.get("doomed")}/doomed`) &&
    !running.has(`${uids.get("swapped")}/swapped`) &&
    ["web", "mapped", "crash", "swapped", "late"].every(runs) &&
    wordOf(core, uids.get("mapped")) === "new";
}

/** What a container reads in its volume. */
function wordOf(core: ScriptedNode, uid: string | undefined): string {
  const { rootDir } = core.rig.config.paths;
  const volume = `${rootDir}/pods/${uid}/volumes/kubernetes.io~configmap/v`;
  return Deno.readTextFileSync(`${volume}/word`);
}

Deno.test("a pod that ended while its API server was away is told of once, and is no more than a record", async () => {
  await using core = await ScriptedNode.start({ relistPeriodMs: 5_000 });
  const { rig, api } = core;
  core.make("once", { restartPolicy: "Never" });
  await core.untilPhase("Running", "once");
  await api.shut();
  rig.fake.exitContainer(rig.only("once").id, 3);
  await rig.pass(HOUR_MS);
  const asked = api.requests.length;
  await api.reopen();
  await core.untilPhase("Failed", "once");
  await rig.pass(RETURN_MS);
  const path = "/api/v1/namespaces/shop/pods/once/status";
  const told = api.lines.slice(asked).filter((line) => line.includes(path));
  strictEqual(told.length, 1, told.join());
  core.api.objects.delete(pathOf("pods", "once"), { gracePeriodSeconds: 0 });
  await rig.until(
    () => rig.fake.sandboxes.size === 0,
    "what is left of it to go",
  );
});

Deno.test("a pod that comes while the node's lease has lapsed runs as soon as that is renewed", async () => {
  await using core = await ScriptedNode.start();
  const { rig, api, clock } = core;
  const renewals = (): number =>
    api.lines.filter((line) => /^PUT .*\/leases\//.test(line)).length;
  await rig.until(() => renewals() === 1, "a renewal", { stepMs: 100 });
  const lapsedMs = clock.monotonic() + 40_000;
  api.fail({ method: "PUT", path: /\/leases\//, times: 3 }, {
    kind: "refuse",
    code: 500,
    reason: "InternalError",
  });
  await rig.until(() => renewals() === 4, "three in vain", { stepMs: 100 });
  await rig.pass(lapsedMs - clock.monotonic(), 100);
  core.make("a");
  await rig.quiet();
  strictEqual(renewals(), 4);
  strictEqual(core.running().size, 0);
  await core.untilPhase("Running", "a");
});
