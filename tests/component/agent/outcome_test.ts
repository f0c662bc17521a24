/**
 * How containers fail to start or end, as the status says it (RT-08, RT-10, RT-23,
 * RT-25, RT-28, RT-34).
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ContainerState } from "../../../mod/api/types/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { IMAGE } from "../../support/pods.ts";
import type { FakeContainer } from "../../support/fake_cri/model.ts";
import { busybox, untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilPhase } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000002";

function stateOf(rig: CoreRig, name: string = WEB): ContainerState | undefined {
  return rig.status("web")?.containerStatuses
    ?.find((each) => each.name === name)?.state;
}

function told(rig: CoreRig, reason: string): number {
  return rig.log.filter((line) => line.includes(`"reason":"${reason}"`)).length;
}

interface Row {
  readonly reason: string;
  readonly message: RegExp;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly prepare?: (rig: CoreRig) => void;
}

const ERROR = { kind: "error", code: 13, details: "out of luck" } as const;
const PULLED = { image: "localhost/other:1", imagePullPolicy: "IfNotPresent" };

const ROWS: readonly Row[] = [
  {
    reason: "ErrImageNeverPull",
    message: /is not present with pull policy of Never/,
    fields: { image: "localhost/other:1", imagePullPolicy: "Never" },
  },
  {
    reason: "ErrImagePull",
    message: /localhost\/other:1/,
    fields: PULLED,
    // The next attempt would already wait for the one after.
    prepare: (rig) =>
      rig.fake.fault("PullImage", { kind: "delay", ms: 1 }, { times: 1 }),
  },
  {
    reason: "ImagePullBackOff",
    message: /^Back-off pulling image "localhost\/other:1": ErrImagePull: /,
    fields: PULLED,
  },
  {
    reason: "CreateContainerError",
    message: /out of luck/,
    prepare: (rig) => rig.fake.fault("CreateContainer", ERROR),
  },
  {
    reason: "CreateContainerConfigError",
    message: /runAsNonRoot/,
    fields: { securityContext: { runAsNonRoot: true } },
  },
  {
    reason: "ImageInspectError",
    message: /out of luck/,
    fields: PULLED,
    prepare: (rig) =>
      rig.fake.fault("ImageStatus", ERROR, {
        when: (request) => JSON.stringify(request).includes(PULLED.image),
      }),
  },
];

for (const { reason, message, fields, prepare } of ROWS) {
  Deno.test(`Agent shows ${reason} for a container that cannot start`, async () => {
    await using rig = await CoreRig.start({
      prepare: (made) => prepare?.(made),
    });
    const spec = {
      containers: [busybox(WEB, fields), busybox("other")],
    };
    await rig.apply("web", web({ spec }));
    await rig.until(
      () => stateOf(rig)?.waiting?.reason === reason,
      reason,
    );
    match(stateOf(rig)?.waiting?.message ?? "", message);
    strictEqual(rig.status("web")?.phase, "Pending");
    // Its neighbour is none the worse for it, unless nothing can be started at all.
    const isAlone = reason !== "CreateContainerError";
    strictEqual(rig.fake.running("other").length, isAlone ? 1 : 0);
  });
}

Deno.test("Agent shows ContainerCreating while a sandbox is being made", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("RunPodSandbox", { kind: "delay", ms: 20_000 }, { times: 1 });
  await rig.apply("web", web());
  await rig.until(() => stateOf(rig) !== undefined, "a status");
  strictEqual(stateOf(rig)?.waiting?.reason, "ContainerCreating");
});

for (const restartPolicy of ["Always", "Never"]) {
  Deno.test(`Agent shows the runtime's words for a command that cannot be run under ${restartPolicy} (RT-25)`, async () => {
    await using rig = await CoreRig.start();
    const startError = 'exec: "/nope": no such file or directory';
    rig.fake.behave(WEB, { startError });
    const spec = {
      restartPolicy,
      containers: [busybox(WEB), busybox("other")],
    };
    await rig.apply("web", web({ spec }));
    await rig.pass(5_000);
    const [shown] = rig.status("web")?.containerStatuses?.filter(({ name }) =>
      name === WEB
    ) ?? [];
    const ended = restartPolicy === "Never" ? shown?.state : shown?.lastState;
    deepStrictEqual(
      [ended?.terminated?.exitCode, ended?.terminated?.reason],
      [128, "StartError"],
    );
    match(ended?.terminated?.message ?? "", /no such file or directory/);
    strictEqual(rig.fake.running("other").length, 1);
    const starts = rig.fake.callsOf("StartContainer").length;
    // The neighbour's, and of this one's the first and the one at once.
    strictEqual(starts, restartPolicy === "Never" ? 2 : 3);
    if (restartPolicy === "Always") {
      match(shown?.state?.waiting?.reason ?? "", /^CrashLoopBackOff$/);
    }
    rig.fake.exitContainer(rig.only("other").id, 0);
    await rig.pass(5_000);
    strictEqual(
      rig.status("web")?.phase,
      restartPolicy === "Never" ? "Failed" : "Running",
    );
  });
}

for (const restartPolicy of ["Always", "Never"]) {
  Deno.test(`Agent shows OOMKilled under ${restartPolicy} though the runtime hears of it after the end (RT-24)`, async () => {
    await using rig = await CoreRig.start();
    await rig.apply("web", web({ spec: { restartPolicy } }));
    await untilPhase(rig, "Running");
    const dead = rig.only(WEB);
    rig.fake.exitContainer(dead.id, 137);
    const shown = () => rig.status("web")?.containerStatuses?.[0];
    const reason = () =>
      (restartPolicy === "Never" ? shown()?.state : shown()?.lastState)
        ?.terminated?.reason;
    // The end is seen first, and the next look is a second away.
    rig.fake.fault("StopPodSandbox", { kind: "delay", ms: 500 }, { times: 1 });
    await rig.until(
      () => reason() === "Error",
      "the end",
      { stepMs: 50 },
    );
    dead.reason = "OOMKilled";
    await rig.until(() => reason() === "OOMKilled", "the cause", {
      limitMs: 3_000,
    });
    const from = rig.fake.calls.length;
    await rig.pass(5_000);
    const looks = rig.fake.calls.slice(from)
      .filter(({ method }) => method === "ContainerStatus");
    deepStrictEqual(looks, []);
  });
}

Deno.test("Agent starts a crashing container at most once out of turn when it restarts (RT-23)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave(WEB, { exit: { code: 1, afterMs: 100 } });
  await rig.apply("web", web());
  await rig.pass(90_000);
  const before = rig.fake.callsOf("StartContainer").length;
  await rig.restartAgent();
  await rig.pass(9_000);
  const after = rig.fake.callsOf("StartContainer").length;
  ok(after - before <= 1, `${after - before} starts`);
  strictEqual(stateOf(rig)?.waiting?.reason, "CrashLoopBackOff");
});

Deno.test("Agent starts a crash-looping container at once when its image changes (RT-34)", async () => {
  await using rig = await CoreRig.start();
  const other = "localhost/busybox:1.36";
  rig.fake.addImage({ ref: other });
  rig.fake.behave(WEB, { exit: { code: 1, afterMs: 100 } });
  const manifest = (image: string): Record<string, unknown> =>
    web({ uid: UID, spec: { containers: [busybox(WEB, { image })] } });
  await rig.apply("web", manifest(IMAGE));
  await rig.pass(300_000, 5_000);
  rig.fake.behave(WEB, { exit: { code: 0, afterMs: 30_000 } });
  await rig.apply("web", manifest(other));
  const started = (): readonly FakeContainer[] =>
    rig.fake.running(WEB).filter(({ config }) =>
      config.image?.userSpecifiedImage === other
    );
  await rig.until(() => started().length === 1, "the new image", {
    limitMs: 25_000,
  });
});

Deno.test("Agent shows what containers say at their end, together at most 12 KiB (RT-28)", async () => {
  await using rig = await CoreRig.start();
  const names = ["c1", "c2", "c3", "c4", "c5"];
  const spec = {
    restartPolicy: "Never",
    containers: names.map((name) =>
      busybox(name, name === "c5" ? { terminationMessagePath: "/last" } : {})
    ),
  };
  await rig.apply("web", web({ spec }));
  await rig.until(() => rig.fake.running("c5").length === 1, "all");
  for (const name of names) {
    const one = rig.only(name);
    const path = name === "c5" ? "/last" : "/dev/termination-log";
    const mount = one.config.mounts.find(({ containerPath }) =>
      containerPath === path
    );
    // Too long, and no UTF-8 at all.
    const bytes = new Uint8Array(name === "c1" ? 1 << 20 : 5_000);
    await Deno.writeFile(
      mount?.hostPath ?? "",
      bytes.fill(name === "c2" ? 0xff : 0x61),
    );
    rig.fake.exitContainer(one.id, 1);
  }
  await untilPhase(rig, "Failed");
  const texts = rig.status("web")?.containerStatuses
    ?.map(({ state }) => state?.terminated?.message ?? "") ?? [];
  const sizes = texts.map((text) => new TextEncoder().encode(text).length);
  strictEqual(sizes.length, 5);
  for (const size of sizes) ok(size > 2_400 && size <= 2_457, `${size} bytes`);
  ok(sizes.reduce((sum, size) => sum + size, 0) <= 12_288);
  ok(texts.every((text) => text.isWellFormed()));
});

Deno.test("Agent makes one sandbox although the first took longer than it waits (RT-08)", async () => {
  await using rig = await CoreRig.start();
  rig.fake.fault("RunPodSandbox", { kind: "delay", ms: 300_000 }, { times: 1 });
  await rig.apply("web", web());
  await rig.pass(200_000, 5_000);
  strictEqual(stateOf(rig)?.waiting?.reason, "ContainerCreating");
  ok(rig.fake.callsOf("RunPodSandbox").length <= 8);
  await untilPhase(rig, "Running", { limitMs: 160_000, stepMs: 1_000 });
  ok(told(rig, "FailedCreatePodSandBox") >= 1);
  await rig.pass(120_000, 5_000);
  strictEqual(rig.ready().length, 1);
  strictEqual(rig.fake.sandboxes.size, 1);
  strictEqual(rig.only(WEB).sandboxId, rig.ready()[0]?.id);
});

Deno.test("Agent shows a pod as ending as long as the runtime cannot end it (RT-10)", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilPhase(rig, "Running");
  rig.fake.fault("StopContainer", ERROR);
  rig.fake.fault("StopPodSandbox", ERROR);
  await rig.remove("web");
  await rig.pass(60_000);
  ok(rig.pod("web")?.metadata.deletionTimestamp);
  strictEqual(rig.fake.running(WEB).length, 1);
  const tries = rig.fake.callsOf("StopContainer").length;
  ok(tries >= 4 && tries <= 20, `${tries} attempts`);
  rig.fake.clearFaults();
  await rig.until(() => rig.fake.running(WEB).length === 0, "its end", {
    limitMs: 30_000,
  });
  await untilGone(rig);
});

const RULES = [{
  action: "Restart",
  exitCodes: { operator: "In", values: [42] },
}];

Deno.test("Agent restarts a container of a Never pod whose own rule asks for it", async () => {
  await using rig = await CoreRig.start();
  const own = { restartPolicy: "Never", restartPolicyRules: RULES };
  const spec = {
    restartPolicy: "Never",
    containers: [busybox(WEB, own), busybox("other")],
  };
  await rig.apply("web", web({ spec }));
  await untilPhase(rig, "Running");
  rig.fake.exitContainer(rig.only(WEB).id, 42);
  await rig.until(() => rig.fake.running(WEB).length === 1, "the restart");
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  await rig.pass(5_000);
  strictEqual(stateOf(rig)?.terminated?.exitCode, 1);
  rig.fake.exitContainer(rig.only("other").id, 0);
  await untilPhase(rig, "Failed");
});

Deno.test("Agent keeps a container down whose own policy is Never in an Always pod", async () => {
  await using rig = await CoreRig.start();
  const containers = [
    busybox(WEB, { restartPolicy: "Never" }),
    busybox("other"),
  ];
  await rig.apply("web", web({ spec: { containers } }));
  await untilPhase(rig, "Running");
  rig.fake.exitContainer(rig.only(WEB).id, 1);
  rig.fake.exitContainer(rig.only("other").id, 1);
  await rig.until(() => rig.fake.running("other").length === 1, "the other");
  await rig.pass(5_000);
  strictEqual(stateOf(rig)?.terminated?.exitCode, 1);
  strictEqual(rig.fake.running(WEB).length, 0);
});

Deno.test("Agent restarts all containers in place when an exit asks for it", async () => {
  await using rig = await CoreRig.start();
  rig.fake.behave("init", { exit: { code: 0, afterMs: 100 } });
  const rules = [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [42] },
  }];
  const own = { restartPolicy: "Never", restartPolicyRules: rules };
  const spec = {
    restartPolicy: "Never",
    initContainers: [busybox("init")],
    containers: [busybox(WEB, own), busybox("other")],
  };
  await rig.apply("web", web({ spec }));
  await untilPhase(rig, "Running");
  const sandbox = rig.ready()[0]?.id;
  const old = rig.only("other").id;
  rig.fake.exitContainer(rig.only(WEB).id, 42);
  await rig.until(
    () =>
      rig.fake.running(WEB).length === 1 &&
      rig.fake.running("other").length === 1 &&
      rig.only("other").id !== old,
    "all anew",
  );
  strictEqual(rig.ready()[0]?.id, sandbox);
  strictEqual(rig.fake.callsOf("CreateContainer").length, 6);
  await untilPhase(rig, "Running");
  const condition = rig.status("web")?.conditions
    ?.find(({ type }) => type === "AllContainersRestarting");
  strictEqual(condition?.status, "False");
});
