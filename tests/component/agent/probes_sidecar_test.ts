/**
 * Sidecars that have to start before what follows them (RT-16).
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { busybox, WEB } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  condition,
  messages,
  probed,
  untilReady,
} from "../../support/agent/probes.ts";

function sidecar(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return busybox(name, { restartPolicy: "Always", ...fields });
}

/** sidecar1 with a startup probe, then init2, sidecar3 and the app. */
function withSidecars(
  first: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return probed({}, {
    spec: {
      initContainers: [
        sidecar("sidecar1", first),
        busybox("init2"),
        sidecar("sidecar3"),
      ],
    },
  });
}

/** The names of the containers that were started, in order. */
function started(rig: CoreRig): string[] {
  const names = new Map(
    [...rig.fake.containers.values()].map(({ id, name }) => [id, name]),
  );
  return rig.fake.callsOf("StartContainer").map(({ request }) =>
    // The fake has decoded it by the very message of the CRI.
    names.get((request as { containerId: string }).containerId) ?? "?"
  );
}

Deno.test("Agent starts nothing after a sidecar before its startup probe succeeds (RT-16)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("start", "no");
  rig.fake.behave("init2", { exit: { code: 0, afterMs: 1_000 } });
  const startupProbe = ask("start", { failureThreshold: 60 });
  await rig.apply("web", withSidecars({ startupProbe }));
  await rig.until(() => answers.asked("start") >= 10, "ten attempts");
  deepStrictEqual(started(rig), ["sidecar1"]);
  strictEqual(condition(rig, "Initialized"), "False");
  answers.set("start", "yes");
  await untilReady(rig);
  deepStrictEqual(started(rig), ["sidecar1", "init2", "sidecar3", WEB]);
  strictEqual(condition(rig, "Initialized"), "True");
  for (const name of ["sidecar1", "sidecar3", WEB]) rig.only(name);
});

Deno.test("Agent starts what follows a sidecar as soon as it has started, not at the next look (RT-16)", async () => {
  await using rig = await CoreRig.start({ relistPeriodMs: 10_000 });
  rig.fake.behave("init2", { exit: { code: 0, afterMs: 100 } });
  await rig.apply(
    "web",
    withSidecars({ startupProbe: ask("start", { periodSeconds: 1 }) }),
  );
  await rig.until(() => started(rig).length >= 2, "init2");
  const [first = 0, second = 0] = rig.fake.callsOf("StartContainer")
    .map(({ atMs }) => atMs);
  ok(second - first < 1_500, `${second - first} ms`);
});

Deno.test("Agent ends and restarts a sidecar that does not start, and goes no further (RT-16)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("start", "no");
  await rig.apply(
    "web",
    withSidecars({
      startupProbe: ask("start"),
      lifecycle: { preStop: { exec: { command: ["bye"] } } },
    }),
  );
  await rig.until(() => started(rig).length === 2, "the restart");
  deepStrictEqual([...new Set(started(rig).slice(1))], ["sidecar1"]);
  const hooks = rig.fake.callsOf("ExecSync")
    .map(({ request }) => (request as { cmd: string[] }).cmd[0])
    .filter((word) => word === "bye");
  strictEqual(hooks.length, 1);
  deepStrictEqual(messages(rig, "Killing"), [
    "Init container sidecar1 failed startup probe",
  ]);
  strictEqual(rig.status("web")?.phase, "Pending");
});

Deno.test("Agent does not fail a pod whose sidecar crashes before the app starts (RT-16)", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig).set("start", "no");
  rig.fake.behave("sidecar1", { exit: { code: 1, afterMs: 500 } });
  const startupProbe = ask("start", { failureThreshold: 60 });
  await rig.apply("web", withSidecars({ startupProbe }));
  await rig.until(() => started(rig).length >= 3, "some restarts");
  strictEqual(rig.status("web")?.phase, "Pending");
  const [shown] = rig.status("web")?.initContainerStatuses ?? [];
  ok((shown?.restartCount ?? 0) >= 1);
});

Deno.test("Agent counts a sidecar's readiness for the pod's (RT-16)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("ready", "no");
  const initContainers = [sidecar("side", { readinessProbe: ask("ready") })];
  await rig.apply("web", probed({}, { spec: { initContainers } }));
  await rig.until(() => rig.fake.running(WEB).length === 1, "the app");
  await rig.pass(5_000);
  strictEqual(condition(rig, "Ready"), "False");
  answers.set("ready", "yes");
  await untilReady(rig);
});

Deno.test("Agent restarts a sidecar that lives no more beside an app that runs on", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const initContainers = [sidecar("side", { livenessProbe: ask("live") })];
  await rig.apply("web", probed({}, { spec: { initContainers } }));
  await untilReady(rig);
  const { id } = rig.only(WEB);
  const before = rig.only("side").id;
  answers.set("live", "no");
  await rig.until(
    () => rig.fake.running("side").some((side) => side.id !== before),
    "another",
  );
  strictEqual(rig.only(WEB).id, id);
});

Deno.test("Agent waits for a sidecar to start again in a new sandbox, and asks nothing of the old one", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const startupProbe = ask("start", { failureThreshold: 60 });
  const livenessProbe = ask("live");
  await rig.apply(
    "web",
    probed({ livenessProbe, readinessProbe: ask("ready") }, {
      spec: {
        initContainers: [sidecar("side", { startupProbe, livenessProbe })],
      },
    }),
  );
  await untilReady(rig);
  const before = [rig.only("side").id, rig.only(WEB).id];
  answers.set("start", "no");
  rig.fake.killSandbox(rig.only(WEB).sandboxId);
  await untilReady(rig, "False");
  await rig.until(() => rig.fake.running("side").length === 1, "the sidecar");
  const asked = before.map((id) => answers.asked("live", id));
  await rig.pass(10_000);
  strictEqual(rig.fake.running(WEB).length, 0);
  answers.set("start", "yes");
  await untilReady(rig);
  const side = rig.only("side").id;
  await rig.until(() => answers.asked("live", side) > 1, "its liveness");
  deepStrictEqual(before.map((id) => answers.asked("live", id)), asked);
});
