/**
 * Pods that live on while the wall clock is set (CL-02, CL-05, N05): whatever was under
 * way goes on as on a clock that nobody touched.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { CODE } from "../../support/fake_cri/status_error.ts";
import {
  checkSame,
  JUMPS,
  once,
  type Play,
  play,
} from "../../support/agent/clock_jumps.ts";
import { alone } from "../../support/agent/manifests.ts";
import { Answers, ask, condition } from "../../support/agent/probes.ts";

const MISSING = "localhost/none:1";

const PODS: readonly Readonly<Record<string, unknown>>[] = [
  alone("plain"),
  alone("crash"),
  alone("pull", { image: MISSING }),
  alone("well", {
    livenessProbe: ask("live", { failureThreshold: 1 }),
    readinessProbe: ask("ready", { failureThreshold: 1 }),
  }),
  alone("ill", { livenessProbe: ask("live", { failureThreshold: 25 }) }),
  alone("late", { readinessProbe: ask("ready", { initialDelaySeconds: 30 }) }),
  alone("slow", {
    startupProbe: ask("start", { failureThreshold: 45 }),
    livenessProbe: ask("live", { failureThreshold: 1 }),
  }),
  alone("short", {}, { spec: { activeDeadlineSeconds: 40 } }),
];

const NAMES = PODS.map(({ metadata }) => (metadata as { name: string }).name);

const LIFE: Play = {
  options: {
    prepare: ({ fake }) => {
      fake.behave("crash", { exit: { code: 1, afterMs: 2_000 } });
      const error = { code: CODE.notFound, details: "not there" };
      fake.setRegistry(MISSING, { kind: "error", ...error });
    },
  },
  begin: async ({ rig }) => {
    const answers = new Answers(rig);
    answers.set("start", "no", "slow");
    for (const each of PODS) {
      await rig.apply((each["metadata"] as { name: string }).name, each);
    }
    await rig.until(
      () =>
        rig.fake.running("slow").length === 1 &&
        condition(rig, "Ready", "well") === "True",
      "everything to run",
    );
    const waiting = () =>
      rig.status("crash")?.containerStatuses?.[0]?.state?.waiting?.reason;
    await rig.until(() => waiting() === "CrashLoopBackOff", "a crash loop");
    answers.set("live", "no", "ill");
    await rig.pass(3_000, 500);
  },
  look: (stage) => {
    const { rig } = stage;
    for (const name of NAMES) {
      stage.noteRuns(name);
      const isReady = condition(rig, "Ready", name) === "True";
      if (isReady) stage.note(`${name} ready`, 1);
      const { phase } = rig.status(name) ?? {};
      if (phase === "Failed") stage.note(`${name} failed`, 1);
    }
    const pulls = rig.fake.callsOf("PullImage");
    stage.note("pull", pulls.length);
  },
};

const untouched = once(() => play(LIFE));

Deno.test("CL-02 Agent lets things take their course on a clock that nobody touches", async () => {
  const { trace } = await untouched();
  const happens = (what: string): boolean => trace.has(what);
  // Else the others would be compared with nothing.
  for (
    const what of [
      ...["crash#4 started", "late ready", "short failed", "short#0 ended"],
      ...["ill#1 started", "slow#1 started"],
    ]
  ) strictEqual(happens(what), true, what);
  for (const what of ["plain#0 ended", "well#0 ended", "late#0 ended"]) {
    strictEqual(happens(what), false, what);
  }
  ok((trace.get("pull")?.length ?? 0) >= 4);
});

for (const jump of JUMPS) {
  Deno.test(`CL-02 CL-05 Agent lets pods live on as they were when the clock jumps ${jump.name}`, async () => {
    checkSame(await play(LIFE, jump), await untouched());
  });
}
