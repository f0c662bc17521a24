import { strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import type {
  ContainerStatus,
  Pod,
  PodPhase,
} from "../../../../mod/api/types/mod.ts";
import {
  judgePhase,
  LOST_REASON,
  RESTARTING_ALL_REASON,
} from "../../../../mod/pod/status/phase.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/mod.ts";
import {
  ended,
  observed,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";
import {
  bareStatus,
  container,
  pod,
  podOfThree,
  sidecar,
} from "../../../support/pods.ts";

type State = Pick<ContainerStatus, "state" | "lastState" | "started">;

const running: State = { state: { running: {} }, started: true };
const starting: State = { state: { running: {} }, started: false };
const waiting: State = { state: { waiting: { reason: "ContainerCreating" } } };
const exited = (exitCode: number): State => ({
  state: { terminated: { exitCode } },
});
/** Waiting for the next start. */
const crashed = (exitCode: number, reason = "Error"): State => ({
  state: { waiting: { reason: "CrashLoopBackOff" } },
  lastState: { terminated: { exitCode, reason } },
});

type Policy = "Always" | "OnFailure" | "Never";

interface Row {
  readonly name: string;
  readonly states: Readonly<Record<string, State>>;
  readonly expected: PodPhase;
  readonly terminal?: boolean;
  readonly observed?: ObservedPod;
}

function statusesOf(
  states: Readonly<Record<string, State>>,
): Map<string, ContainerStatus> {
  return new Map(
    Object.keys(states).map((name) => [name, bareStatus(name, states[name])]),
  );
}

function check(title: string, subject: Pod, rows: readonly Row[]): void {
  for (const row of rows) {
    Deno.test(`judgePhase() ${title}: ${row.name} is ${row.expected}`, () => {
      const phase = judgePhase({
        pod: subject,
        observed: row.observed ?? observed(),
        statuses: statusesOf(row.states),
        terminal: row.terminal ?? false,
      });
      strictEqual(phase, row.expected);
    });
  }
}

const two = { containers: [container("a"), container("b")] };
const withPolicy = (restartPolicy: Policy, rest: Partial<Pod["spec"]> = two) =>
  podOfThree({ restartPolicy, ...rest });

// kubelet_pods_test.go TestPodPhaseWithRestartAlways.
check("under Always", withPolicy("Always"), [
  { name: "nothing known", states: {}, expected: "Pending" },
  {
    name: "all running",
    states: { a: running, b: running },
    expected: "Running",
  },
  {
    name: "all stopped",
    states: { a: exited(0), b: exited(1) },
    expected: "Running",
  },
  {
    name: "all stopped for good",
    states: { a: exited(0), b: exited(0) },
    terminal: true,
    expected: "Succeeded",
  },
  {
    name: "all stopped for good, one badly",
    states: { a: exited(0), b: exited(1) },
    terminal: true,
    expected: "Failed",
  },
  {
    name: "one running, one stopped",
    states: { a: running, b: exited(0) },
    expected: "Running",
  },
  {
    name: "one running, one unknown",
    states: { a: running },
    expected: "Pending",
  },
  {
    name: "one running, one waiting",
    states: { a: running, b: waiting },
    expected: "Pending",
  },
  {
    name: "one running, one crash looping",
    states: { a: running, b: crashed(1) },
    expected: "Running",
  },
  {
    name: "all crash looping",
    states: { a: crashed(1), b: crashed(0) },
    expected: "Running",
  },
]);

// TestPodPhaseWithRestartNever, TestPodPhaseWithRestartOnFailure.
check("under Never", withPolicy("Never"), [
  {
    name: "one that vanished while it ran",
    states: { a: exited(0), b: crashed(137, LOST_REASON) },
    expected: "Failed",
  },
  {
    name: "one that is to start again",
    states: { a: exited(0), b: crashed(0) },
    expected: "Running",
  },
  {
    name: "all running",
    states: { a: running, b: running },
    expected: "Running",
  },
  {
    name: "all succeeded",
    states: { a: exited(0), b: exited(0) },
    expected: "Succeeded",
  },
  {
    name: "all failed",
    states: { a: exited(1), b: exited(2) },
    expected: "Failed",
  },
  {
    name: "a mixed end",
    states: { a: exited(0), b: exited(1) },
    expected: "Failed",
  },
  {
    name: "one running, one stopped",
    states: { a: running, b: exited(1) },
    expected: "Running",
  },
  {
    name: "one stopped, one unknown",
    states: { a: exited(0) },
    expected: "Pending",
  },
  {
    name: "one stopped, one waiting",
    states: { a: exited(0), b: waiting },
    expected: "Pending",
  },
  {
    name: "restarting all in place",
    states: {
      a: {
        state: { waiting: {} },
        lastState: {
          terminated: { exitCode: 137, reason: RESTARTING_ALL_REASON },
        },
      },
      b: exited(0),
    },
    expected: "Running",
  },
]);
check("under OnFailure", withPolicy("OnFailure"), [
  {
    name: "all succeeded",
    states: { a: exited(0), b: exited(0) },
    expected: "Succeeded",
  },
  {
    name: "a mixed end",
    states: { a: exited(0), b: exited(1) },
    expected: "Running",
  },
  {
    name: "one crash looping",
    states: { a: exited(0), b: crashed(1) },
    expected: "Running",
  },
  {
    name: "a mixed end for good",
    states: { a: exited(0), b: exited(1) },
    terminal: true,
    expected: "Failed",
  },
]);

const init = {
  initContainers: [container("i"), container("j")],
  containers: [container("a")],
};
// TestPodPhaseWithRestartAlwaysInitContainers and its siblings.
const initRows: readonly Row[] = [
  {
    name: "no init container yet",
    states: { a: waiting },
    expected: "Pending",
  },
  {
    name: "an init container running",
    states: { i: running, j: waiting, a: waiting },
    expected: "Pending",
  },
  {
    name: "an init container done",
    states: { i: exited(0), j: waiting, a: waiting },
    expected: "Pending",
  },
  {
    name: "all init containers done",
    states: { i: exited(0), j: exited(0), a: waiting },
    expected: "Pending",
  },
  {
    name: "the app running",
    states: { i: exited(0), j: exited(0), a: running },
    expected: "Running",
  },
];
for (const policy of ["Always", "OnFailure", "Never"] as const) {
  check(`with init containers under ${policy}`, withPolicy(policy, init), [
    ...initRows,
    {
      name: "an init container failed",
      states: { i: exited(1), j: waiting, a: waiting },
      expected: policy === "Never" ? "Failed" : "Pending",
    },
    {
      name: "an init container crash looping",
      states: { i: crashed(1), j: waiting, a: waiting },
      expected: policy === "Never" ? "Failed" : "Pending",
    },
  ]);
}

const side = {
  initContainers: [sidecar("s"), container("i")],
  containers: [container("a")],
};
const done = { i: exited(0) };
// TestPodPhaseWithRestartableInitContainers…, RT-18.
check("with a sidecar under Never", withPolicy("Never", side), [
  {
    name: "the sidecar waiting",
    states: { s: waiting, i: waiting, a: waiting },
    expected: "Pending",
  },
  {
    name: "the sidecar starting",
    states: { s: starting, i: waiting, a: waiting },
    expected: "Pending",
  },
  {
    name: "all running",
    states: { s: running, ...done, a: running },
    expected: "Running",
  },
  {
    name: "the sidecar crashed beside the app",
    states: { s: exited(1), ...done, a: running },
    expected: "Running",
  },
  {
    name: "the sidecar starting again beside the app",
    states: { s: starting, ...done, a: running },
    observed: observed([seen("a")]),
    expected: "Running",
  },
  {
    name: "the app done, the sidecar running",
    states: { s: running, ...done, a: exited(0) },
    expected: "Running",
  },
  {
    name: "the app done, the sidecar failed",
    states: { s: exited(137), ...done, a: exited(0) },
    expected: "Succeeded",
  },
  {
    name: "the app failed, the sidecar fine",
    states: { s: exited(0), ...done, a: exited(1) },
    expected: "Failed",
  },
  {
    name: "the sidecar crashed before the app",
    states: { s: crashed(1), i: waiting, a: waiting },
    expected: "Pending",
  },
]);

// TestPodPhaseWithContainerRestartPolicies.
const ruled = pod({
  restartPolicy: "Never",
  containers: [
    container("a", {
      restartPolicy: "Never",
      restartPolicyRules: [{
        action: "Restart",
        exitCodes: { operator: "In", values: [42] },
      }],
    }),
    container("b"),
  ],
});
check("with exit code rules", ruled, [
  {
    name: "an end that a rule restarts",
    states: { a: exited(42), b: exited(0) },
    expected: "Running",
  },
  {
    name: "an end without a rule",
    states: { a: exited(1), b: exited(0) },
    expected: "Failed",
  },
]);

const fromFile = podOfThree({
  ...two,
  metadata: { annotations: { [ANNOTATION_CONFIG_SOURCE]: "file" } },
});
check("of a static pod", fromFile, [
  {
    name: "stopped for good",
    states: { a: exited(0), b: exited(0) },
    terminal: true,
    expected: "Running",
  },
]);

const restarting = { s: starting, ...done, a: running };
check("with init containers that run again", withPolicy("Never", init), [{
  name: "the app over",
  states: { i: running, j: exited(0), a: exited(0) },
  expected: "Succeeded",
}]);

check("with a sidecar that starts again", withPolicy("Always", side), [
  {
    name: "a record in the ready sandbox",
    states: restarting,
    observed: observed([seen("a")]),
    expected: "Running",
  },
  {
    name: "only init records",
    states: restarting,
    observed: observed([seen("i")]),
    expected: "Pending",
  },
  {
    name: "a record in an earlier sandbox",
    states: restarting,
    observed: observed([ended("a", 1)], [sandbox({ id: "s1" })]),
    expected: "Pending",
  },
  {
    name: "a sandbox that is not ready",
    states: restarting,
    observed: observed([seen("a")], [sandbox({ ready: false })]),
    expected: "Pending",
  },
]);

for (const policy of ["Always", "OnFailure", "Never"] as const) {
  check(`under ${policy}`, withPolicy(policy), [{
    name: "one that nobody knows of (RT-06)",
    states: { a: exited(137), b: exited(137) },
    observed: observed([seen("b", { state: "unknown" })]),
    expected: "Running",
  }]);
}
