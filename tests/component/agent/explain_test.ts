/**
 * What an agent tells of pods that do not run, asked as `skerry explain` asks.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { ControlServer } from "../../../mod/server/mod.ts";
import { CoreRig, NODE } from "../../support/agent/core_rig.ts";
import { run } from "../../support/cli/test_io.ts";
import { container, WEB, web } from "../../support/agent/manifests.ts";
import { Answers, ask, probed } from "../../support/agent/probes.ts";
import { report, told, untilTold } from "../../support/agent/told.ts";

Deno.test("explain tells that a pod runs", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilTold(rig, /^It runs: .* has been ready since .*$/);
  const found = report(rig);
  deepStrictEqual(report(rig, `web-${NODE}`)?.pod, found?.pod);
  strictEqual(found?.source?.name, "file");
  deepStrictEqual(found?.activities, []);
  ok(found?.events.some(({ reason }) => reason === "Started"));
  // What was decided last, whether that was to start it or that nothing is to be done.
  ok((found?.decision?.why.length ?? 0) > 0);
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
  await untilTold(
    rig,
    /CrashLoopBackOff, in \d+ s\): it ended 2 times, .* exit code 3 at .*: no table$/,
  );
});

Deno.test("explain tells of images that cannot be pulled, and of those being pulled", async () => {
  await using rig = await CoreRig.start();
  const image = "localhost/missing:1";
  await rig.apply(
    "web",
    web({ spec: { containers: [container(WEB, { image })] } }),
  );
  await untilTold(
    rig,
    /^The image "localhost\/missing:1" .*(ErrImagePull|ImagePullBackOff).*next try /,
  );
  rig.fake.fault("PullImage", { kind: "hang" });
  await untilTold(rig, /^Pulling the image "localhost\/missing:1" .*$/);
  deepStrictEqual(
    report(rig)?.activities.map(({ kind, image }) => [kind, image]),
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
    const spec = { containers: [container(WEB, { image })] };
    await rig.apply(name, web({ name, spec }));
    // The first one has the place before the other asks for it.
    if (name === "a") await untilTold(rig, /^Pulling the image/, name);
  }
  await untilTold(
    rig,
    /^Waiting for its turn to pull the image "localhost\/b:1" .*: one image /,
    "b",
  );
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
  await untilTold(
    rig,
    /^Its sandbox cannot be made, next try at .*: no network$/,
  );
  rig.fake.fault("RunPodSandbox", { kind: "hang" });
  await untilTold(rig, /^Making its sandbox since /);
});

Deno.test("explain tells which object a pod lacks", async () => {
  await using rig = await CoreRig.start();
  const spec = {
    volumes: [{ name: "cfg", configMap: { name: "settings" } }],
    containers: [
      container(WEB, { volumeMounts: [{ name: "cfg", mountPath: "/cfg" }] }),
    ],
  };
  await rig.apply("web", web({ spec }));
  await untilTold(
    rig,
    /^ConfigMap default\/settings is missing \(wanted by volume "cfg"\), next try at .*\)$/,
  );
  const valueFrom = { secretKeyRef: { name: "db", key: "password" } };
  await rig.apply(
    "env",
    web({
      name: "env",
      spec: {
        containers: [container(WEB, { env: [{ name: "P", valueFrom }] })],
      },
    }),
  );
  await untilTold(
    rig,
    /^Secret default\/db is missing \(wanted by container "server"\)/,
    "env",
  );
});

Deno.test("explain tells of init containers", async () => {
  await using rig = await CoreRig.start();
  const initContainers = [container("prepare"), container("migrate")];
  await rig.apply("web", web({ spec: { initContainers } }));
  await untilTold(
    rig,
    /^Init container 1 of 2, "prepare", has been running since /,
  );
  rig.fake.exitContainer(rig.only("prepare").id, 0);
  await rig.until(() => rig.fake.running("migrate").length === 1, "migrate");
  rig.fake.exitContainer(rig.only("migrate").id, 1);
  await rig.until(() => rig.fake.running("migrate").length === 1, "again");
  rig.fake.exitContainer(rig.only("migrate").id, 1);
  await untilTold(
    rig,
    /^Init container 2 of 2, "migrate", .* it ended 2 times, .* exit code 1/,
  );
});

Deno.test("explain tells what probes found", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  await rig.apply("web", probed({ readinessProbe: ask("ready") }));
  await untilTold(
    rig,
    /^The readiness probe of container "server" has been failing since .*: no$/,
  );
  const [probe] = report(rig)?.probes ?? [];
  deepStrictEqual([probe?.kind, probe?.last?.kind], ["readiness", "failure"]);
  answers.set("ready", "yes");
  await untilTold(rig, /^It runs: /);
  answers.set("start", "no");
  const startupProbe = ask("start", { failureThreshold: 30 });
  await rig.apply("slow", probed({ startupProbe }, { name: "slow" }));
  await untilTold(
    rig,
    /its startup probe has failed \d+ of 30 times: no$/,
    "slow",
  );
});

Deno.test("explain tells whose port a pod wants, as over the control socket", async () => {
  await using rig = await CoreRig.start();
  const spec = {
    containers: [
      container(WEB, { ports: [{ containerPort: 80, hostPort: 80 }] }),
    ],
  };
  await rig.apply("a", web({ name: "a", spec }));
  await untilTold(rig, /^It runs/, "a");
  await rig.apply("b", web({ name: "b", spec }));
  await untilTold(rig, /^Refused/, "b");
  const path = `${rig.directory}/control.sock`;
  const place = { path, stagingPath: `${path}.new` };
  await using _server = await ControlServer.start(place, {
    view: rig.views,
    version: {},
    clock: systemClock,
    log: silentLogger,
  });
  const at = `--control-socket=${path}`;
  const sentence = `Refused: hostPort 80 is taken by pod default/a-${NODE}\n`;
  deepStrictEqual(await run(`explain pod/b ${at}`), {
    code: 0,
    output: sentence,
    errors: "",
  });
  const json = await run(`explain b-${NODE} -o json ${at}`);
  deepStrictEqual(JSON.parse(json.output).explanation, [sentence.trimEnd()]);
  const missing = await run(`explain pod/c ${at} -n other`);
  strictEqual(missing.code, 1);
  match(missing.errors, /it is wanted by no manifest in namespace "other"/);
  const described = await run(`describe pod b ${at}`);
  strictEqual(described.code, 0);
  ok(described.output.includes(sentence), described.output);
});

Deno.test("explain tells of the pod that has to end first, and how it ends", async () => {
  await using rig = await CoreRig.start();
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const spec = {
    terminationGracePeriodSeconds: 100,
    containers: [container(WEB, { lifecycle })],
  };
  await rig.apply("web", web({ uid: "first", spec }));
  await untilTold(rig, /^It runs/);
  await rig.apply("web", web({ uid: "second", spec }));
  await untilTold(
    rig,
    /^It waits for .* \(UID first\) to end; it has been told to$/,
  );
  await rig.remove("web");
  await untilTold(
    rig,
    /^It has been ending since .*\nContainer .*; its preStop hook has been running /,
  );
});

Deno.test("explain tells since when the runtime is down", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilTold(rig, /^It runs/);
  await rig.fake.stop();
  await untilTold(
    rig,
    /^The runtime has been down since .*\nWhen last seen: It runs/,
  );
  await rig.fake.restart();
  await untilTold(rig, /^It runs/);
});

Deno.test("explain tells of manifests that are not valid", async () => {
  await using rig = await CoreRig.start();
  await rig.apply("web", web());
  await untilTold(rig, /^It runs/);
  await rig.apply("web", web({ spec: { containers: [] } }));
  await untilTold(
    rig,
    /^It runs: .*\nThe manifest \/.*\/web\.json .*: spec\.containers: .*$/,
  );
  await rig.apply("bad", web({ name: "bad", spec: { containers: [] } }));
  await untilTold(
    rig,
    /^It does not run: The manifest ".*\/bad\.json" is not valid: /,
    "bad",
  );
});

Deno.test("explain tells how a pod ended", async () => {
  await using rig = await CoreRig.start();
  const spec = { restartPolicy: "Never" };
  for (const [name, code] of [["good", 0], ["bad", 7]] as const) {
    await rig.apply(name, web({ name, spec }));
    await untilTold(rig, /^It runs/, name);
    rig.fake.exitContainer(rig.only(WEB).id, code);
    await untilTold(rig, /^(Completed|Failed)/, name);
  }
  await rig.pass(5_000);
  match(told(rig, "good"), /^Completed at /);
  match(
    told(rig, "bad"),
    /^Failed: .* exit code 7 /,
  );
});
