import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  interruptsWork,
  type PodSignal,
  type PodState,
  stepPod,
} from "../../../../mod/pod/lifecycle/lifecycle.ts";

const states = {
  syncing: { kind: "syncing" },
  terminating: { kind: "terminating", cause: "completed", graceSeconds: 30 },
  terminated: { kind: "terminated", cause: "evicted", atMs: 5 },
  finished: { kind: "finished", cause: "evicted" },
} as const satisfies Record<string, PodState>;

const signals = {
  stop: { kind: "stop_requested", cause: "removed", graceSeconds: 10 },
  completed: { kind: "pod_completed", graceSeconds: 20 },
  stopped: { kind: "containers_stopped", atMs: 7 },
  released: { kind: "resources_released" },
} as const satisfies Record<string, PodSignal>;

const rows: readonly {
  readonly from: keyof typeof states;
  readonly signal: keyof typeof signals;
  /** `undefined`: it cannot happen. */
  readonly to: PodState | undefined;
}[] = [
  {
    from: "syncing",
    signal: "stop",
    to: { kind: "terminating", cause: "removed", graceSeconds: 10 },
  },
  {
    from: "syncing",
    signal: "completed",
    to: { kind: "terminating", cause: "completed", graceSeconds: 20 },
  },
  { from: "syncing", signal: "stopped", to: undefined },
  { from: "syncing", signal: "released", to: undefined },
  {
    from: "terminating",
    signal: "stop",
    to: { kind: "terminating", cause: "removed", graceSeconds: 10 },
  },
  { from: "terminating", signal: "completed", to: states.terminating },
  {
    from: "terminating",
    signal: "stopped",
    to: { kind: "terminated", cause: "completed", atMs: 7 },
  },
  { from: "terminating", signal: "released", to: undefined },
  {
    from: "terminated",
    signal: "stop",
    to: { kind: "terminated", cause: "removed", atMs: 5 },
  },
  { from: "terminated", signal: "completed", to: undefined },
  { from: "terminated", signal: "stopped", to: undefined },
  {
    from: "terminated",
    signal: "released",
    to: { kind: "finished", cause: "evicted" },
  },
  {
    from: "finished",
    signal: "stop",
    to: { kind: "finished", cause: "removed" },
  },
  { from: "finished", signal: "completed", to: undefined },
  { from: "finished", signal: "stopped", to: undefined },
  { from: "finished", signal: "released", to: undefined },
];

for (const { from, signal, to } of rows) {
  const outcome = to === undefined ? "refuses" : "takes";
  Deno.test(`stepPod() ${outcome} ${signal} in state ${from}`, () => {
    const act = () => stepPod(states[from], signals[signal]);
    if (to === undefined) {
      throws(
        act,
        /^Error: Cannot apply signal ".+": the pod is in state ".+"$/,
      );
    } else {
      deepStrictEqual(act(), to);
    }
  });
}

Deno.test("stepPod() never lengthens the grace nor weakens the cause", () => {
  const requests = fc.array(
    fc.record({
      kind: fc.constant("stop_requested" as const),
      cause: fc.constantFrom("evicted" as const, "removed" as const),
      graceSeconds: fc.integer({ min: -5, max: 100 }),
    }),
    { minLength: 1 },
  );
  fc.assert(fc.property(requests, (list) => {
    let state: PodState = { kind: "syncing" };
    for (const signal of list) {
      const next = stepPod(state, signal);
      strictEqual(next.kind, "terminating");
      if (next.kind !== "terminating") return;
      strictEqual(next.graceSeconds >= 1, true);
      if (state.kind === "terminating") {
        strictEqual(next.graceSeconds <= state.graceSeconds, true);
        if (state.cause === "removed") strictEqual(next.cause, "removed");
      }
      state = next;
    }
  }));
});

const interruptions = [
  { name: "a first stop", before: states.syncing, grace: 30, expected: true },
  {
    name: "a shorter grace",
    before: states.terminating,
    grace: 10,
    expected: true,
  },
  {
    name: "a longer grace",
    before: states.terminating,
    grace: 60,
    expected: false,
  },
  {
    name: "a stop of what has stopped",
    before: states.terminated,
    grace: 1,
    expected: false,
  },
] as const;
for (const { name, before, grace, expected } of interruptions) {
  Deno.test(`interruptsWork() is ${expected} for ${name}`, () => {
    const after = stepPod(before, { ...signals.stop, graceSeconds: grace });
    strictEqual(interruptsWork(before, after), expected);
  });
}
