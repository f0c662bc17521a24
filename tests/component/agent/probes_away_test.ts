/**
 * Probes by command while the runtime, which is to run them, is not itself (R01, RT-11).
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB } from "../../support/agent/manifests.ts";
import {
  Answers,
  ask,
  condition,
  probed,
  untilReady,
} from "../../support/agent/probes.ts";

async function withProbed(): Promise<{ rig: CoreRig; answers: Answers }> {
  const rig = await CoreRig.start();
  const answers = new Answers(rig);
  const livenessProbe = ask("live");
  const readinessProbe = ask("ready");
  await rig.apply("web", probed({ livenessProbe, readinessProbe }));
  await untilReady(rig);
  await rig.pass(3_000);
  return { rig, answers };
}

Deno.test("Agent blames no container for a runtime that is away for minutes (RT-11)", async () => {
  const { rig, answers } = await withProbed();
  await using _rig = rig;
  const from = rig.fake.calls.length;
  await rig.fake.stop();
  await rig.pass(180_000);
  strictEqual(condition(rig, "Ready"), "True");
  await rig.fake.restart();
  const asked = answers.asked("live");
  await rig.until(() => answers.asked("live") > asked + 3, "the questions");
  strictEqual(condition(rig, "Ready"), "True");
  deepStrictEqual(rig.mutations(from), []);
  strictEqual(rig.fake.running(WEB).length, 1);
});

Deno.test("Agent blames no container for a runtime that answers nothing for minutes (R01)", async () => {
  const { rig, answers } = await withProbed();
  await using _rig = rig;
  const from = rig.fake.calls.length;
  for (const method of HUNG) rig.fake.fault(method, { kind: "hang" });
  await rig.pass(180_000);
  strictEqual(condition(rig, "Ready"), "True");
  rig.fake.clearFaults();
  const asked = answers.asked("live");
  await rig.until(() => answers.asked("live") > asked + 3, "the questions");
  deepStrictEqual(rig.mutations(from), []);
  // What is wrong with the container itself still counts.
  answers.set("live", "no");
  await rig.until(
    () => rig.fake.callsOf("StopContainer").length > 0,
    "the kill",
  );
});

/** What is asked of a runtime while nothing is to be done. */
const HUNG = [
  "Version",
  "Status",
  "ExecSync",
  "ListContainers",
  "ListPodSandbox",
  "ContainerStatus",
  "PodSandboxStatus",
];
