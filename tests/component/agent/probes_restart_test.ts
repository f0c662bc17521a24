/**
 * Probes that end a container: liveness and startup.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  messages,
  probed,
  timeouts,
  untilReady,
} from "../../support/agent/probes.ts";
import { untilPhase } from "../../support/agent/phases.ts";

const starts = (rig: CoreRig): number =>
  rig.fake.callsOf("StartContainer").length;

function untilStarts(rig: CoreRig, count: number): Promise<void> {
  return rig.until(() => starts(rig) === count, `start ${count}`);
}

Deno.test("Agent restarts a container whose liveness probe fails, and waits longer each time", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  await rig.apply("web", probed({ livenessProbe: ask("live") }));
  await untilReady(rig);
  const { id } = rig.only(WEB);
  answers.set("live", "no");
  await untilStarts(rig, 2);
  deepStrictEqual(messages(rig, "Killing"), [
    `Container ${WEB} failed liveness probe, will be restarted`,
  ]);
  ok(messages(rig, "Unhealthy").length > 0);
  ok(answers.asked("live", id) >= 3);
  const shown = () => rig.status("web")?.containerStatuses?.[0];
  await rig.until(() => shown()?.restartCount === 1, "the count");
  strictEqual(shown()?.lastState?.terminated?.exitCode, 143);

  // Its successors fail as well. A kill and the start after it are one step, in which
  // the container that is killed has not crashed yet: as upstream, waiting begins late.
  await untilStarts(rig, 5);
  const at = (method: string): readonly number[] =>
    rig.fake.callsOf(method).map(({ atMs }) => atMs);
  const ends = at("StopContainer");
  const gaps = at("StartContainer").slice(1)
    .map((startMs, index) => startMs - (ends[index] ?? 0));
  for (const [index, leastMs] of [0, 0, 10_000, 20_000].entries()) {
    const gapMs = gaps[index] ?? NaN;
    ok(gapMs >= leastMs && gapMs < leastMs + 3_000, gaps.join(" "));
  }
});

Deno.test("Agent ends a Never pod for good whose liveness probe fails, with the grace of the probe (PR-09)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 300 };
  const livenessProbe = ask("live", { terminationGracePeriodSeconds: 5 });
  await rig.apply("web", probed({ livenessProbe }, { spec }));
  await untilReady(rig);
  answers.set("live", "no");
  await untilPhase(rig, "Failed");
  // The kubelet forgets here why the last container ends, and gives it the pod's grace.
  deepStrictEqual(timeouts(rig), [5]);
  deepStrictEqual(messages(rig, "Killing"), [
    `Container ${WEB} failed liveness probe`,
  ]);
  await rig.pass(70_000);
  strictEqual(starts(rig), 1);
});

Deno.test("Agent restarts an unhealthy container at once although a step failed a moment ago", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  await rig.apply(
    "web",
    probed({ livenessProbe: ask("live", { failureThreshold: 4 }) }),
  );
  await untilReady(rig);
  answers.set("live", "no");
  await rig.until(() => messages(rig, "Unhealthy").length > 0, "a failure");
  // From here on every step fails, so that the next retry lies ever farther away.
  rig.fake.fault("StopContainer", { kind: "error", code: 14, details: "busy" });
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length > 0,
    "the attempt to end it",
  );
  rig.fake.clearFaults();
  await untilStarts(rig, 2);
});

// PR-07: startup fails for 20 s, liveness would fail before that.
Deno.test("Agent asks nothing else before a container has started, nor startup again after it (PR-07)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("start", "no");
  answers.set("live", "no");
  await rig.apply(
    "web",
    probed({
      startupProbe: ask("start", { failureThreshold: 60 }),
      livenessProbe: ask("live"),
      readinessProbe: ask("ready"),
    }),
  );
  await rig.until(() => answers.asked("start") >= 20, "twenty attempts");
  strictEqual(answers.asked("live"), 0);
  strictEqual(answers.asked("ready"), 0);
  const shown = () => rig.status("web")?.containerStatuses?.[0];
  deepStrictEqual([shown()?.started, shown()?.ready], [false, false]);

  answers.set("start", "yes");
  answers.set("live", "yes");
  await untilReady(rig);
  strictEqual(shown()?.started, true);
  const first = rig.only(WEB).id;
  const asked = answers.asked("start");
  await rig.pass(20_000);
  strictEqual(answers.asked("start"), asked);
  ok(answers.asked("live", first) >= 18);

  // After a restart the gate applies again.
  answers.set("start", "no");
  rig.fake.exitContainer(first, 1);
  await untilStarts(rig, 2);
  const second = rig.only(WEB).id;
  await rig.until(() => answers.asked("start", second) >= 5, "five attempts");
  strictEqual(answers.asked("live", second), 0);
  strictEqual(answers.asked("ready", second), 0);
  await rig.until(() => shown()?.containerID?.endsWith(second) === true, "it");
  deepStrictEqual([shown()?.started, shown()?.ready], [false, false]);
});

Deno.test("Agent runs the preStop hook of a container that never started, and restarts it (PR-07)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("start", "no");
  const preStop = { exec: { command: ["bye"] } };
  await rig.apply(
    "web",
    probed({
      startupProbe: ask("start"),
      livenessProbe: ask("live"),
      lifecycle: { preStop },
    }),
  );
  await rig.until(() => rig.fake.running(WEB).length === 1, "the first");
  const { id } = rig.only(WEB);
  await untilStarts(rig, 2);
  const hooks = rig.fake.callsOf("ExecSync")
    .filter(({ request }) => JSON.stringify(request, plain).includes("bye"));
  strictEqual(hooks.length, 1);
  strictEqual(answers.asked("start", id), 3);
  deepStrictEqual(messages(rig, "Killing"), [
    `Container ${WEB} failed startup probe, will be restarted`,
  ]);
  match(messages(rig, "Unhealthy")[0] ?? "", /^Startup probe failed/);
});

Deno.test("Agent fails a Never pod that does not start in its time (PR-07)", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig).set("start", "no");
  const spec = { restartPolicy: "Never" };
  await rig.apply("web", probed({ startupProbe: ask("start") }, { spec }));
  await untilPhase(rig, "Failed");
  strictEqual(starts(rig), 1);
});

for (
  const [kind, question] of [["liveness", "live"], [
    "startup",
    "start",
  ]] as const
) {
  Deno.test(`Agent kills after the grace of the ${kind} probe, and deletes after the pod's (PR-09)`, async () => {
    await using rig = await CoreRig.start();
    const answers = new Answers(rig);
    rig.fake.behave(WEB, { onTerm: "ignore" });
    answers.set(question, "no");
    const probe = ask(question, { terminationGracePeriodSeconds: 5 });
    const spec = { terminationGracePeriodSeconds: 300 };
    await rig.apply("web", probed({ [`${kind}Probe`]: probe }, { spec }));
    await rig.until(() => timeouts(rig).length === 1, "the kill");
    const killedMs = rig.clock.monotonic();
    answers.set(question, "yes");
    await untilStarts(rig, 2);
    deepStrictEqual(timeouts(rig), [5]);
    const tookMs = rig.clock.monotonic() - killedMs;
    ok(tookMs >= 4_800 && tookMs < 7_000, `${tookMs} ms`);
    await untilReady(rig);
    const from = rig.fake.calls.length;
    await rig.remove("web");
    await rig.until(() => timeouts(rig, from).length === 1, "the deletion");
    deepStrictEqual(timeouts(rig, from), [300]);
  });
}

Deno.test("Agent refuses a readiness probe with a grace of its own (PR-09)", async () => {
  await using rig = await CoreRig.start();
  const readinessProbe = ask("ready", { terminationGracePeriodSeconds: 5 });
  await rig.apply("web", probed({ readinessProbe }));
  await rig.pass(5_000);
  strictEqual(starts(rig), 0);
  ok(
    rig.log.some((line) =>
      line.includes("readinessProbe.terminationGracePeriodSeconds")
    ),
  );
});

function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
