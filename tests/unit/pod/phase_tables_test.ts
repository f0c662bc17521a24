/**
 * The phase, by upstream's tables (kubelet_pods_test.go TestPodPhaseWith*) and by all
 * combinations of ST-01.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  ContainerStatus,
  Pod,
  PodPhase,
} from "../../../mod/api/types/mod.ts";
import {
  judgePhase,
  RESTARTING_ALL_REASON,
} from "../../../mod/pod/status/phase.ts";
import { observed, seen } from "../../support/observed_pods.ts";
import { bareStatus, container, pod, sidecar } from "../../support/pods.ts";

/** How a container stands, in one word. */
const STATES = {
  waits: { state: { waiting: {} } },
  runs: { state: { running: {} } },
  started: { state: { running: {} }, started: true },
  succeeded: { state: { terminated: { exitCode: 0 } } },
  failed: { state: { terminated: { exitCode: -1 } } },
  exited42: { state: { terminated: { exitCode: 42 } } },
  againAfter0: {
    state: { waiting: {} },
    lastState: { terminated: { exitCode: 0 } },
  },
  againAfter1: {
    state: { waiting: {} },
    lastState: { terminated: { exitCode: -1 } },
  },
  reset: {
    state: { waiting: { reason: RESTARTING_ALL_REASON } },
    lastState: { terminated: { exitCode: 137, reason: RESTARTING_ALL_REASON } },
  },
} as const satisfies Record<string, Partial<ContainerStatus>>;

type State = keyof typeof STATES;

/** Container a in its state, in words: `a runs, b failed`. */
function statusesOf(words: string): Map<string, ContainerStatus> {
  const pairs = words === "" ? [] : words.split(", ");
  return new Map(pairs.map((pair) => {
    const [name = "", state = ""] = pair.split(" ");
    if (!isState(state)) throw new Error(`Cannot test: no state "${state}"`);
    return [name, bareStatus(name, STATES[state])];
  }));
}

function isState(word: string): word is State {
  return word in STATES;
}

interface Row {
  readonly is: string;
  readonly phase: PodPhase;
  readonly terminal?: true;
  /** An app container has a record in the sandbox that is ready now. */
  readonly reached?: true;
}

function table(upstream: string, subject: Pod, rows: readonly Row[]): void {
  for (const { is, phase, terminal, reached } of rows) {
    const over = terminal ? ", for good" : "";
    const again = reached ? ", app reached" : "";
    const title = is === "" ? "nothing known" : is;
    Deno.test(`judgePhase() ${upstream} (ST-01): ${title}${over}${again} is ${phase}`, () => {
      const judged = judgePhase({
        pod: subject,
        observed: observed(reached ? [seen("a")] : []),
        statuses: statusesOf(is),
        terminal: terminal ?? false,
      });
      strictEqual(judged, phase);
    });
  }
}

const apps = [container("a"), container("b")];
const SIDECAR = sidecar("x");
const make = (
  restartPolicy: "Always" | "OnFailure" | "Never",
  initContainers: readonly ContainerSpec[] = [],
  containers: readonly ContainerSpec[] = apps,
) =>
  pod({
    restartPolicy,
    containers,
    ...(initContainers.length > 0 && { initContainers }),
  });

table("TestPodPhaseWithRestartAlways", make("Always"), [
  { is: "", phase: "Pending" },
  { is: "a runs, b runs", phase: "Running" },
  { is: "a succeeded, b succeeded", phase: "Running" },
  { is: "a succeeded, b succeeded", terminal: true, phase: "Succeeded" },
  { is: "a succeeded, b failed", terminal: true, phase: "Failed" },
  { is: "a runs, b succeeded", phase: "Running" },
  { is: "a runs", phase: "Pending" },
  { is: "a runs, b waits", phase: "Pending" },
  { is: "a runs, b againAfter0", phase: "Running" },
  { is: "a againAfter0, b againAfter0", phase: "Running" },
]);

const initRows: readonly Row[] = [
  { is: "", phase: "Pending" },
  { is: "x runs", phase: "Pending" },
  { is: "x againAfter0", phase: "Pending" },
  { is: "x waits", phase: "Pending" },
  { is: "x succeeded, a runs, b runs", phase: "Running" },
];
table(
  "TestPodPhaseWithRestartAlwaysInitContainers",
  make("Always", [container("x")]),
  [
    ...initRows,
    { is: "x failed", phase: "Pending" },
    { is: "x againAfter1", phase: "Pending" },
  ],
);
table(
  "TestPodPhaseWithRestartNeverInitContainers",
  make("Never", [container("x")]),
  [
    ...initRows,
    { is: "x failed", phase: "Failed" },
    { is: "x againAfter1", phase: "Failed" },
  ],
);
table(
  "TestPodPhaseWithRestartOnFailureInitContainers",
  make("OnFailure", [container("x")]),
  [
    ...initRows,
    { is: "x failed", phase: "Pending" },
    { is: "x againAfter1", phase: "Pending" },
  ],
);

const sidecarRows: readonly Row[] = [
  { is: "", phase: "Pending" },
  { is: "x runs", phase: "Pending" },
  { is: "x succeeded", phase: "Pending" },
  { is: "x againAfter0", phase: "Pending" },
  { is: "x againAfter1", phase: "Pending" },
  { is: "x waits", phase: "Pending" },
  { is: "x started, a runs", reached: true, phase: "Pending" },
  { is: "x started, a runs, b runs", reached: true, phase: "Running" },
  { is: "x runs, a runs, b runs", reached: true, phase: "Running" },
  { is: "x succeeded, a runs, b runs", reached: true, phase: "Running" },
  { is: "x againAfter0, a runs, b runs", reached: true, phase: "Running" },
  { is: "x runs, a runs, b runs", phase: "Pending" },
];
table(
  "TestPodPhaseWithRestartAlwaysRestartableInitContainers",
  make("Always", [SIDECAR]),
  [
    ...sidecarRows,
    {
      is: "x failed, a succeeded, b succeeded",
      terminal: true,
      reached: true,
      phase: "Succeeded",
    },
    {
      is: "x succeeded, a succeeded, b succeeded",
      terminal: true,
      reached: true,
      phase: "Succeeded",
    },
  ],
);
table(
  "TestPodPhaseWithRestartNeverRestartableInitContainers",
  make("Never", [SIDECAR]),
  [
    ...sidecarRows,
    {
      is: "x started, a succeeded, b runs",
      reached: true,
      phase: "Running",
    },
    {
      is: "x started, a succeeded, b succeeded",
      reached: true,
      phase: "Running",
    },
    {
      is: "x succeeded, a succeeded, b succeeded",
      reached: true,
      phase: "Succeeded",
    },
    {
      is: "x failed, a succeeded, b succeeded",
      reached: true,
      phase: "Succeeded",
    },
    {
      is: "x failed, a failed, b succeeded",
      reached: true,
      phase: "Failed",
    },
  ],
);

table(
  "TestPodPhaseWithRestartAlwaysAndPodHasRun",
  make("Always", [container("i"), SIDECAR], [container("a")]),
  [
    { is: "i runs, x runs, a runs", phase: "Pending" },
    { is: "i runs, x runs, a succeeded", phase: "Pending" },
    { is: "i succeeded, x runs, a succeeded", phase: "Pending" },
    {
      is: "i succeeded, x runs, a succeeded",
      reached: true,
      phase: "Running",
    },
    { is: "i succeeded, x runs, a runs", reached: true, phase: "Running" },
  ],
);

table("TestPodPhaseWithRestartNever", make("Never"), [
  { is: "", phase: "Pending" },
  { is: "a runs, b runs", phase: "Running" },
  { is: "a succeeded, b succeeded", phase: "Succeeded" },
  { is: "a failed, b failed", phase: "Failed" },
  { is: "a runs, b succeeded", phase: "Running" },
  { is: "a runs", phase: "Pending" },
  { is: "a runs, b waits", phase: "Pending" },
]);

table("TestPodPhaseWithRestartOnFailure", make("OnFailure"), [
  { is: "", phase: "Pending" },
  { is: "a runs, b runs", phase: "Running" },
  { is: "a succeeded, b succeeded", phase: "Succeeded" },
  { is: "a failed, b failed", phase: "Running" },
  { is: "a runs, b succeeded", phase: "Running" },
  { is: "a runs", phase: "Pending" },
  { is: "a runs, b waits", phase: "Pending" },
  { is: "a runs, b againAfter1", phase: "Running" },
  { is: "a againAfter1, b againAfter1", phase: "Running" },
]);

const own = (name: string, restartPolicy: string) =>
  container(name, { restartPolicy });
const policyTable = "TestPodPhaseWithContainerRestartPolicies";
table(
  policyTable,
  make("Never", [], [own("a", "Always"), own("b", "Never")]),
  [
    { is: "a failed, b failed", phase: "Running" },
    { is: "a succeeded, b succeeded", phase: "Running" },
    { is: "a succeeded, b succeeded", terminal: true, phase: "Succeeded" },
    { is: "a succeeded, b failed", terminal: true, phase: "Failed" },
  ],
);
table(
  policyTable,
  make("Always", [], [own("a", "Never"), own("b", "OnFailure")]),
  [
    { is: "a succeeded, b succeeded", phase: "Succeeded" },
    { is: "a failed, b succeeded", phase: "Failed" },
    { is: "a succeeded, b failed", phase: "Running" },
  ],
);
const initPolicies = [
  { pod: "Always", own: "Never", phase: "Failed" },
  { pod: "Never", own: "OnFailure", phase: "Pending" },
  { pod: "Never", own: "Always", phase: "Pending" },
] as const;
for (const row of initPolicies) {
  table(
    `TestPodPhaseWithContainerRestartPolicyInitContainers ${row.own} in ${row.pod}`,
    make(row.pod, [own("x", row.own)]),
    [{ is: "x failed", phase: row.phase }],
  );
}

const RULES = {
  restartPolicyRules: [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [42] },
  }],
};
const ruled = (name: string) =>
  container(name, { restartPolicy: "Never", ...RULES });
const resets = "TestPodPhaseWithRestartAllContainers";
table(`${resets} by an app`, make("Never", [], [ruled("a")]), [
  { is: "a exited42", reached: true, phase: "Running" },
  { is: "a reset", reached: true, phase: "Running" },
]);
table(
  `${resets} by an app behind an init container`,
  make("Never", [container("i")], [ruled("a")]),
  [
    { is: "i succeeded, a reset", reached: true, phase: "Running" },
    { is: "i failed, a reset", reached: true, phase: "Failed" },
  ],
);
table(
  `${resets} by an init container`,
  make("Never", [ruled("i")], [container("a")]),
  [
    { is: "i exited42, a waits", reached: true, phase: "Pending" },
    { is: "i reset, a waits", reached: true, phase: "Pending" },
    { is: "i succeeded, a waits", reached: true, phase: "Pending" },
  ],
);
table(
  `${resets} by a sidecar`,
  make("Never", [sidecar("x", RULES)], [container("a")]),
  [
    { is: "x exited42, a waits", reached: true, phase: "Pending" },
    { is: "x reset, a waits", reached: true, phase: "Pending" },
    { is: "x reset, a reset", reached: true, phase: "Running" },
    { is: "x runs, a reset", reached: true, phase: "Running" },
  ],
);
table(
  `${resets} by a sidecar before an init container`,
  make("Never", [sidecar("x", RULES), container("i")], [container("a")]),
  [
    { is: "x exited42, i waits, a waits", reached: true, phase: "Pending" },
    { is: "x reset, i reset, a waits", reached: true, phase: "Pending" },
    { is: "x runs, i reset, a waits", reached: true, phase: "Pending" },
  ],
);

// Every state that one init container, one sidecar behind it and one app can reach
// together, under each policy.
for (const policy of ["Always", "OnFailure", "Never"] as const) {
  table(
    `ST-01 init, sidecar and app under ${policy}`,
    make(policy, [container("i"), SIDECAR], [container("a")]),
    combinations(policy),
  );
}

function combinations(policy: string): Row[] {
  const before: Row[] = (["waits", "runs"] as const).map((init) => ({
    is: `i ${init}, x waits, a waits`,
    phase: "Pending",
  }));
  const failed: Row[] = (["failed", "againAfter1"] as const).map((init) => ({
    is: `i ${init}, x waits, a waits`,
    phase: policy === "Never" ? "Failed" : "Pending",
  }));
  const starting: Row[] =
    (["waits", "runs", "succeeded", "failed", "againAfter1"] as const)
      .map((state) => ({
        is: `i succeeded, x ${state}, a waits`,
        phase: "Pending",
      }));
  const beside = ["started", "runs", "failed", "againAfter0"] as const;
  const reached = beside.flatMap((state): Row[] => {
    const keepsItUp = state === "started" || state === "runs";
    const at = `i succeeded, x ${state}`;
    const ends = (goesOn: boolean, end: PodPhase): PodPhase =>
      keepsItUp || goesOn ? "Running" : end;
    return [
      { is: `${at}, a waits`, reached: true, phase: "Pending" },
      { is: `${at}, a runs`, reached: true, phase: "Running" },
      {
        is: `${at}, a succeeded`,
        reached: true,
        phase: ends(policy === "Always", "Succeeded"),
      },
      {
        is: `${at}, a failed`,
        reached: true,
        phase: ends(policy !== "Never", "Failed"),
      },
    ];
  });
  return [...before, ...failed, ...starting, ...reached];
}
