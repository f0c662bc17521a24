import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE } from "../../../../mod/api/vocabulary/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../../mod/pod/status/status.ts";
import {
  revivedContainer,
  terminatedStatus,
} from "../../../../mod/pod/status/terminated_status.ts";
import {
  ended,
  observed,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod, podOfThree } from "../../../support/pods.ts";

const never = pod({ containers: [container("a")], restartPolicy: "Never" });

// status_manager_test.go TestTerminatePod, TestTerminatePodWaiting,
// TestTerminatePod_EnsurePodPhaseIsTerminal.
const halfWay = (subject: Pod) =>
  buildPodStatus(statusInput({
    pod: subject,
    observed: observed([seen("a"), ended("b", 0)]),
  }));

Deno.test("terminatedStatus() takes what was not seen to end as failed", () => {
  const subject = pod({
    containers: [container("a"), container("b"), container("c")],
  });
  const closed = terminatedStatus(subject, halfWay(subject));
  deepStrictEqual(
    closed.containerStatuses?.map(({ state }) => state?.terminated?.exitCode),
    [137, 0, 137],
  );
  strictEqual(closed.phase, "Failed");
});

Deno.test("terminatedStatus() keeps the phase of a static pod", () => {
  const subject = podOfThree({
    metadata: { annotations: { [ANNOTATION_CONFIG_SOURCE]: "file" } },
  });
  const status = halfWay(subject);
  strictEqual(terminatedStatus(subject, status).phase, status.phase);
});

Deno.test("terminatedStatus() keeps a terminal phase", () => {
  const status = buildPodStatus(
    statusInput({ pod: never, observed: observed([ended("a", 0)]) }),
  );
  strictEqual(terminatedStatus(never, status).phase, "Succeeded");
});

Deno.test("terminatedStatus() fails an app that was reached although its init container has no record", () => {
  const subject = pod({
    containers: [container("a")],
    initContainers: [container("i")],
  });
  const status = buildPodStatus(
    statusInput({ pod: subject, observed: observed([seen("a")]) }),
  );
  const waiting = { waiting: { reason: "PodInitializing" } };
  const closed = terminatedStatus(subject, {
    ...status,
    initContainerStatuses: (status.initContainerStatuses ?? [])
      .map((init) => ({ ...init, state: waiting })),
  });
  const { terminated } = closed.containerStatuses?.[0]?.state ?? {};
  strictEqual(terminated?.exitCode, 137);
});

Deno.test("terminatedStatus() fails init containers only up to the last that was started", () => {
  const subject = pod({
    containers: [container("a")],
    initContainers: [container("i1"), container("i2"), container("i3")],
  });
  const closed = terminatedStatus(
    subject,
    buildPodStatus(statusInput({
      pod: subject,
      observed: observed([seen("i2"), ended("i1", 0)]),
    })),
  );
  deepStrictEqual(
    closed.initContainerStatuses?.map(({ state }) =>
      state?.terminated?.exitCode
    ),
    [0, 137, undefined],
  );
  strictEqual(
    closed.containerStatuses?.[0]?.state?.waiting !== undefined,
    true,
  );
});

// TestCheckContainerStateTransition.
const revivals = [
  { policy: "Always", exitCode: 0, expected: undefined },
  { policy: "OnFailure", exitCode: 1, expected: undefined },
  { policy: "OnFailure", exitCode: 0, expected: "a" },
  { policy: "Never", exitCode: 1, expected: "a" },
];
for (const { policy, exitCode, expected } of revivals) {
  Deno.test(`revivedContainer() ${expected === undefined ? "allows" : "finds"} a run after exit ${exitCode} under ${policy}`, () => {
    const subject = pod({
      containers: [container("a")],
      restartPolicy: policy,
    });
    const status = (records: Parameters<typeof observed>[0]) =>
      buildPodStatus(
        statusInput({ pod: subject, observed: observed(records) }),
      );
    strictEqual(
      revivedContainer(
        subject,
        status([ended("a", exitCode)]),
        status([seen("a")]),
      ),
      expected,
    );
  });
}

const withInit = (policy: string) =>
  pod({
    containers: [container("a")],
    initContainers: [container("i")],
    restartPolicy: policy,
  });
const initRevivals = [
  // A new sandbox runs them again.
  { policy: "Always", exitCode: 0, expected: undefined },
  { policy: "OnFailure", exitCode: 0, expected: undefined },
  { policy: "Never", exitCode: 0, expected: "i" },
  { policy: "Never", exitCode: 1, expected: "i" },
];
for (const { policy, exitCode, expected } of initRevivals) {
  Deno.test(`revivedContainer() ${expected === undefined ? "allows" : "finds"} another run of an init container after exit ${exitCode} under ${policy}`, () => {
    const subject = withInit(policy);
    const status = (records: Parameters<typeof observed>[0]) =>
      buildPodStatus(
        statusInput({ pod: subject, observed: observed(records) }),
      );
    strictEqual(
      revivedContainer(
        subject,
        status([ended("i", exitCode)]),
        status([seen("i")]),
      ),
      expected,
    );
  });
}

Deno.test("revivedContainer() believes that a container ran once more, whatever its policy says", () => {
  const main = container("a");
  // Its sandbox was replaced, in which all but what has its work done runs again.
  const once = container("b", { restartPolicy: "Never" });
  const subject = pod({ containers: [main, once] });
  const [before, after] = [
    [ended("b", 0), seen("a")],
    [
      seen("b", { id: "b2", restartCount: 1 }),
      seen("a", { id: "a2", restartCount: 1 }),
    ],
  ].map((records) =>
    buildPodStatus(
      statusInput({ pod: subject, observed: observed(records) }),
    )
  );
  ok(before !== undefined && after !== undefined);
  strictEqual(revivedContainer(subject, before, after), undefined);
  strictEqual(revivedContainer(subject, after, before), undefined);
});

const alive = buildPodStatus(
  statusInput({ pod: never, observed: observed([seen("a")]) }),
);

Deno.test("revivedContainer() lets a container live whose end nobody saw", () => {
  strictEqual(
    revivedContainer(never, terminatedStatus(never, alive), alive),
    undefined,
  );
});

Deno.test("revivedContainer() lets all containers live of a pod that restarts in place", () => {
  const over = buildPodStatus(
    statusInput({ pod: never, observed: observed([ended("a", 0)]) }),
  );
  const restarting = { type: "AllContainersRestarting", status: "True" };
  const conditions = [...alive.conditions ?? [], restarting];
  strictEqual(revivedContainer(never, over, alive), "a");
  strictEqual(
    revivedContainer(never, over, { ...alive, conditions }),
    undefined,
  );
});
