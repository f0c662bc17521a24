/**
 * What becomes of attempts: those that fail, hang, take long or are not wanted any more,
 * and what is told of them. Times are seconds since the agent started.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { ProbeResult } from "../../../mod/prober/ports.ts";
import { seen } from "../../support/observed_pods.ts";
import { pod, sidecar } from "../../support/pods.ts";
import {
  asks,
  probedPod,
  ProberRig,
  runningContainer,
} from "../../support/prober/prober_rig.ts";

Deno.test("ProbeManager tells each failed attempt in the kubelet's words", async () => {
  await using rig = new ProberRig();
  const answers: ProbeResult[] = [
    { kind: "failure", message: "HTTP probe failed with statuscode: 503" },
    { kind: "warning", message: "Probe terminated redirects" },
    { kind: "success", message: "fine" },
  ];
  rig.runner.script("ready", (nth) => answers[nth] ?? "success");
  rig.manager.add(pod({
    initContainers: [sidecar("s", { readinessProbe: asks("ready") })],
  }));
  rig.show([seen("s")]);
  await rig.pass(20);
  deepStrictEqual(rig.events[0]?.facts, {
    kind: "probe_failure",
    container: "s",
    probe: "readiness",
    found: "HTTP probe failed with statuscode: 503",
  });
  deepStrictEqual(rig.events.map(({ facts: _facts, ...event }) => event), [
    {
      type: "Warning",
      reason: "Unhealthy",
      message: "Readiness probe failed: HTTP probe failed with statuscode: 503",
      fieldPath: "spec.initContainers{s}",
    },
    {
      type: "Warning",
      reason: "ProbeWarning",
      message: "Readiness probe warning: Probe terminated redirects",
      fieldPath: "spec.initContainers{s}",
    },
  ]);
  strictEqual(rig.manager.readiness("s-0"), "success");
});

Deno.test("PR-11: what cannot be asked is tried three times, told, and proves nothing", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", () => ({ kind: "error", message: "no such port" }));
  rig.manager.add(
    probedPod({ liveness: asks("live", { failureThreshold: 1 }) }),
  );
  rig.show([runningContainer("a1")]);
  await rig.pass(15);
  deepStrictEqual(rig.runner.times("live"), [0, 0, 0, 10, 10, 10]);
  deepStrictEqual(rig.events.map(({ reason, message }) => [reason, message]), [
    [
      "Unhealthy",
      "Liveness probe errored and resulted in unknown state: no such port",
    ],
    [
      "Unhealthy",
      "Liveness probe errored and resulted in unknown state: no such port",
    ],
  ]);
  strictEqual(rig.manager.liveness("a1"), "success");
});

Deno.test("ProbeManager makes an attempt that failed only once", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", (nth) => nth === 0 ? "error" : "failure");
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(5);
  strictEqual(rig.runner.times("live").length, 2);
  match(rig.events[0]?.message ?? "", /^Liveness probe failed/);
});

Deno.test("PR-01: beside a command that hangs nothing is begun, and its threshold is met on time", async () => {
  await using rig = new ProberRig();
  const hang = Promise.withResolvers<void>();
  rig.runner.script("live", async (nth) => {
    if (nth > 0) return { kind: "success", message: "" };
    await rig.clock.sleep(1000, new AbortController().signal);
    return { kind: "failure", message: "timed out", over: hang.promise };
  });
  rig.manager.add(probedPod({ liveness: asks("live", { periodSeconds: 2 }) }));
  rig.show([runningContainer("a1")]);
  await rig.pass(3.9);
  strictEqual(rig.manager.liveness("a1"), "success");
  await rig.pass(0.1);
  strictEqual(rig.manager.liveness("a1"), "failure");
  await rig.pass(99);
  deepStrictEqual(rig.runner.times("live"), [0]);
  deepStrictEqual(rig.events.map(({ message }) => message), [
    "Liveness probe failed: timed out",
    "Liveness probe failed: The command of an earlier attempt still runs",
    "Liveness probe failed: The command of an earlier attempt still runs",
  ]);
  // What hangs in the old container does not hold up the new one.
  rig.show([runningContainer("a2")]);
  await rig.pass(2);
  strictEqual(rig.runner.times("live").length, 2);
  hang.resolve();
});

Deno.test("PR-01: a command that outlives its period fails once, not for the ticks that it missed as well", async () => {
  await using rig = new ProberRig();
  const hang = Promise.withResolvers<void>();
  rig.runner.script("live", async (nth) => {
    if (nth > 0) return { kind: "success", message: "" };
    await rig.clock.sleep(2000, new AbortController().signal);
    return { kind: "failure", message: "timed out", over: hang.promise };
  });
  const probe = asks("live", { periodSeconds: 1, failureThreshold: 2 });
  rig.manager.add(probedPod({ liveness: probe }));
  rig.show([runningContainer("a1")]);
  await rig.pass(2.5);
  hang.resolve();
  await rig.pass(10);
  deepStrictEqual(rig.told, []);
  deepStrictEqual(rig.runner.times("live").slice(0, 3), [0, 3, 4]);
});

Deno.test("R01: a command that hangs with the whole runtime kills no container, however long", async () => {
  await using rig = new ProberRig();
  const hang = Promise.withResolvers<void>();
  const error = { kind: "error", message: "?", over: hang.promise } as const;
  rig.runner.script("live", (nth) => nth === 0 ? error : "success");
  rig.manager.add(probedPod({ liveness: asks("live") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(600);
  deepStrictEqual(rig.told, []);
  strictEqual(rig.manager.liveness("a1"), "success");
  hang.resolve();
  await rig.pass(10);
  deepStrictEqual(rig.runner.times("live"), [0, 610]);
});

Deno.test("PR-01: a command that hung is asked again at the tick after it is over", async () => {
  await using rig = new ProberRig();
  const hang = Promise.withResolvers<void>();
  rig.runner.script(
    "ready",
    (nth) =>
      nth === 0
        ? { kind: "failure", message: "timed out", over: hang.promise }
        : "success",
  );
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(13);
  hang.resolve();
  await rig.pass(10);
  deepStrictEqual(rig.runner.times("ready"), [0, 20]);
  strictEqual(rig.manager.readiness("a1"), "success");
});

Deno.test("PR-01: it is told how many commands in a row hung in a container", async () => {
  await using rig = new ProberRig();
  rig.runner.script("ready", (nth) => {
    if (nth === 2) return "success";
    const over = Promise.resolve();
    return { kind: "failure", message: "timed out", over };
  });
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(40);
  const hung = () => rig.runner.asked.map((one) => one.hung);
  deepStrictEqual(hung(), [0, 1, 2, 0, 1]);
  // What hangs in the old container says nothing of the new one.
  rig.show([runningContainer("a2")]);
  await rig.pass(10);
  deepStrictEqual(hung().slice(5), [0, 1]);
});

Deno.test("ProbeManager asks again at once after an attempt that took longer than the period", async () => {
  await using rig = new ProberRig();
  rig.runner.script("live", async () => {
    await rig.clock.sleep(3500, new AbortController().signal);
    return { kind: "success", message: "" };
  });
  rig.manager.add(probedPod({ liveness: asks("live", { periodSeconds: 1 }) }));
  rig.show([runningContainer("a1")]);
  await rig.pass(8);
  deepStrictEqual(rig.runner.times("live"), [0, 3.5, 7]);
  rig.manager.remove("u-1");
  await rig.pass(8);
});

Deno.test("PR-05: 500 probes keep their times beside one that is slow, and leave nothing behind", async () => {
  await using rig = new ProberRig();
  rig.runner.script("p0", async () => {
    await rig.clock.sleep(20_000, new AbortController().signal);
    return { kind: "failure", message: "slow" };
  });
  for (let at = 0; at < 500; at++) {
    const uid = `u${at}`;
    rig.manager.add(probedPod(
      { liveness: asks(`p${at}`, { periodSeconds: 1 }) },
      { metadata: { uid, name: uid } },
    ));
    rig.show([runningContainer(`a${at}`)], uid);
  }
  await rig.pass(4.5);
  for (let at = 1; at < 500; at++) {
    deepStrictEqual(rig.runner.times(`p${at}`), [0, 1, 2, 3, 4]);
  }
  deepStrictEqual(rig.runner.times("p0"), [0]);
  strictEqual(series(rig.metrics.render()).length, 499 * 2);
  for (const uid of rig.sessions.keys()) rig.sessions.delete(uid);
  deepStrictEqual(series(rig.metrics.render()), []);
  // What is left is the sleep of the slow target itself.
  strictEqual(rig.clock.pendingTimers, 1);
  await rig.pass(20);
});

Deno.test("ProbeManager counts attempts as the kubelet does", async () => {
  await using rig = new ProberRig();
  const kinds = ["success", "failure", "warning", "error", "error", "error"];
  rig.runner.script("ready", (nth) => (kinds[nth] ?? "success") as "success");
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(35);
  const labels = 'container="a",pod="web",namespace="shop"';
  deepStrictEqual(series(rig.metrics.render()), [
    `prober_probe_duration_seconds_count{probe_type="Readiness",${labels}} 3`,
    `prober_probe_total{probe_type="Readiness",result="successful",${labels},pod_uid="u-1"} 2`,
    `prober_probe_total{probe_type="Readiness",result="failed",${labels},pod_uid="u-1"} 1`,
    `prober_probe_total{probe_type="Readiness",result="unknown",${labels},pod_uid="u-1"} 1`,
  ]);
});

Deno.test("ProbeManager.remove() aborts what is in flight and tells nothing more", async () => {
  await using rig = new ProberRig();
  const late = Promise.withResolvers<ProbeResult>();
  rig.runner.script("ready", () => late.promise);
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(1);
  rig.manager.remove("u-1");
  late.resolve({ kind: "success", message: "" });
  await rig.pass(1);
  deepStrictEqual(rig.runner.aborted, ["ready"]);
  deepStrictEqual(rig.told, []);
  deepStrictEqual(rig.manager.report("u-1"), []);
  deepStrictEqual(series(rig.metrics.render()), []);
  strictEqual(rig.clock.pendingTimers, 0);
});

Deno.test("ProbeManager.run() stops every probe when it is aborted", async () => {
  await using rig = new ProberRig();
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(1);
  await rig.end();
  strictEqual(rig.clock.pendingTimers, 0);
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.manager.look("u-1");
  await rig.pass(100);
  strictEqual(rig.runner.asked.length, 1);
});

Deno.test("ProbeManager.report() tells the last result and how often it came", async () => {
  await using rig = new ProberRig();
  rig.runner.script("ready", () => ({ kind: "failure", message: "HTTP 503" }));
  const probe = asks("ready");
  rig.manager.add(probedPod({ readiness: probe }));
  deepStrictEqual(rig.manager.report("u-1"), [{
    container: "a",
    kind: "readiness",
    probe,
    verdict: undefined,
    consecutive: 0,
    paused: "not_running",
  }]);
  rig.show([runningContainer("a1")]);
  await rig.pass(25);
  deepStrictEqual(rig.manager.report("u-1"), [{
    container: "a",
    kind: "readiness",
    probe,
    verdict: "failure",
    consecutive: 3,
    last: {
      kind: "failure",
      message: "HTTP 503",
      atMs: rig.clock.now() - 5000,
    },
    sinceMs: rig.clock.now() - 25_000,
  }]);
});

Deno.test("ProbeManager.report() tells since when attempts have failed, however long they took and the clock was", async () => {
  await using rig = new ProberRig();
  rig.runner.script(
    "ready",
    (nth) => nth === 0 ? "success" : { kind: "failure", message: "" },
  );
  rig.manager.add(probedPod({ readiness: asks("ready") }));
  rig.show([runningContainer("a1")]);
  await rig.pass(35);
  rig.clock.wall = rig.clock.now() + 3_600_000;
  const [report] = rig.manager.report("u-1");
  const nowMs = rig.clock.now();
  deepStrictEqual(
    [report?.consecutive, report?.sinceMs, report?.last?.atMs],
    [3, nowMs - 25_000, nowMs - 5_000],
  );
});

Deno.test("ProbeManager.run() gives a slow reader the last verdict of each probe", async () => {
  await using rig = new ProberRig({ reading: false });
  rig.runner.script("ready", (nth) => nth % 2 === 0 ? "success" : "failure");
  const once = { failureThreshold: 1 };
  rig.manager.add(probedPod({
    readiness: asks("ready", once),
    liveness: asks("live", once),
  }));
  rig.runner.script("live", () => "failure");
  rig.show([runningContainer("a1")]);
  await rig.pass(35);
  rig.read();
  await rig.pass(0);
  deepStrictEqual(rig.told.sort(), ["liveness failure", "readiness failure"]);
  await rig.pass(10);
  strictEqual(rig.told.at(-1), "readiness success");
});

function series(metrics: string): string[] {
  return metrics.split("\n").filter((line) =>
    /^prober_probe_(total|duration_seconds_count)\{/.test(line)
  );
}
