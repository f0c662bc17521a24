/**
 * Containers that ran before the agent did (ST-04, PR-12).
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
  probed,
  seenWhile,
  untilReady,
} from "../../support/agent/probes.ts";
import { untilRunning } from "../../support/agent/phases.ts";

/** Pods that are ready by a slow readiness probe, by a slow startup probe, by none. */
const PODS = {
  asked: { readinessProbe: ask("ready", { periodSeconds: 30 }) },
  begun: {
    startupProbe: ask("start", { periodSeconds: 60 }),
    readinessProbe: ask("ready", { periodSeconds: 30 }),
  },
  plain: {},
};
const NAMES = Object.keys(PODS);

async function withReady(): Promise<{ rig: CoreRig; answers: Answers }> {
  const rig = await CoreRig.start();
  const answers = new Answers(rig);
  for (const [name, fields] of Object.entries(PODS)) {
    await rig.apply(name, probed(fields, { name }));
  }
  for (const name of NAMES) await untilReady(rig, "True", name);
  await rig.pass(5_000);
  return { rig, answers };
}

/** What is said of the readiness of all pods; one that is not shown yet says nothing. */
function readiness(rig: CoreRig): string {
  return NAMES.map((name) => condition(rig, "Ready", name) ?? "-").join(" ");
}

const DOWN = [["restarts", 0], ["is away for 40 s", 40_000], [
  "is away for 5 min",
  300_000,
]] as const;

for (const [what, downMs] of DOWN) {
  Deno.test(`Agent that ${what} never says of a ready pod that it is not (ST-04)`, async () => {
    const { rig, answers } = await withReady();
    await using _rig = rig;
    const starts = answers.asked("start");
    const from = rig.fake.calls.length;
    await rig.stopAgent();
    await rig.clock.advance(downMs);
    await rig.startAgent();
    const seen = await seenWhile(rig, 70_000, () => readiness(rig));
    strictEqual(seen.at(-1), "True True True");
    deepStrictEqual(seen.filter((text) => text.includes("False")), []);
    // What has started is not asked to start again (PR-12).
    strictEqual(answers.asked("start"), starts);
    deepStrictEqual(rig.mutations(from), []);
  });
}

Deno.test("Agent that remembers nothing asks at once, and says what it is told (ST-04)", async () => {
  const { rig, answers } = await withReady();
  await using _rig = rig;
  await rig.stopAgent();
  await Deno.remove(`${rig.config.paths.runDir}/status`, { recursive: true });
  await rig.startAgent();
  const startMs = rig.clock.monotonic();
  const asked = answers.asked("ready");
  await rig.until(
    () => condition(rig, "Ready", "asked") === "True",
    "the answer",
    { limitMs: 5_000 },
  );
  ok(answers.asked("ready") > asked);
  ok(rig.clock.monotonic() - startMs < 5_000);
});

Deno.test("Agent that restarts sees that a pod is not ready any more (ST-04)", async () => {
  const { rig, answers } = await withReady();
  await using _rig = rig;
  await rig.stopAgent();
  answers.set("ready", "no");
  await rig.startAgent();
  // Three answers, thirty seconds apart.
  await untilReady(rig, "False", "asked");
  strictEqual(condition(rig, "Ready", "plain"), "True");
});

Deno.test("Agent that restarts does not take an unready pod for ready", async () => {
  await using rig = await CoreRig.start();
  new Answers(rig).set("ready", "no");
  const readinessProbe = ask("ready", { periodSeconds: 30 });
  await rig.apply("web", probed({ readinessProbe }));
  await untilRunning(rig);
  await rig.pass(3_000);
  await rig.restartAgent();
  const seen = await seenWhile(
    rig,
    40_000,
    () => condition(rig, "Ready"),
    500,
  );
  deepStrictEqual(seen.filter((value) => value === "True"), []);
});

Deno.test("Agent that restarts asks its pods at different times, each within its period (PR-12)", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  const names = Array.from({ length: 12 }, (_, index) => `web${index}`);
  const livenessProbe = ask("live", { periodSeconds: 60 });
  for (const name of names) {
    await rig.apply(name, probed({ livenessProbe }, { name }));
  }
  for (const name of names) await untilReady(rig, "True", name);
  await rig.pass(65_000, 2_000);
  await rig.stopAgent();
  const before = answers.asked("live");
  await rig.startAgent();
  const startMs = rig.clock.now();
  await rig.pass(62_000, 500);
  const delays = answers.askedAt("live").slice(before)
    .map((atMs) => atMs - startMs);
  ok(delays.length >= names.length, `${delays.length}`);
  // A herd would be in one bucket.
  const buckets = new Set(delays.map((ms) => Math.floor(ms / 10_000)));
  ok(buckets.size >= 3, delays.join(" "));
});

Deno.test("Agent that restarts finishes a startup that is under way", async () => {
  await using rig = await CoreRig.start();
  const answers = new Answers(rig);
  answers.set("start", "no");
  const containers = [
    busybox(WEB, {
      startupProbe: ask("start", { failureThreshold: 100 }),
      livenessProbe: ask("live"),
    }),
  ];
  await rig.apply("web", probed({}, { spec: { containers } }));
  await rig.until(() => answers.asked("start") > 3, "some attempts");
  const { id } = rig.only(WEB);
  await rig.restartAgent();
  const asked = answers.asked("start");
  await rig.until(() => answers.asked("start") > asked, "it goes on");
  strictEqual(condition(rig, "Ready"), "False");
  strictEqual(answers.asked("live"), 0);
  answers.set("start", "yes");
  await untilReady(rig);
  strictEqual(rig.only(WEB).id, id);
});
