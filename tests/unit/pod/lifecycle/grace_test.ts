import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  containerGrace,
  effectivePodGrace,
  stopTimeout,
  terminationOrder,
} from "../../../../mod/pod/lifecycle/grace.ts";
import { container, pod, podOfThree, sidecar } from "../../../support/pods.ts";

// pod_workers_test.go Test_calculateEffectiveGracePeriod.
const graces = [
  { name: "the spec when nobody says anything", spec: 30, expected: 30 },
  { name: "at least a second", spec: 0, expected: 1 },
  { name: "a second without any word at all", expected: 1 },
  {
    name: "the deletion's word over the spec's",
    spec: 60,
    deletion: 10,
    expected: 10,
  },
  {
    name: "a longer word of the deletion too, at first",
    spec: 5,
    deletion: 10,
    expected: 10,
  },
  {
    name: "the shorter of deletion and request",
    spec: 60,
    deletion: 10,
    requested: 5,
    expected: 5,
  },
  {
    name: "no longer request than the deletion",
    spec: 60,
    deletion: 10,
    requested: 20,
    expected: 10,
  },
  {
    name: "no extension of what holds",
    current: 10,
    spec: 60,
    deletion: 40,
    expected: 10,
  },
  {
    name: "a shortening of what holds",
    current: 60,
    deletion: 10,
    expected: 10,
  },
  {
    name: "what holds when a repeated request says nothing",
    current: 60,
    spec: 5,
    expected: 60,
  },
  {
    name: "no extension of the least",
    current: 1,
    deletion: 40,
    expected: 1,
  },
  {
    name: "the request where the deletion says zero",
    deletion: 0,
    requested: 20,
    expected: 20,
  },
  // PW-06.
  {
    name: "a second for a negative word",
    current: 60,
    deletion: -5,
    expected: 1,
  },
] as const;
for (const row of graces) {
  Deno.test(`effectivePodGrace() gives ${row.name}`, () => {
    const subject = podOfThree({
      ...("spec" in row ? { terminationGracePeriodSeconds: row.spec } : {}),
      metadata: "deletion" in row
        ? { deletionGracePeriodSeconds: row.deletion }
        : {},
    });
    const current = "current" in row ? row.current : undefined;
    const requestedSeconds = "requested" in row ? row.requested : undefined;
    strictEqual(
      effectivePodGrace(current, { pod: subject, requestedSeconds }),
      row.expected,
    );
  });
}

// kuberuntime_container_test.go TestKillContainerGracePeriod.
const exec = { exec: { command: ["true"] } };
const probed = container("a", {
  livenessProbe: { ...exec, terminationGracePeriodSeconds: 7 },
  startupProbe: { ...exec, terminationGracePeriodSeconds: 8 },
});
const containerGraces = [
  { name: "two seconds without any word", expected: 2 },
  { name: "the spec's", spec: 30, expected: 30 },
  { name: "the deletion's", spec: 30, deletion: 5, expected: 5 },
  {
    name: "the liveness probe's",
    spec: 30,
    reason: "liveness_failed",
    expected: 7,
  },
  {
    name: "the startup probe's",
    spec: 30,
    reason: "startup_failed",
    expected: 8,
  },
  {
    name: "the spec's for another reason",
    spec: 30,
    reason: "spec_changed",
    expected: 30,
  },
  {
    name: "the deletion's over a probe's",
    spec: 30,
    deletion: 5,
    reason: "liveness_failed",
    expected: 5,
  },
  {
    name: "an override over all",
    spec: 30,
    deletion: 5,
    override: 1,
    expected: 1,
  },
] as const;
for (const row of containerGraces) {
  Deno.test(`containerGrace() gives ${row.name}`, () => {
    const subject = podOfThree({
      ...("spec" in row ? { terminationGracePeriodSeconds: row.spec } : {}),
      metadata: "deletion" in row
        ? { deletionGracePeriodSeconds: row.deletion }
        : {},
    });
    strictEqual(
      containerGrace(subject, {
        container: probed,
        reason: "reason" in row ? row.reason : undefined,
        overrideSeconds: "override" in row ? row.override : undefined,
      }),
      row.expected,
    );
  });
}

Deno.test("stopTimeout() subtracts whole seconds and keeps two", () => {
  strictEqual(stopTimeout(30), 30);
  strictEqual(stopTimeout(30, 4.9), 26);
  strictEqual(stopTimeout(30, 40), 2);
  strictEqual(stopTimeout(1), 2);
});

// kuberuntime_termination_order_test.go; RT-17.
const ordered = pod({
  initContainers: [
    sidecar("s1"),
    container("i"),
    sidecar("s2"),
    sidecar("s3"),
  ],
  containers: [container("a"), container("b")],
});
const orders = [
  {
    name: "ends the app first, then sidecars from the last",
    running: ["a", "b", "s1", "s2", "s3"],
    expected: {
      a: [],
      b: [],
      s1: ["a", "b", "s3", "s2"],
      s2: ["a", "b", "s3"],
      s3: ["a", "b"],
    },
  },
  {
    name: "waits for nothing that does not run",
    running: ["s1", "s3"],
    expected: { s1: ["s3"], s3: [] },
  },
  {
    name: "lets an ordinary init container and a sidecar end side by side",
    running: ["s1", "i"],
    expected: { s1: [], i: [] },
  },
] as const;
for (const { name, running, expected } of orders) {
  Deno.test(`terminationOrder() ${name}`, () => {
    const order = terminationOrder(ordered, new Set<string>(running));
    deepStrictEqual(Object.fromEntries(order), expected);
  });
}
