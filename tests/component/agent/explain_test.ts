/**
 * What an agent tells of pods that do not run, asked as `skerry explain` asks.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  ok,
  partialDeepStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { ControlServer } from "../../../mod/server/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { run } from "../../support/cli/test_io.ts";
import { busybox, WEB, web } from "../../support/agent/manifests.ts";
import { Answers, ask, probed } from "../../support/agent/probes.ts";
import { report, untilFound, untilReport } from "../../support/agent/told.ts";
import {
  exitCode,
  failedProbe,
  isFound,
  retryTime,
} from "../../support/findings.ts";

Deno.test("explain tells that a pod runs", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  const found = await untilFound(rig, ["ready"]);
  ok(
    found.pod.status?.conditions?.find(({ type }) => type === "Ready")
      ?.lastTransitionTime,
  );
  deepStrictEqual(report(rig, `web-${NODE}`)?.pod, found.pod);
  strictEqual(found.source?.name, "file");
  deepStrictEqual(found.activities, []);
  ok(found.events.some(({ reason }) => reason === "Started"));
  // What was decided last, whether that was to start it or that nothing is to be done.
  ok((found.decision?.why.length ?? 0) > 0);
  strictEqual(report(rig, "wbe"), undefined);
});

Deno.test("explain tells until when a crashing container waits", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  for (const restarts of [0, 1]) {
    await rig.until(
      () =>
        rig.fake.running(WEB).length === 1 &&
        rig.status("web")?.containerStatuses?.[0]?.restartCount === restarts,
      `run ${restarts}`,
    );
    const why = { reason: "Error", message: "starting\nno table\n" };
    rig.fake.exitContainer(rig.only(WEB).id, 3, why);
  }
  const found = await untilReport(
    rig,
    { what: "the second wait" },
    (report) =>
      report.pod.status?.containerStatuses?.[0]?.restartCount === 1 &&
      isFound({
        kind: "waiting",
        container: WEB,
        reason: "CrashLoopBackOff",
        said: /\b3\b.*: no table$/,
      }, report),
  );
  ok(Date.parse(retryTime(found) ?? "") > Date.parse(found.time));
  strictEqual(exitCode(found, WEB), 3);
});

Deno.test("explain tells of images that cannot be pulled, and of those being pulled", async () => {
  await using rig = await CoreRig.start();
  const image = "localhost/missing:1";
  await rig.apply(
    "web",
    web({ spec: { containers: [busybox(WEB, { image })] } }),
  );
  const found = await untilFound(rig, [{
    kind: "waiting",
    container: WEB,
    reason: /^(ErrImagePull|ImagePullBackOff)$/,
    said: /localhost\/missing:1/,
  }]);
  ok(retryTime(found));
  rig.fake.fault("PullImage", { kind: "hang" });
  const { activities } = await untilFound(rig, [
    { kind: "pulling_image", container: WEB, said: image },
  ]);
  deepStrictEqual(
    activities.map(({ kind, image }) => [kind, image]),
    [["starting_container", undefined], ["pulling_image", image]],
  );
});

Deno.test("explain tells who waits for a place to pull", async () => {
  await using rig = await CoreRig.start({
    kubelet: ["serializeImagePulls: true"],
    prepare: ({ fake }) => fake.fault("PullImage", { kind: "hang" }),
  });
  for (const name of ["a", "b"]) {
    const image = `localhost/${name}:1`;
    const spec = { containers: [busybox(WEB, { image })] };
    await rig.apply(name, web({ name, spec }));
    // The first one has the place before the other asks for it.
    if (name === "a") await untilFound(rig, ["pulling_image"], name);
  }
  const { pod } = await untilFound(rig, [
    { kind: "waiting_for_pull_place", container: WEB, said: "localhost/b:1" },
  ], "b");
  partialDeepStrictEqual(rig.core.activities.list(pod.metadata.uid), [
    {},
    { image: "localhost/b:1", places: 1 },
  ]);
});

Deno.test("explain tells of a sandbox that cannot be made or takes long", async () => {
  await using rig = await CoreRig.start({
    prepare: ({ fake }) =>
      fake.fault("RunPodSandbox", {
        kind: "error",
        code: 13,
        details: "no network",
      }, { times: 1 }),
  });
  await rig.apply("web", web());
  const found = await untilFound(rig, [
    { kind: "failing", reason: "CreatePodSandboxError", said: /: no network$/ },
  ]);
  ok(retryTime(found));
  rig.fake.fault("RunPodSandbox", { kind: "hang" });
  await untilFound(rig, ["creating_sandbox"]);
});

Deno.test("explain tells which object a pod lacks", async () => {
  await using rig = await CoreRig.start();
  const spec = {
    volumes: [{ name: "cfg", configMap: { name: "settings" } }],
    containers: [
      busybox(WEB, { volumeMounts: [{ name: "cfg", mountPath: "/cfg" }] }),
    ],
  };
  await rig.apply("web", web({ spec }));
  const found = await untilFound(rig, [{
    kind: "failing",
    reason: "FailedMount",
    said: /ConfigMap default\/settings .*"cfg"/,
  }]);
  ok(retryTime(found));
  const valueFrom = { secretKeyRef: { name: "db", key: "password" } };
  await rig.apply(
    "env",
    web({
      name: "env",
      spec: {
        containers: [busybox(WEB, { env: [{ name: "P", valueFrom }] })],
      },
    }),
  );
  await untilFound(rig, [{
    kind: "waiting",
    container: WEB,
    reason: "CreateContainerConfigError",
    said: "Secret default/db",
  }], "env");
});

Deno.test("explain tells of init containers", async () => {
  await using rig = await CoreRig.start();
  const initContainers = [busybox("prepare"), busybox("migrate")];
  await rig.apply("web", web({ spec: { initContainers } }));
  const first = await untilFound(rig, [
    { kind: "running", container: "prepare", said: /1 .*2/ },
  ]);
  ok(first.pod.status?.initContainerStatuses?.[0]?.state?.running?.startedAt);
  rig.fake.exitContainer(rig.only("prepare").id, 0);
  await rig.until(() => rig.fake.running("migrate").length === 1, "migrate");
  rig.fake.exitContainer(rig.only("migrate").id, 1);
  await rig.until(() => rig.fake.running("migrate").length === 1, "again");
  rig.fake.exitContainer(rig.only("migrate").id, 1);
  const found = await untilReport(
    rig,
    { what: "the second wait" },
    (report) =>
      report.pod.status?.initContainerStatuses?.[1]?.restartCount === 1 &&
      isFound({
        kind: "waiting",
        container: "migrate",
        reason: "CrashLoopBackOff",
      }, report),
  );
  strictEqual(exitCode(found, "migrate"), 1);
});

Deno.test("explain tells what probes found", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  await rig.apply("web", probed({ readinessProbe: ask("ready") }));
  await untilReport(
    rig,
    { what: "a readiness probe that fails" },
    (report) =>
      isFound({ kind: "unready", container: WEB, said: /: no$/ }, report) &&
      failedProbe(report, "readiness") === "no",
  );
  answers.set("ready", "yes");
  await untilFound(rig, ["ready"]);
  answers.set("start", "no");
  const startupProbe = ask("start", { failureThreshold: 30 });
  await rig.apply("slow", probed({ startupProbe }, { name: "slow" }));
  const { probes: [probe] } = await untilReport(
    rig,
    { what: "a startup probe that fails", name: "slow" },
    (report) =>
      isFound(
        { kind: "starting", container: WEB, said: /\d+ .*30 .*: no$/ },
        report,
      ) &&
      failedProbe(report, "startup") === "no",
  );
  strictEqual(probe?.probe.failureThreshold, 30);
  ok(probe.consecutive > 0);
});

Deno.test("explain tells whose port a pod wants, as over the control socket", async () => {
  await using rig = await CoreRig.start();
  const spec = {
    containers: [
      busybox(WEB, { ports: [{ containerPort: 80, hostPort: 80 }] }),
    ],
  };
  await rig.apply("a", web({ name: "a", spec }));
  await untilFound(rig, ["ready"], "a");
  await rig.apply("b", web({ name: "b", spec }));
  const { explanation, findings } = await untilFound(rig, [
    {
      kind: "refused",
      reason: "NodePorts",
      said: new RegExp(`\\b80\\b.* default/a-${NODE}$`),
    },
  ], "b");
  const path = `${rig.directory}/control.sock`;
  const place = { path, stagingPath: `${path}.new` };
  await using _server = await ControlServer.start(place, {
    view: rig.views,
    version: {},
    clock: rig.clock,
    log: silentLogger,
  });
  const at = `--control-socket=${path}`;
  const sentences = `${explanation.join("\n")}\n`;
  deepStrictEqual(await run(`explain pod/b ${at}`), {
    code: 0,
    output: sentences,
    errors: "",
  });
  const json = await run(`explain b-${NODE} -o json ${at}`);
  partialDeepStrictEqual(JSON.parse(json.output), { explanation, findings });
  const missing = await run(`explain pod/c ${at} -n other`);
  strictEqual(missing.code, 1);
  match(missing.errors, /^skerry: .*"c".*"other"/);
  const described = await run(`describe pod b ${at}`);
  strictEqual(described.code, 0);
  ok(described.output.includes(sentences), described.output);
});

Deno.test("explain tells of the pod that has to end first, and how it ends", async () => {
  await using rig = await CoreRig.start();
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const spec = {
    terminationGracePeriodSeconds: 100,
    containers: [busybox(WEB, { lifecycle })],
  };
  await rig.apply("web", web({ uid: "first", spec }));
  await untilFound(rig, ["ready"]);
  await rig.apply("web", web({ uid: "second", spec }));
  await untilFound(rig, [
    { kind: "namesake", reason: "ending", said: /\bfirst\b.*; / },
  ]);
  await rig.remove("web");
  const { activities } = await untilFound(rig, [
    { kind: "ending", reason: "removed" },
    "stopping_container",
  ]);
  ok(activities.some(({ kind }) => kind === "pre_stop_hook"));
});

Deno.test("explain tells since when the runtime is down", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilFound(rig, ["ready"]);
  await rig.fake.stop();
  await untilFound(rig, [
    { kind: "runtime_down", said: /\d\d:\d\d:\d\d \(\d+ s\): / },
    "ready",
  ]);
  ok(rig.core.watch.downSince?.sinceMs);
  await rig.fake.restart();
  await untilFound(rig, ["ready"]);
});

Deno.test("explain tells of manifests that are not valid", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilFound(rig, ["ready"]);
  await rig.apply("web", web({ spec: { containers: [] } }));
  await untilFound(rig, ["ready", {
    kind: "broken_manifest",
    said: /\/web\.json .*: spec\.containers: /,
  }]);
  await rig.apply("bad", web({ name: "bad", spec: { containers: [] } }));
  await untilFound(
    rig,
    [{ kind: "invalid", said: /\/bad\.json".*spec\.containers: / }],
    "bad",
  );
});

Deno.test("explain tells how a pod ended", async () => {
  await using rig = await CoreRig.start();
  const spec = { restartPolicy: "Never" };
  for (const [name, code] of [["good", 0], ["bad", 7]] as const) {
    await rig.apply(name, web({ name, spec }));
    await untilFound(rig, ["ready"], name);
    rig.fake.exitContainer(rig.only(WEB).id, code);
    await untilReport(
      rig,
      { what: "its end", name },
      (report) => isFound(code === 0 ? "completed" : "failed", report),
    );
  }
  await rig.pass(5_000);
  const good = report(rig, "good");
  deepStrictEqual(good?.findings, [{ kind: "completed" }]);
  const bad = await untilFound(rig, ["failed", "final"], "bad");
  strictEqual(exitCode(bad, WEB), 7);
});
