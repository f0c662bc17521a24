import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../../mod/pod/status/status.ts";
import { findCondition } from "../../../../mod/pod/status/conditions.ts";
import {
  ended,
  observed,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod, podOfThree, sidecar } from "../../../support/pods.ts";

const NOW = "2026-01-02T03:04:05Z";
const EARLIER = "2026-01-02T03:00:00Z";
const one = pod({ containers: [container("a")] });
const never = pod({ containers: [container("a")], restartPolicy: "Never" });

// status/generate_test.go TestGenerateContainersReadyCondition,
// TestGeneratePodReadyCondition, TestGeneratePodInitializedCondition.
const gated = pod({
  containers: [container("a")],
  readinessGates: [{ conditionType: "gate1" }, { conditionType: "gate2" }],
  status: { conditions: [{ type: "gate2", status: "False" }] },
});
const initPod = pod({
  containers: [container("a")],
  initContainers: [container("i"), sidecar("s")],
});
const conditions: readonly {
  readonly name: string;
  readonly pod: Pod;
  readonly observed: ReturnType<typeof observed>;
  readonly type: string;
  readonly expected: readonly [string, string?, string?];
}[] = [
  {
    name: "all containers run",
    pod: podOfThree(),
    observed: observed([seen("a"), seen("b"), seen("c")]),
    type: "ContainersReady",
    expected: ["True"],
  },
  {
    name: "two containers do not run",
    pod: podOfThree(),
    observed: observed([seen("b")]),
    type: "ContainersReady",
    expected: [
      "False",
      "ContainersNotReady",
      "containers with unready status: [a c]",
    ],
  },
  {
    name: "a sidecar does not run beside the app",
    pod: initPod,
    observed: observed([seen("a"), ended("s", 1)]),
    type: "Ready",
    expected: [
      "False",
      "ContainersNotReady",
      "containers with unready status: [s]",
    ],
  },
  {
    name: "the pod succeeded",
    pod: never,
    observed: observed([ended("a", 0)]),
    type: "Ready",
    expected: ["False", "PodCompleted"],
  },
  {
    name: "the pod succeeded",
    pod: never,
    observed: observed([ended("a", 0)]),
    type: "Initialized",
    expected: ["True", "PodCompleted"],
  },
  {
    name: "the pod failed",
    pod: never,
    observed: observed([ended("a", 1)]),
    type: "ContainersReady",
    expected: ["False", "PodFailed"],
  },
  {
    name: "gates are missing or closed",
    pod: gated,
    observed: observed([seen("a")]),
    type: "Ready",
    expected: [
      "False",
      "ReadinessGatesNotReady",
      'corresponding condition of pod readiness gate "gate1" does not exist., ' +
      'the status of pod readiness gate "gate2" is not "True", but False',
    ],
  },
  {
    name: "gates are closed but the containers run",
    pod: gated,
    observed: observed([seen("a")]),
    type: "ContainersReady",
    expected: ["True"],
  },
  {
    name: "no init container has run",
    pod: initPod,
    observed: observed([seen("i")]),
    type: "Initialized",
    expected: [
      "False",
      "ContainersNotInitialized",
      "containers with incomplete status: [i s]",
    ],
  },
  {
    name: "the init containers are done",
    pod: initPod,
    observed: observed([ended("i", 0), seen("s")]),
    type: "Initialized",
    expected: ["True"],
  },
  {
    name: "a sidecar restarts beside the app",
    pod: initPod,
    observed: observed([seen("a"), ended("i", 0), ended("s", 1)]),
    type: "Initialized",
    expected: ["True"],
  },
  {
    name: "there is no sandbox",
    pod: one,
    observed: observed([], []),
    type: "PodReadyToStartContainers",
    expected: ["False"],
  },
  {
    name: "there is a sandbox",
    pod: one,
    observed: observed(),
    type: "PodReadyToStartContainers",
    expected: ["True"],
  },
];
for (const row of conditions) {
  const [status, reason, message] = row.expected;
  Deno.test(`buildPodStatus() sets ${row.type} ${status} when ${row.name}`, () => {
    const built = buildPodStatus(
      statusInput({ pod: row.pod, observed: row.observed }),
    );
    const condition = findCondition(built.conditions, row.type);
    deepStrictEqual(
      [condition?.status, condition?.reason, condition?.message],
      [status, reason, message],
    );
  });
}

Deno.test("buildPodStatus() orders its conditions after those of others", () => {
  const status = buildPodStatus(statusInput({
    pod: podOfThree({
      status: {
        conditions: [
          { type: "Ready", status: "False" },
          { type: "example.org/Mine", status: "True" },
        ],
      },
    }),
    observed: observed(),
    previous: {
      conditions: [{
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
      }],
    },
  }));
  deepStrictEqual(status.conditions?.map(({ type }) => type), [
    "example.org/Mine",
    "DisruptionTarget",
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
  ]);
});

Deno.test("buildPodStatus() says why a pod does not get the resources that it asks for", () => {
  const { conditions } = buildPodStatus(statusInput({
    pod: one,
    observed: observed([seen("a")]),
    resizeRefusal: { reason: "Deferred", message: "too little" },
  }));
  const pending = findCondition(conditions, "PodResizePending");
  deepStrictEqual(
    [pending?.status, pending?.reason, pending?.message],
    ["True", "Deferred", "too little"],
  );
});

// ST-07: lastTransitionTime moves only on a change.
const transitions = [
  {
    name: "keeps the time of the same status",
    status: "True",
    at: EARLIER,
    expected: EARLIER,
  },
  {
    name: "takes the time of a change",
    status: "False",
    at: EARLIER,
    expected: NOW,
  },
  {
    name: "does not keep a time ahead of the clock",
    status: "True",
    at: "2027-01-01T00:00:00Z",
    expected: NOW,
  },
];
for (const { name, status, at, expected } of transitions) {
  Deno.test(`buildPodStatus() ${name}`, () => {
    const built = buildPodStatus(statusInput({
      pod: one,
      observed: observed([seen("a")]),
      previous: {
        conditions: [{ type: "Ready", status, lastTransitionTime: at }],
      },
    }));
    strictEqual(
      findCondition(built.conditions, "Ready")?.lastTransitionTime,
      expected,
    );
  });
}
