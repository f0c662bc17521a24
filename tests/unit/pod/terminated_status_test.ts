import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ANNOTATION_CONFIG_SOURCE, type Pod } from "../../../mod/api/mod.ts";
import {
  buildPodStatus,
  revivedContainer,
  terminatedStatus,
} from "../../../mod/pod/mod.ts";
import { ended, observed, pod, seen, spec, statusInput } from "./builders.ts";

const never = pod({ containers: [spec("a")], restartPolicy: "Never" });

// status_manager_test.go TestTerminatePod, TestTerminatePodWaiting,
// TestTerminatePod_EnsurePodPhaseIsTerminal.
const halfWay = (subject: Pod) =>
  buildPodStatus(statusInput({
    pod: subject,
    observed: observed([seen("a"), ended("b", 0)]),
  }));

Deno.test("terminatedStatus() takes what was not seen to end as failed", () => {
  const subject = pod({ containers: [spec("a"), spec("b"), spec("c")] });
  const closed = terminatedStatus(subject, halfWay(subject));
  deepStrictEqual(
    closed.containerStatuses?.map(({ state }) => state?.terminated?.exitCode),
    [137, 0, 137],
  );
  strictEqual(closed.phase, "Failed");
});

Deno.test("terminatedStatus() keeps the phase of a static pod", () => {
  const subject = pod({
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

Deno.test("terminatedStatus() fails init containers only up to the last that was started", () => {
  const subject = pod({
    containers: [spec("a")],
    initContainers: [spec("i1"), spec("i2"), spec("i3")],
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
    const subject = pod({ containers: [spec("a")], restartPolicy: policy });
    const status = (records: Parameters<typeof observed>[0]) =>
      buildPodStatus(
        statusInput({ pod: subject, observed: observed(records) }),
      );
    strictEqual(
      revivedContainer(
        subject,
        status([ended("a", exitCode)]),
        status([seen("a", { restartCount: 1 })]),
      ),
      expected,
    );
  });
}
