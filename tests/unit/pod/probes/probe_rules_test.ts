/**
 * The rules of probes as tables; the rows cite pkg/kubelet/prober/worker.go and its
 * tests.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  type ContainerSight,
  countOutcome,
  observeContainer,
  pauseOf,
  type ProbeKind,
  type ProbePause,
  type ProbeState,
  UNSEEN,
} from "../../../../mod/pod/probes/probe_rules.ts";
import type { ProbeVerdict } from "../../../../mod/pod/plan/plan_steps.ts";

type Running = ContainerSight & { readonly kind: "running" };

const RUNNING: Running = { kind: "running", id: "c1", sinceMs: 100, ageMs: 0 };
const SECOND: Running = { ...RUNNING, id: "c2", sinceMs: 900 };
const ENDED: ContainerSight = { kind: "ended", id: "c1" };
const UNCLEAR: ContainerSight = { kind: "unclear", id: "c1" };
const ABSENT: ContainerSight = { kind: "absent" };

function after(
  kind: ProbeKind,
  sights: readonly ContainerSight[],
  state: ProbeState = UNSEEN,
): ProbeState {
  return sights.reduce(
    (known, sight) =>
      observeContainer(known, sight, { kind, initialDelayMs: 0 }),
    state,
  );
}

// What counts after these looks when nothing was asked.
const VERDICTS: readonly {
  readonly name: string;
  readonly sights: readonly ContainerSight[];
  readonly liveness: ProbeVerdict;
  readonly readiness: ProbeVerdict;
  readonly startup: ProbeVerdict;
}[] = [
  {
    name: "no container (TestDoProbe: no status)",
    sights: [ABSENT],
    liveness: undefined,
    readiness: undefined,
    startup: undefined,
  },
  {
    name: "a new container has its initial values (newWorker, initialValue)",
    sights: [RUNNING],
    liveness: "success",
    readiness: "failure",
    startup: undefined,
  },
  {
    name: "a container that is created has them too, not a failure",
    sights: [UNCLEAR],
    liveness: "success",
    readiness: "failure",
    startup: undefined,
  },
  {
    name: "a container that ended has failed (doProbe: Non-running container)",
    sights: [RUNNING, ENDED],
    liveness: "failure",
    readiness: "failure",
    startup: "failure",
  },
  {
    name: "a container that ended before it was seen has failed",
    sights: [ENDED],
    liveness: "failure",
    readiness: "failure",
    startup: "failure",
  },
  {
    name: "the container after it begins anew (doProbe: new container ID)",
    sights: [RUNNING, ENDED, SECOND],
    liveness: "success",
    readiness: "failure",
    startup: undefined,
  },
  {
    name: "an end that was taken back begins anew",
    sights: [RUNNING, ENDED, RUNNING],
    liveness: "success",
    readiness: "failure",
    startup: undefined,
  },
  {
    name: "a past that is remembered holds (kubernetes #125397)",
    sights: [{ ...RUNNING, past: { ready: true, started: true } }],
    liveness: "success",
    readiness: "success",
    startup: "success",
  },
  {
    name: "a past of not being ready holds as well",
    sights: [{ ...RUNNING, past: { ready: false, started: false } }],
    liveness: "success",
    readiness: "failure",
    startup: undefined,
  },
  {
    name:
      "a past that nobody remembers leaves readiness open (kubernetes #78733)",
    sights: [{ ...RUNNING, past: {} }],
    liveness: "success",
    readiness: undefined,
    startup: undefined,
  },
];

for (const { name, sights, ...verdicts } of VERDICTS) {
  Deno.test(`observeContainer(): ${name}`, () => {
    deepStrictEqual(
      {
        liveness: after("liveness", sights).verdict,
        readiness: after("readiness", sights).verdict,
        startup: after("startup", sights).verdict,
      },
      verdicts,
    );
  });
}

const SUCCEEDED: ProbeState = {
  ...after("startup", [RUNNING]),
  verdict: "success",
  onHold: true,
};

Deno.test("observeContainer() leaves the last word of a probe on hold (doProbe: onHold first)", () => {
  strictEqual(after("startup", [ENDED], SUCCEEDED).verdict, "success");
  strictEqual(after("startup", [ENDED, RUNNING], SUCCEEDED).onHold, true);
  strictEqual(after("startup", [SECOND], SUCCEEDED).onHold, false);
});

Deno.test("observeContainer() keeps a run of results through a picture without the container", () => {
  const failed = countOutcome(after("liveness", [RUNNING]), "failure", {
    kind: "liveness",
    thresholds: { success: 1, failure: 3 },
  });
  deepStrictEqual(
    after("liveness", [ABSENT, UNCLEAR, RUNNING], failed),
    failed,
  );
  strictEqual(after("liveness", [SECOND], failed).run, undefined);
});

// How many outcomes, one letter each, lead to what. (TestFailureThreshold,
// TestSuccessThreshold, TestOnHoldOnLivenessOrStartupCheckFailure,
// TestStartupProbeSuccessThreshold, TestStartupProbeFailureThreshold)
const COUNTS: readonly {
  readonly kind: ProbeKind;
  readonly outcomes: string;
  readonly success?: number;
  readonly verdict: ProbeVerdict;
  readonly onHold: boolean;
}[] = [
  { kind: "liveness", outcomes: "ff", verdict: "success", onHold: false },
  { kind: "liveness", outcomes: "ffsff", verdict: "success", onHold: false },
  { kind: "liveness", outcomes: "fff", verdict: "failure", onHold: true },
  { kind: "readiness", outcomes: "s", verdict: "success", onHold: false },
  { kind: "readiness", outcomes: "sff", verdict: "success", onHold: false },
  { kind: "readiness", outcomes: "sfff", verdict: "failure", onHold: false },
  { kind: "readiness", outcomes: "sffffs", verdict: "success", onHold: false },
  {
    kind: "readiness",
    outcomes: "ssfss",
    success: 3,
    verdict: "failure",
    onHold: false,
  },
  {
    kind: "readiness",
    outcomes: "sss",
    success: 3,
    verdict: "success",
    onHold: false,
  },
  { kind: "startup", outcomes: "ff", verdict: undefined, onHold: false },
  { kind: "startup", outcomes: "ffs", verdict: "success", onHold: true },
  { kind: "startup", outcomes: "fff", verdict: "failure", onHold: true },
];

for (const { kind, outcomes, success = 1, verdict, onHold } of COUNTS) {
  Deno.test(`countOutcome(): ${kind} "${outcomes}" with ${success} to succeed and 3 to fail`, () => {
    const state = [...outcomes].reduce(
      (known, letter) =>
        countOutcome(known, letter === "s" ? "success" : "failure", {
          kind,
          thresholds: { success, failure: 3 },
        }),
      after(kind, [RUNNING]),
    );
    deepStrictEqual([state.verdict, state.onHold], [verdict, onHold]);
  });
}

Deno.test("countOutcome(): a verdict flips only at a threshold", () => {
  fc.assert(fc.property(
    fc.array(fc.constantFrom("success", "failure")),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 5 }),
    (outcomes, success, failure) => {
      const thresholds = { success, failure };
      let state = after("readiness", [RUNNING]);
      for (const [at, outcome] of outcomes.entries()) {
        const next = countOutcome(state, outcome, {
          kind: "readiness",
          thresholds,
        });
        const inARow = outcomes.slice(0, at + 1)
          .findLastIndex((before) => before !== outcome);
        const met = at - inARow >= thresholds[outcome];
        strictEqual(next.verdict, met ? outcome : state.verdict);
        state = next;
      }
    },
  ));
});

// (TestDoProbe, TestInitialDelay, TestStartupProbeDisabledByStarted,
// TestDisabledByStarted)
const PAUSES: readonly {
  readonly name: string;
  readonly kind: ProbeKind;
  readonly state: ProbeState;
  readonly started?: boolean;
  readonly pause: ProbePause | undefined;
}[] = [
  {
    name: "without a container",
    kind: "liveness",
    state: UNSEEN,
    pause: "not_running",
  },
  {
    name: "after its end",
    kind: "readiness",
    state: after("readiness", [RUNNING, ENDED]),
    pause: "not_running",
  },
  {
    name: "before the initial delay is over",
    kind: "readiness",
    state: { ...after("readiness", [RUNNING]), askFromMs: 201 },
    pause: "initial_delay",
  },
  {
    name: "as soon as it is over",
    kind: "readiness",
    state: { ...after("readiness", [RUNNING]), askFromMs: 200 },
    pause: undefined,
  },
  {
    name: "before the container has started",
    kind: "liveness",
    state: after("liveness", [RUNNING]),
    started: false,
    pause: "not_started",
  },
  {
    name: "before the container has started",
    kind: "startup",
    state: after("startup", [RUNNING]),
    started: false,
    pause: undefined,
  },
  {
    name: "after the container has started",
    kind: "startup",
    state: SUCCEEDED,
    pause: "started",
  },
  {
    name: "after it failed for good",
    kind: "startup",
    state: { ...SUCCEEDED, verdict: "failure" },
    started: false,
    pause: "on_hold",
  },
];

for (const { name, kind, state, started = true, pause } of PAUSES) {
  Deno.test(`pauseOf(): ${kind} ${name} is ${pause ?? "asked"}`, () => {
    strictEqual(pauseOf(state, kind, { started, nowMs: 200 }), pause);
  });
}
