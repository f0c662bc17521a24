/**
 * In which order the containers of a pod start and end (RT-13, RT-16 to RT-18, RT-20).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import type { Behaviour } from "../../support/fake_cri/model.ts";
import { busybox, web } from "../../support/agent/manifests.ts";
import { untilPhase } from "../../support/agent/phases.ts";

function sidecar(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return busybox(name, { restartPolicy: "Always", ...fields });
}

/** The names of the containers that a method was called for, in order, with the times. */
function callsFor(
  rig: CoreRig,
  method: "StartContainer" | "StopContainer",
): { readonly name: string; readonly atMs: number }[] {
  const names = new Map(
    [...rig.fake.containers.values()].map(({ id, name }) => [id, name]),
  );
  return rig.fake.callsOf(method).map(({ request, atMs }) => ({
    name: names.get(idIn(request)) ?? "?",
    atMs,
  }));
}

function idIn(request: unknown): string {
  return typeof request === "object" && request !== null &&
      "containerId" in request && typeof request.containerId === "string"
    ? request.containerId
    : "";
}

function namesOf(calls: readonly { readonly name: string }[]): string[] {
  return calls.map(({ name }) => name);
}

function waiting(rig: CoreRig, name: string): string | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } =
    rig.status("web") ?? {};
  return [...initContainerStatuses, ...containerStatuses]
    .find((each) => each.name === name)?.state?.waiting?.reason;
}

function condition(rig: CoreRig, type: string): string | undefined {
  return rig.status("web")?.conditions?.find((each) => each.type === type)
    ?.status;
}

Deno.test("Agent runs init containers one after another, and the app after the last (RT-13)", async () => {
  await using rig = await CoreRig.start();
  const exit = { code: 0, afterMs: 3_000 };
  rig.fake.behave("init1", { exit });
  rig.fake.behave("init2", { exit });
  const postStart = { exec: { command: ["sh", "-c", "hook"] } };
  const spec = {
    initContainers: [busybox("init1"), busybox("init2")],
    containers: [busybox("app", { lifecycle: { postStart } })],
  };
  await rig.apply("web", web({ spec }));
  await untilPhase(rig, "Running");
  const starts = callsFor(rig, "StartContainer");
  deepStrictEqual(namesOf(starts), ["init1", "init2", "app"]);
  for (const at of [0, 1]) {
    const gapMs = (starts[at + 1]?.atMs ?? 0) - (starts[at]?.atMs ?? 0);
    ok(gapMs >= 2_999, `${gapMs} ms`);
  }
  const hooks = rig.fake.callsOf("ExecSync");
  strictEqual(hooks.length, 1);
  ok((hooks[0]?.atMs ?? 0) >= (starts[2]?.atMs ?? Infinity));
});

for (const restartPolicy of ["Always", "OnFailure", "Never"]) {
  Deno.test(`Agent does not start the app of a pod whose init container fails under ${restartPolicy} (RT-13)`, async () => {
    await using rig = await CoreRig.start();
    rig.fake.behave("init1", { exit: { code: 0, afterMs: 100 } });
    rig.fake.behave("init2", { exit: { code: 3, afterMs: 100 } });
    const spec = {
      restartPolicy,
      initContainers: [busybox("init1"), busybox("init2")],
      containers: [busybox("app")],
    };
    await rig.apply("web", web({ spec }));
    await rig.until(
      () =>
        restartPolicy === "Never"
          ? rig.status("web")?.phase === "Failed"
          : waiting(rig, "init2") === "CrashLoopBackOff",
      "its failure",
    );
    await rig.pass(3_000);
    const names = namesOf(callsFor(rig, "StartContainer"));
    strictEqual(names.includes("app"), false);
    strictEqual(condition(rig, "Initialized"), "False");
    if (restartPolicy === "Never") {
      strictEqual(rig.status("web")?.phase, "Failed");
      strictEqual(rig.fake.callsOf("StartContainer").length, 2);
    } else {
      strictEqual(rig.status("web")?.phase, "Pending");
      strictEqual(waiting(rig, "init2"), "CrashLoopBackOff");
      strictEqual(waiting(rig, "app"), "PodInitializing");
    }
  });
}

Deno.test("Agent waits with what follows an init container whose image is missing (RT-13)", async () => {
  await using rig = await CoreRig.start();
  const missing = { image: "localhost/nope:1", imagePullPolicy: "Never" };
  const spec = {
    initContainers: [sidecar("side"), busybox("init", missing)],
    containers: [busybox("app")],
  };
  await rig.apply("web", web({ spec }));
  await rig.until(
    () => waiting(rig, "init") === "ErrImageNeverPull",
    "what it waits for",
  );
  await rig.pass(3_000);
  deepStrictEqual(namesOf(callsFor(rig, "StartContainer")), ["side"]);
  strictEqual(rig.status("web")?.phase, "Pending");
});

Deno.test("Agent starts sidecars in their place among the init containers, and they overlap with the app (RT-16)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("init2", { exit: { code: 0, afterMs: 2_000 } });
  const spec = {
    initContainers: [sidecar("side1"), busybox("init2"), sidecar("side3")],
    containers: [busybox("app")],
  };
  await rig.apply("web", web({ spec }));
  await untilPhase(rig, "Running");
  const starts = callsFor(rig, "StartContainer");
  deepStrictEqual(namesOf(starts), ["side1", "init2", "side3", "app"]);
  for (const name of ["side1", "side3", "app"]) rig.only(name);
  const shown = rig.status("web")?.initContainerStatuses ?? [];
  deepStrictEqual(shown.map(({ started }) => started), [true, false, true]);
});

Deno.test("Agent restarts a sidecar that crashes before the app has started, whatever the policy of the pod (RT-16)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("side1", { exit: { code: 1, afterMs: 500 } });
  rig.fake.behave("init2", { exit: { code: 0, afterMs: 30_000 } });
  const spec = {
    restartPolicy: "Never",
    initContainers: [sidecar("side1"), busybox("init2")],
    containers: [busybox("app")],
  };
  await rig.apply("web", web({ spec }));
  await rig.pass(15_000);
  strictEqual(rig.status("web")?.phase, "Pending");
  const names = namesOf(callsFor(rig, "StartContainer"));
  strictEqual(names.filter((name) => name === "init2").length, 1);
  ok((rig.status("web")?.initContainerStatuses?.[0]?.restartCount ?? 0) >= 1);
  rig.fake.behave("side1", {});
  await untilPhase(rig, "Running");
});

const SLOW: Behaviour = { onTerm: { code: 0, afterMs: 5_000 } };
const SIDES = ["side1", "side2", "side3"];

/** A pod of three sidecars and an app, in which everything takes its time to end. */
async function slowPod(
  rig: CoreRig,
  options: {
    readonly fields?: Readonly<Record<string, unknown>>;
    readonly spec?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<void> {
  for (const name of [...SIDES, "app"]) rig.fake.behave(name, SLOW);
  const spec = {
    terminationGracePeriodSeconds: 60,
    initContainers: SIDES.map((name) => sidecar(name, options.fields)),
    containers: [busybox("app", options.fields)],
    ...options.spec,
  };
  await rig.apply("web", web({ spec }));
}

/** How long until nothing of the removed pod runs any more, in milliseconds. */
async function end(rig: CoreRig): Promise<number> {
  const startMs = rig.clock.monotonic();
  await rig.remove("web");
  await rig.until(
    () =>
      [...rig.fake.containers.values()]
        .every(({ state }) => state === "exited"),
    "the end of all",
  );
  return rig.clock.monotonic() - startMs;
}

Deno.test("Agent ends the app first and then the sidecars, the last one first (RT-17)", async () => {
  await using rig = await CoreRig.start();
  await slowPod(rig);
  await untilPhase(rig, "Running");
  // Seen before the records go.
  const calls: { name: string; atMs: number }[] = [];
  const startMs = rig.clock.now();
  await rig.remove("web");
  await rig.until(() => {
    calls.splice(0, Infinity, ...callsFor(rig, "StopContainer"));
    return calls.length === 4;
  }, "the last stop");
  deepStrictEqual(namesOf(calls), ["app", "side3", "side2", "side1"]);
  const seconds = calls.map(({ atMs }) => Math.round((atMs - startMs) / 5_000));
  deepStrictEqual(seconds, [0, 1, 2, 3]);
});

Deno.test("Agent ends all together at the grace limit when every preStop hook hangs (RT-17)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.settings.exec = () => ({ afterMs: 10_000_000 });
  const lifecycle = { preStop: { exec: { command: ["sh", "-c", "hang"] } } };
  await slowPod(rig, { fields: { lifecycle } });
  await untilPhase(rig, "Running");
  const tookMs = await end(rig);
  ok(tookMs >= 62_000 && tookMs <= 65_000, `${tookMs} ms`);
});

Deno.test("Agent ends a pod during its initialisation within its grace (RT-17)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("init", { onTerm: "ignore" });
  await slowPod(rig, {
    spec: {
      terminationGracePeriodSeconds: 3,
      initContainers: [sidecar("side1"), busybox("init"), sidecar("side3")],
    },
  });
  await rig.until(() => rig.fake.running("init").length === 1, "init");
  const tookMs = await end(rig);
  ok(tookMs <= 8_000, `${tookMs} ms`);
  deepStrictEqual(rig.fake.running("side3"), []);
});

Deno.test("Agent does not wait for a sidecar that never started (RT-17)", async () => {
  await using rig = await CoreRig.start();
  const missing = { image: "localhost/nope:1", imagePullPolicy: "Never" };
  await slowPod(rig, {
    spec: { initContainers: [sidecar("side1"), sidecar("side2", missing)] },
  });
  await rig.until(() => waiting(rig, "side2") !== undefined, "its failure");
  const tookMs = await end(rig);
  ok(tookMs <= 7_000, `${tookMs} ms`);
});

const ENDS: Readonly<Record<string, Behaviour>> = {
  "ends well": { onTerm: { code: 0, afterMs: 0 } },
  "exits 1": { onTerm: { code: 1, afterMs: 0 } },
  "has to be killed": { onTerm: "ignore" },
};

for (const [what, behaviour] of Object.entries(ENDS)) {
  for (const [code, phase] of [[0, "Succeeded"], [3, "Failed"]] as const) {
    Deno.test(`Agent calls a Never pod ${phase} whose app exits ${code} and whose sidecar ${what} (RT-18)`, async () => {
      await using rig = await CoreRig.start();
      rig.fake.behave("side", behaviour);
      const spec = {
        restartPolicy: "Never",
        initContainers: [sidecar("side")],
        containers: [busybox("app")],
      };
      await rig.apply("web", web({ spec }));
      await untilPhase(rig, "Running");
      rig.fake.exitContainer(rig.only("app").id, code);
      await untilPhase(rig, phase);
      await rig.until(() => rig.fake.running("side").length === 0, "its end");
      await rig.pass(70_000);
      strictEqual(rig.status("web")?.phase, phase);
      strictEqual(rig.fake.callsOf("StartContainer").length, 2);
    });
  }
}

Deno.test("Agent makes a sidecar again that was removed while it was down, and nothing else (RT-20)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("init", { exit: { code: 0, afterMs: 100 } });
  const spec = {
    initContainers: [busybox("init"), sidecar("side")],
    containers: [busybox("app")],
  };
  await rig.apply("web", web({ spec }));
  await untilPhase(rig, "Running");
  const app = rig.only("app").id;
  const side = rig.only("side").id;
  await rig.stopAgent();
  rig.fake.vanish(side);
  const from = rig.fake.calls.length;
  await rig.startAgent();
  await rig.until(() => rig.fake.running("side").length === 1, "the sidecar");
  await rig.pass(5_000);
  ok(rig.only("side").id !== side);
  strictEqual(rig.only("app").id, app);
  const made = rig.mutations(from)
    .filter((method) => method === "StartContainer");
  strictEqual(made.length, 1);
  match(rig.status("web")?.phase ?? "", /Running/);
});
