/**
 * What a cluster is told of pods whose containers end: what it takes, and nothing untrue.
 *
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { isRecord } from "../../../mod/base/mod.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { JoinedCore } from "../../support/cluster/joined_core.ts";

/** What the server shows of the only container of a pod. */
function shownContainer(rig: JoinedCore, name: string) {
  const status = rig.shown(name)?.["status"];
  const list = isRecord(status) ? status["containerStatuses"] : undefined;
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  const fields = isRecord(first) ? first : {};
  const [state] = Object.keys(isRecord(fields["state"]) ? fields["state"] : {});
  return { state, restarts: fields["restartCount"] };
}

/** The states that the only container of a pod has been shown in, one after the other. */
function states(rig: JoinedCore, name: string): () => readonly unknown[] {
  const seen: unknown[] = [];
  rig.api.objects.listen(() => {
    const { state } = shownContainer(rig, name);
    if (state !== undefined && seen.at(-1) !== state) seen.push(state);
  });
  return () => seen;
}

/** Nothing runs any more, as after a boot. */
function powerOff({ core: { fake } }: JoinedCore): void {
  for (const { id, state } of fake.containers.values()) {
    if (state === "running") fake.exitContainer(id, 255);
  }
  for (const { id } of [...fake.sandboxes.values()]) fake.killSandbox(id);
}

async function shutDown(rig: JoinedCore): Promise<void> {
  const groups = [{ priority: 0, graceSeconds: 10 }];
  let isDown = false;
  const { signal } = new AbortController();
  rig.core.core.agent.shutDown(groups, signal).then(() => isDown = true);
  await rig.until(() => isDown, "the end of the shutdown");
  await rig.pass(1_000);
}

Deno.test("a pod of a cluster that runs once has failed when the machine went down, and does not run again (SD-01)", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  core.fake.behave(WEB, { onTerm: { code: 143, afterMs: 100 } });
  rig.bind("job", { restartPolicy: "Never" });
  await rig.until(() => rig.phase("job") === "Running", "a pod that runs");
  await shutDown(rig);
  const status = rig.shown("job")?.["status"];
  const { phase, reason, conditions } = isRecord(status)
    ? status
    : { phase: "", reason: "", conditions: [] };
  deepStrictEqual([phase, reason], ["Failed", "Terminated"]);
  const target = (Array.isArray(conditions) ? conditions : [])
    .find(({ type }) => type === "DisruptionTarget");
  strictEqual(target?.reason, "TerminationByKubelet");
  await core.stopAgent();
  powerOff(rig);
  const made = core.fake.containers.size;
  await core.startAgent();
  await rig.pass(60_000);
  strictEqual(core.fake.containers.size, made);
  strictEqual(rig.phase("job"), "Failed");
});

for (
  const [restartPolicy, code] of [["OnFailure", 0], ["Always", 143]] as const
) {
  Deno.test(`a pod of a cluster of policy ${restartPolicy} that ended with ${code} when the machine went down runs again, and the cluster takes what it is told`, async () => {
    await using rig = await JoinedCore.start();
    const { core } = rig;
    const seen = states(rig, "app");
    core.fake.behave(WEB, { onTerm: { code, afterMs: 100 } });
    rig.bind("app", { restartPolicy });
    await rig.until(() => rig.phase("app") === "Running", "a pod that runs");
    await shutDown(rig);
    await core.stopAgent();
    powerOff(rig);
    await core.startAgent();
    const isBack = () =>
      shownContainer(rig, "app").state === "running" &&
      shownContainer(rig, "app").restarts === 1;
    await rig.until(isBack, "the pod again");
    // An API server takes no start after an end that the policy says is the last.
    const between = restartPolicy === "Always" ? "terminated" : "waiting";
    deepStrictEqual(seen(), ["waiting", "running", between, "running"]);
  });
}

/** Another runtime than before, and a root directory without what was there. */
async function forget({ core }: JoinedCore, what: "runtime" | "all") {
  for (const id of [...core.fake.sandboxes.keys()]) core.fake.vanish(id);
  const { rootDir, runDir } = core.config.paths;
  const left = core.list(runDir).map((name) => `${runDir}/${name}`);
  if (what === "all") {
    left.push(...core.list(rootDir).map((name) => `${rootDir}/${name}`));
  }
  for (const path of left) await Deno.remove(path, { recursive: true });
}

for (const what of ["runtime", "all"] as const) {
  for (
    const [restartPolicy, expected] of [
      ["Never", { phase: "Failed", made: 0, restarts: 1 }],
      ["OnFailure", { phase: "Running", made: 1, restarts: 1 }],
    ] as const
  ) {
    Deno.test(`a ${restartPolicy} pod that ran here is no new one where ${what} was lost: it is ${expected.phase}`, async () => {
      await using rig = await JoinedCore.start();
      const { core } = rig;
      rig.bind("job", { restartPolicy });
      await rig.until(
        () => shownContainer(rig, "job").state === "running",
        "a pod that runs",
      );
      await rig.pass(1_000);
      await core.stopAgent();
      await forget(rig, what);
      await core.startAgent();
      // The lease of an agent that is no more has its time.
      await rig.pass(60_000);
      strictEqual(rig.phase("job"), expected.phase);
      strictEqual(core.fake.containers.size, expected.made);
      strictEqual(shownContainer(rig, "job").restarts, expected.restarts);
    });
  }
}

const MIRROR = "web-edge1";

/** Until the mirror of the manifest `web` is in a phase; gives its UID. */
async function untilMirror(rig: JoinedCore, phase: string): Promise<string> {
  await rig.until(
    () => rig.phase(MIRROR) === phase,
    `a mirror that is ${phase}`,
  );
  return rig.shown(MIRROR)?.metadata.uid ?? "";
}

Deno.test("the mirror of a pod of a manifest that has ended says so, and that of its next life is another one (ST-10)", async () => {
  await using rig = await JoinedCore.start();
  const { core } = rig;
  const manifest = web({ spec: { restartPolicy: "Never" } });
  await rig.apply("web", manifest);
  const uid = await untilMirror(rig, "Running");
  core.fake.exitContainer(core.only(WEB).id, 0);
  strictEqual(await untilMirror(rig, "Succeeded"), uid);
  await core.restartAgent();
  await rig.pass(60_000);
  strictEqual(await untilMirror(rig, "Succeeded"), uid);
  // Quicker than its mirror goes.
  await rig.remove("web");
  await rig.until(() => core.pods().length === 0, "no pod");
  await rig.apply("web", manifest);
  notStrictEqual(await untilMirror(rig, "Running"), uid);
  strictEqual(core.fake.running(WEB).length, 1);
});

Deno.test("the mirror of a pod that was evicted says so, and another one comes when it is back", async () => {
  await using rig = await JoinedCore.start({
    kubelet: ["evictionPressureTransitionPeriod: 20s"],
  });
  const { core } = rig;
  await rig.apply("web", web());
  const uid = await untilMirror(rig, "Running");
  core.only(WEB).memoryBytes = BigInt(500 * MI);
  core.machine.left.available = 50 * MI;
  strictEqual(await untilMirror(rig, "Failed"), uid);
  core.machine.left.available = 900 * MI;
  await rig.pass(10_000);
  strictEqual(rig.shown(MIRROR)?.metadata.uid, uid);
  notStrictEqual(await untilMirror(rig, "Running"), uid);
  strictEqual(core.fake.running(WEB).length, 1);
});

const MI = 2 ** 20;
