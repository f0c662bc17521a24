import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  isEndedForPressure,
  mayReturn,
  noteEviction,
  pauseBeforeReturn,
} from "../../../../mod/pod/recovery/eviction_return.ts";
import type { PodStatus } from "../../../../mod/api/types/mod.ts";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import { pod } from "../../../support/pods.ts";

const START_MS = Date.parse("2026-01-01T00:00:00Z");
const S = 1_000;
const MIN = 60 * S;

const TARGET = {
  type: "DisruptionTarget",
  status: "True",
  reason: "TerminationByKubelet",
};

const EVICTED: PodStatus = {
  phase: "Failed",
  reason: "Evicted",
  message: "The node was low on resource: memory. ",
  startTime: "2026-01-01T00:00:00Z",
  conditions: [TARGET],
  containerStatuses: [],
};

const { containerStatuses: _none, ...REFUSED } = EVICTED;

const ENDS: readonly (readonly [string, PodStatus, boolean])[] = [
  ["was evicted for the node", EVICTED, true],
  ["runs", { ...EVICTED, phase: "Running" }, false],
  ["came to its deadline", { ...EVICTED, reason: "DeadlineExceeded" }, false],
  ["was refused before it ran", REFUSED, false],
  ["exceeded a limit of its own", { ...EVICTED, conditions: [] }, false],
  ["has no conditions", { phase: "Failed", reason: "Evicted" }, false],
  ["is not disrupted any more", {
    ...EVICTED,
    conditions: [{ ...TARGET, status: "False" }],
  }, false],
  ["was disrupted by another", {
    ...EVICTED,
    conditions: [{ ...TARGET, reason: "PreemptionByScheduler" }],
  }, false],
];

for (const [what, status, expected] of ENDS) {
  Deno.test(`isEndedForPressure() of a pod that ${what}`, () => {
    strictEqual(isEndedForPressure(status), expected);
  });
}

for (
  const [policy, expected] of [
    ["Always", true],
    ["OnFailure", true],
    [undefined, true],
    ["Never", false],
  ] as const
) {
  Deno.test(`mayReturn() of a pod of policy ${policy}`, () => {
    const restartPolicy = policy === undefined ? {} : { restartPolicy: policy };
    const spec = { containers: [], ...restartPolicy };
    const { metadata } = pod({});
    strictEqual(mayReturn({ metadata, spec }, EVICTED), expected);
    strictEqual(mayReturn({ metadata, spec }, { phase: "Failed" }), false);
    // Its controller makes another in its place.
    const annotations = { [ANNOTATION_CONFIG_SOURCE]: "local" };
    const made = { metadata: { ...metadata, annotations }, spec };
    strictEqual(mayReturn(made, EVICTED), false);
  });
}

const NOTES: readonly (readonly [
  string,
  { before?: number; afterMs: number; startTime?: string; times: number },
])[] = [
  ["the first", { afterMs: MIN, times: 1 }],
  ["the second soon after", { before: 1, afterMs: MIN, times: 2 }],
  ["one ten minutes after", { before: 2, afterMs: 10 * MIN, times: 3 }],
  ["one a long time after", { before: 2, afterMs: 10 * MIN + 1, times: 1 }],
  ["one of very many", { before: 5_000, afterMs: MIN, times: 30 }],
  ["one after the clock was set back", { before: 1, afterMs: -MIN, times: 2 }],
  ["one without a start", {
    before: 1,
    afterMs: 20 * MIN,
    startTime: "nonsense",
    times: 2,
  }],
];

for (const [what, { before, afterMs, startTime, times }] of NOTES) {
  Deno.test(`noteEviction() notes ${what}`, () => {
    const nowMs = START_MS + afterMs;
    const known = before && { times: before, atMs: 0, message: "before" };
    const status = {
      ...EVICTED,
      ...(startTime !== undefined && { startTime }),
    };
    deepStrictEqual(noteEviction(known || undefined, { status, nowMs }), {
      times,
      atMs: nowMs,
      message: "The node was low on resource: memory. ",
    });
  });
}

Deno.test("noteEviction() keeps a short message", () => {
  const nowMs = START_MS;
  const long = { ...EVICTED, message: "x".repeat(5_000) };
  strictEqual(
    noteEviction(undefined, { status: long, nowMs }).message.length,
    1_000,
  );
  const { message: _message, ...none } = EVICTED;
  strictEqual(noteEviction(undefined, { status: none, nowMs }).message, "");
});

const PAUSES: readonly (readonly [
  string,
  { times: number; agoMs: number; transitionMs?: number; pauseMs: number },
])[] = [
  ["the first", { times: 1, agoMs: 5 * MIN, pauseMs: 10 * S }],
  ["the second", { times: 2, agoMs: 5 * MIN, pauseMs: 20 * S }],
  ["the fifth", { times: 5, agoMs: 5 * MIN, pauseMs: 160 * S }],
  ["the sixth", { times: 6, agoMs: 6 * MIN, pauseMs: 300 * S }],
  ["one of very many", { times: 1e9, agoMs: 6 * MIN, pauseMs: 300 * S }],
  ["what counts as none", { times: 0, agoMs: 6 * MIN, pauseMs: 10 * S }],
  ["one just before the agent started", {
    times: 1,
    agoMs: 0,
    pauseMs: 5 * MIN + 10 * S,
  }],
  ["one a while before the agent started", {
    times: 2,
    agoMs: 4 * MIN,
    pauseMs: MIN + 20 * S,
  }],
  ["one in the future, as the clock was set", {
    times: 1,
    agoMs: -365 * 1440 * MIN,
    pauseMs: 5 * MIN + 10 * S,
  }],
  ["one on a node whose conditions end at once", {
    times: 1,
    agoMs: 0,
    transitionMs: 0,
    pauseMs: 10 * S,
  }],
];

for (const [what, { times, agoMs, transitionMs, pauseMs }] of PAUSES) {
  Deno.test(`pauseBeforeReturn() after ${what}`, () => {
    const note = { times, atMs: START_MS, message: "" };
    const nowMs = START_MS + agoMs;
    strictEqual(
      pauseBeforeReturn(note, { nowMs, transitionMs: transitionMs ?? 5 * MIN }),
      pauseMs,
    );
  });
}
