/**
 * A node whose agent ends and comes back while its API server is away.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  joinedContainerOf,
  ScriptedNode,
} from "../../support/cluster/scripted_node.ts";

/** Stops the agent, has its server leave, and starts it again. */
async function restartAlone(core: ScriptedNode): Promise<void> {
  await core.rig.stopAgent();
  await core.api.shut();
  await core.rig.startAgent();
}

Deno.test("an agent that comes back before its API server does goes on with what runs, and begins what it was about to begin (IN-14)", async () => {
  await using core = await ScriptedNode.start();
  const { rig, api } = core;
  core.config("conf", { word: "old" });
  core.make("web");
  core.make("mapped", {
    volumes: [{ name: "v", configMap: { name: "conf" } }],
    containers: [
      joinedContainerOf("mapped", {
        volumeMounts: [{ name: "v", mountPath: "/v" }],
      }),
    ],
  });
  await core.untilPhase("Running", "web", "mapped");
  const ids = ["web", "mapped"].map((name) => rig.only(name).id);
  // Bound, and not created yet: the runtime makes no sandbox at present.
  rig.fake.fault("RunPodSandbox", { kind: "hang" }, { times: 1 });
  core.make("next");
  await rig.until(
    () => rig.fake.callsOf("RunPodSandbox").length === 3,
    "its start",
  );
  await rig.pass(2_000);
  await restartAlone(core);
  await rig.until(
    () => rig.fake.running("next").length === 1,
    "the pod that was not created yet",
  );
  await rig.pass(600_000);
  deepStrictEqual(["web", "mapped"].map((name) => rig.only(name).id), ids);
  const { id } = rig.only("next");
  await api.reopen();
  await core.untilPhase("Running", "next");
  strictEqual(rig.only("next").id, id);
});

Deno.test("a machine that boots without its API server runs what it ran, and again nothing that had ended", async () => {
  await using core = await ScriptedNode.start();
  const { rig, api } = core;
  core.make("web");
  core.make("once", { restartPolicy: "Never" });
  await core.untilPhase("Running", "web", "once");
  rig.fake.exitContainer(rig.only("once").id, 0);
  await core.untilPhase("Succeeded", "once");
  await rig.stopAgent();
  await api.shut();
  for (const id of [...rig.fake.sandboxes.keys()]) rig.fake.vanish(id);
  await rig.startAgent();
  await rig.until(() => rig.fake.running("web").length === 1, "the pod");
  await rig.pass(120_000);
  strictEqual(rig.fake.running("once").length, 0);
  const { id } = rig.only("web");
  await api.reopen();
  await rig.pass(60_000);
  strictEqual(core.shown("once").phase, "Succeeded");
  strictEqual(core.shown("web").phase, "Running");
  strictEqual(rig.only("web").id, id);
});

Deno.test("a pod that was ending when the agent and its API server left ends with the grace it had, and is removed on the server's return", async () => {
  await using core = await ScriptedNode.start();
  const { rig, api } = core;
  rig.fake.behave("slow", { onTerm: "ignore" });
  const uid = core.make("slow", { terminationGracePeriodSeconds: 60 });
  core.make("web");
  await core.untilPhase("Running", "slow", "web");
  core.delete("slow", 60);
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length === 1,
    "its end to begin",
  );
  await restartAlone(core);
  await rig.until(
    () => !core.running().has(`${uid}/slow`),
    "its end",
    { limitMs: 90_000 },
  );
  await rig.pass(300_000);
  ok(core.pods().has("slow"));
  await api.reopen();
  await rig.until(() => !core.pods().has("slow"), "its removal", {
    limitMs: 60_000,
  });
  strictEqual(rig.fake.running("web").length, 1);
});

Deno.test("a pod that ended unheard, and whose agent was then ended, is told as it ended", async () => {
  await using core = await ScriptedNode.start();
  const { rig, api } = core;
  core.make("once", { restartPolicy: "Never" });
  await core.untilPhase("Running", "once");
  await api.shut();
  rig.fake.exitContainer(rig.only("once").id, 7);
  await rig.pass(60_000);
  await rig.restartAgent();
  await rig.pass(60_000);
  await api.reopen();
  await core.untilPhase("Failed", "once");
  const [status] = core.shown("once").containerStatuses ?? [];
  strictEqual(status?.state?.terminated?.exitCode, 7);
  strictEqual(status?.restartCount, 0);
});

for (const isForced of [false, true]) {
  const how = isForced ? "by force" : "with a grace";
  Deno.test(`a pod that is deleted ${how} while its agent is down ends, and leaves nothing`, async () => {
    await using core = await ScriptedNode.start();
    const { rig } = core;
    core.make("web");
    const uid = core.make("doomed");
    await core.untilPhase("Running", "web", "doomed");
    const { id } = rig.only("web");
    await rig.stopAgent();
    core.delete("doomed", isForced ? 0 : 10);
    if (isForced) core.make("doomed");
    await rig.startAgent();
    await rig.until(
      () =>
        !core.running().has(`${uid}/doomed`) &&
        core.pods().has("doomed") === isForced,
      "its end",
    );
    if (isForced) await core.untilPhase("Running", "doomed");
    await rig.until(
      () => !rig.list(`${rig.config.paths.rootDir}/pods`).includes(uid),
      "its directory to go",
    );
    strictEqual(rig.only("web").id, id);
  });
}
