/**
 * The machine goes down: pods end in order, and all come back.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ShutdownGroup } from "../../../mod/pod/lifecycle/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { alone, busybox } from "../../support/agent/manifests.ts";
import { untilPhase, untilRunning } from "../../support/agent/phases.ts";

const CRITICAL = 2_000_000_000;
const GROUPS: readonly ShutdownGroup[] = [
  { priority: 0, graceSeconds: 20 },
  { priority: CRITICAL, graceSeconds: 10 },
];

/** Begins a shutdown, and says how long it took when it is over. */
function shutDown(rig: CoreRig, groups = GROUPS) {
  const startMs = rig.clock.monotonic();
  const world: { tookMs: number | undefined } = { tookMs: undefined };
  const { signal } = new AbortController();
  rig.core.agent.shutDown(groups, signal).then(() => {
    world.tookMs = rig.clock.monotonic() - startMs;
  });
  return world;
}

async function untilDown(rig: CoreRig, groups = GROUPS): Promise<number> {
  const world = shutDown(rig, groups);
  await rig.until(() => world.tookMs !== undefined, "the end of the shutdown");
  return world.tookMs ?? Infinity;
}

/** Nothing runs, as after a boot; what the runtime keeps are dead records. */
function powerOff(rig: CoreRig): void {
  for (const { id, state } of rig.fake.containers.values()) {
    if (state === "running") rig.fake.exitContainer(id, 255);
  }
  for (const { id } of rig.ready()) rig.fake.killSandbox(id);
}

function stops(rig: CoreRig): readonly [string, number][] {
  return rig.fake.callsOf("StopContainer").map(({ request, atMs }) => {
    const { containerId } = Object(request);
    const { name = "?" } = rig.fake.containers.get(containerId) ?? {};
    return [name, atMs] as [string, number];
  });
}

function timeouts(rig: CoreRig): Record<string, number> {
  return Object.fromEntries(
    rig.fake.callsOf("StopContainer").map(({ request }) => {
      const { containerId, timeout } = Object(request);
      const { name = "?" } = rig.fake.containers.get(containerId) ?? {};
      return [name, Number(timeout)];
    }),
  );
}

const runs = (name: string) => ({ status }: Pod) =>
  status?.containerStatuses?.some((each) =>
    each.name === name && each.state?.running !== undefined
  );

async function untilRuns(rig: CoreRig, ...names: readonly string[]) {
  await rig.until(
    () => names.every((name) => rig.pods().some(runs(name))),
    `${names} to run`,
  );
}

Deno.test("Agent ends pods by priority when the machine goes down, each with the shorter of two graces (SD-01)", async () => {
  await using rig = await CoreRig.start();
  const spec = { terminationGracePeriodSeconds: 120 };
  await rig.apply("short", alone("short"));
  await rig.apply("long", alone("long", {}, { spec }));
  await rig.apply(
    "last",
    alone("last", {}, { spec: { ...spec, priority: CRITICAL } }),
  );
  rig.fake.behave("long", { onTerm: { code: 0, afterMs: 7_000 } });
  await untilRunning(rig, "short", "long", "last");
  const tookMs = await untilDown(rig);
  deepStrictEqual(timeouts(rig), { short: 5, long: 20, last: 10 });
  const order = stops(rig);
  const atOf = (name: string) =>
    order.find(([each]) => each === name)?.[1] ?? NaN;
  strictEqual(order.at(-1)?.[0], "last");
  ok(atOf("last") - atOf("long") >= 7_000, `${order}`);
  ok(tookMs < 12_000, `${tookMs}`);
  strictEqual(rig.ready().length, 0);
});

Deno.test("Agent waits for a group no longer than its time, and goes on with the next", async () => {
  await using rig = await CoreRig.start();
  const spec = { terminationGracePeriodSeconds: 120 };
  await rig.apply("deaf", alone("deaf", {}, { spec }));
  await rig.apply("last", alone("last", {}, { spec: { priority: CRITICAL } }));
  rig.fake.behave("deaf", { onTerm: "ignore" });
  await untilRunning(rig, "deaf", "last");
  const tookMs = await untilDown(rig);
  const [[, firstMs] = ["", NaN], [, secondMs] = ["", NaN]] = stops(rig);
  ok(Math.abs(secondMs - firstMs - 20_000) < 1_000, `${stops(rig)}`);
  ok(tookMs >= 20_000 && tookMs < 33_000, `${tookMs}`);
  strictEqual(rig.fake.running("deaf").length, 0);
});

for (const restartPolicy of ["Always", "OnFailure", "Never"]) {
  for (const code of [0, 143]) {
    Deno.test(`Agent starts a ${restartPolicy} pod again after the boot whose container ended with ${code} in the shutdown`, async () => {
      await using rig = await CoreRig.start();
      rig.fake.behave("job", { onTerm: { code, afterMs: 100 } });
      await rig.apply("job", alone("job", {}, { spec: { restartPolicy } }));
      await untilRunning(rig, "job");
      await untilDown(rig);
      strictEqual(rig.fake.running("job").length, 0);
      ok(!["Failed", "Succeeded"].includes(rig.status("job")?.phase ?? ""));
      await rig.pass(30_000);
      strictEqual(rig.fake.running("job").length, 0, "it stays down");
      await rig.stopAgent();
      powerOff(rig);
      await rig.startAgent();
      await untilRuns(rig, "job");
    });
  }
}

Deno.test("Agent starts all pods again if it is started again and the machine did not go down after all (SD-02)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("a", alone("a", {}, { spec: { restartPolicy: "Never" } }));
  await rig.apply("b", alone("b"));
  await untilRunning(rig, "a", "b");
  await untilDown(rig);
  await rig.restartAgent();
  await untilRuns(rig, "a", "b");
});

Deno.test("Agent that is killed in the middle of a shutdown leaves pods that come back", async () => {
  await using rig = await CoreRig.start();
  const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 60 };
  await rig.apply("job", alone("job", {}, { spec }));
  await rig.apply("last", alone("last", {}, { spec: { priority: CRITICAL } }));
  rig.fake.behave("job", { onTerm: "ignore" });
  await untilRunning(rig, "job", "last");
  const world = shutDown(rig);
  await rig.until(() => stops(rig).length === 1, "the first stop");
  await rig.stopAgent();
  strictEqual(world.tookMs, undefined);
  // Its time is up without an agent: the runtime kills it.
  await rig.clock.advance(25_000);
  powerOff(rig);
  await rig.startAgent();
  await untilRuns(rig, "job", "last");
});

Deno.test("Agent starts nothing new while the machine goes down, and calls nothing Failed", async () => {
  await using rig = await CoreRig.start();
  const spec = { terminationGracePeriodSeconds: 120 };
  await rig.apply("deaf", alone("deaf", {}, { spec }));
  rig.fake.behave("deaf", { onTerm: "ignore" });
  await untilRunning(rig, "deaf");
  const world = shutDown(rig);
  await rig.until(() => stops(rig).length === 1, "the stop");
  await rig.apply("new", alone("new"));
  await rig.apply(
    "deaf",
    alone("deaf", { command: ["sleep", "2d"] }, { spec }),
  );
  await rig.until(() => world.tookMs !== undefined, "the end");
  await rig.pass(10_000);
  strictEqual(rig.fake.running("new").length, 0);
  strictEqual(rig.fake.callsOf("RunPodSandbox").length, 1);
  ok(rig.pods().every(({ status }) => status?.phase !== "Failed"));
  await rig.stopAgent();
  await rig.startAgent();
  await untilRuns(rig, "new", "deaf");
});

Deno.test("Agent ends a pod whose start hangs, and one whose hook does, when the machine goes down", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: Infinity });
  const lifecycle = { postStart: { exec: { command: ["wait"] } } };
  await rig.apply("hook", alone("hook", { lifecycle }));
  rig.fake.fault("PullImage", { kind: "hang" });
  await rig.apply("pull", alone("pull", { image: "localhost/slow:1" }));
  await rig.until(() => rig.fake.running("hook").length === 1, "its start");
  const tookMs = await untilDown(rig);
  ok(tookMs < 20_000, `${tookMs}`);
  strictEqual(rig.ready().length, 0);
});

Deno.test("Agent leaves a pod to its end that was removed before the machine went down", async () => {
  await using rig = await CoreRig.start();
  const preStop = { exec: { command: ["bye"] } };
  rig.fake.settings.exec = () => ({ afterMs: 3_000 });
  await rig.apply("gone", alone("gone", { lifecycle: { preStop } }));
  await untilRunning(rig, "gone");
  await rig.remove("gone");
  await rig.until(() => rig.fake.callsOf("ExecSync").length === 1, "its hook");
  ok(await untilDown(rig) < 10_000, "its group has 20 s");
  strictEqual(rig.fake.callsOf("ExecSync").length, 1, "its hook runs once");
  strictEqual(rig.fake.running("gone").length, 0);
});

Deno.test("Agent waits for no pod that has ended long before the machine goes down", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("done", { exit: { code: 0, afterMs: 100 } });
  await rig.apply(
    "done",
    alone("done", {}, { spec: { restartPolicy: "Never" } }),
  );
  await untilPhase(rig, "Succeeded", { name: "done" });
  ok(await untilDown(rig) < 1_000);
  await rig.restartAgent();
  await rig.pass(10_000);
  strictEqual(rig.fake.callsOf("StartContainer").length, 1, "it is done");
});

Deno.test("Agent keeps the volumes of pods that end with the machine", async () => {
  await using rig = await CoreRig.start();
  const volumes = [{ name: "data", emptyDir: {} }];
  const mounts = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
  const containers = [busybox("web", mounts)];
  await rig.apply("web", alone("web", {}, { spec: { volumes, containers } }));
  await untilRunning(rig);
  const [uid = ""] = rig.list(`${rig.config.paths.rootDir}/pods`);
  const data =
    `${rig.config.paths.rootDir}/pods/${uid}/volumes/kubernetes.io~empty-dir/data`;
  await Deno.writeTextFile(`${data}/kept`, "");
  await untilDown(rig);
  await rig.restartAgent();
  await untilRuns(rig, "web");
  deepStrictEqual(rig.list(data), ["kept"]);
});

Deno.test("Agent takes no update for a failed one because the machine goes down while it is tried", async () => {
  await using rig = await CoreRig.start();
  const manifest = (command: string) => {
    const made = alone("web", {
      command: ["sleep", command],
      readinessProbe: { exec: { command: ["check"] }, periodSeconds: 1 },
    }, { spec: { terminationGracePeriodSeconds: 120 } });
    const annotations = { "skerry.dev/rollback-after": "30s" };
    return { ...made, metadata: { name: "web", annotations } };
  };
  await rig.apply("web", manifest("1d"));
  await rig.until(
    () =>
      rig.status("web")?.conditions?.some(({ type, status }) =>
        type === "Ready" && status === "True"
      ) === true,
    "it to be ready",
  );
  rig.fake.settings.exec = () => ({ exitCode: 1 });
  await rig.apply("web", manifest("2d"));
  await rig.until(
    () =>
      rig.fake.running("web").some(({ config }) =>
        config.args.concat(config.command).includes("2d")
      ),
    "the new version",
  );
  rig.fake.behave("web", { onTerm: "ignore" });
  await untilDown(rig, [{ priority: 0, graceSeconds: 60 }]);
  await rig.pass(20_000);
  strictEqual(rig.core.agent.rolledBack().size, 0);
});

Deno.test("Agent says while the machine goes down that it does, in its health and of each pod", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("slow", alone("slow"));
  rig.fake.behave("slow", { onTerm: { code: 0, afterMs: 4_000 } });
  await untilRunning(rig, "slow");
  const { namespace = "", name = "" } = rig.pod("slow")?.metadata ?? {};
  const kinds = () =>
    rig.views.report(namespace, name)?.findings.map(({ kind }) => kind);
  const notes = () => rig.views.notes();
  deepStrictEqual([kinds()?.includes("shutting_down"), notes()], [false, []]);
  const world = shutDown(rig);
  await rig.until(() => stops(rig).length === 1, "its stop");
  deepStrictEqual(kinds()?.[0], "shutting_down");
  deepStrictEqual(notes(), [
    "the node is shutting down: its pods are stopped, and start again with it",
  ]);
  deepStrictEqual(rig.problems(), []);
  await rig.until(() => world.tookMs !== undefined, "the end of the shutdown");
  deepStrictEqual(kinds()?.[0], "shutting_down");
  await rig.restartAgent();
  await untilRuns(rig, "slow");
  deepStrictEqual(notes(), []);
  ok(!kinds()?.includes("shutting_down"));
});

Deno.test("Agent tries again to stop a pod that the runtime does not stop at first, when the machine goes down", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", alone("web"));
  await untilRunning(rig, "web");
  const busy = { kind: "error", code: 2, details: "busy" } as const;
  rig.fake.fault("StopContainer", busy, { times: 1 });
  rig.fake.fault("StopPodSandbox", busy, { times: 1 });
  ok(await untilDown(rig) < 20_000);
  strictEqual(rig.fake.running("web").length, 0);
  strictEqual(rig.logged("shutdown_group_late").length, 0);
});
