import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describePlan, planPod } from "../../../mod/pod/plan/plan.ts";
import {
  ended,
  observed,
  probes,
  sandbox,
  seen,
} from "../../support/observed_pods.ts";
import { container, pod, podOfThree } from "../../support/pods.ts";

// TestComputePodActionsWithContainerRestartRules.
const rule = (action: string, operator: string, values: readonly number[]) => ({
  action,
  exitCodes: { operator, values },
});

const exitRows = [
  { policy: undefined, rules: [], code: 1, starts: false },
  { policy: "Always", rules: [], code: 0, starts: true },
  { policy: "OnFailure", rules: [], code: 0, starts: false },
  { policy: "OnFailure", rules: [], code: 3, starts: true },
  {
    policy: "Never",
    rules: [rule("Restart", "In", [42])],
    code: 42,
    starts: true,
  },
  {
    policy: "Never",
    rules: [rule("Restart", "In", [42])],
    code: 1,
    starts: false,
  },
  {
    policy: "Never",
    rules: [rule("Restart", "NotIn", [42])],
    code: 1,
    starts: true,
  },
  {
    policy: "Never",
    rules: [rule("Restart", "NotIn", [42])],
    code: 42,
    starts: false,
  },
  // Rules without a policy of the container's own are not asked.
  {
    policy: undefined,
    rules: [rule("Restart", "In", [42])],
    code: 42,
    starts: false,
  },
];

for (const { policy, rules, code, starts } of exitRows) {
  const title = `planPod() in a Never pod ${starts ? "restarts" : "leaves"} ` +
    `a container with policy ${policy} and rules ${JSON.stringify(rules)} ` +
    `that exited ${code}`;
  Deno.test(title, () => {
    const first = container("a", {
      ...(policy === undefined ? {} : { restartPolicy: policy }),
      restartPolicyRules: rules,
    });
    const plan = planPod({
      pod: pod({
        restartPolicy: "Never",
        containers: [first, container("b")],
      }),
      observed: observed([ended("a", code), seen("b")]),
      probes: probes(),
    });
    deepStrictEqual(plan.start, starts ? ["a"] : []);
  });
}

Deno.test("planPod() kills an unhealthy container whose own policy is Never for good", () => {
  const plan = planPod({
    pod: pod({
      containers: [container("a", { restartPolicy: "Never" }), container("b")],
    }),
    observed: observed([seen("a"), seen("b")]),
    probes: probes({ liveness: { "a-0": "failure" } }),
  });
  strictEqual(describePlan(plan), "keep sandbox, kill a (liveness_failed)");
});

const messages = [
  {
    name: "a changed definition",
    observed: observed([seen("a", { hash: "old" })]),
    probes: probes(),
    restartPolicy: "Never",
    message: "Container a definition changed, will be restarted",
  },
  {
    name: "a failed liveness probe",
    observed: observed([seen("a")]),
    probes: probes({ liveness: { "a-0": "failure" } }),
    restartPolicy: "Always",
    message: "Container a failed liveness probe, will be restarted",
  },
  {
    name: "a failed startup probe",
    observed: observed([seen("a")]),
    probes: probes({ startup: { "a-0": "failure" } }),
    restartPolicy: "OnFailure",
    message: "Container a failed startup probe, will be restarted",
  },
];

for (const row of messages) {
  Deno.test(`planPod() says why it stops a container: ${row.name}`, () => {
    const plan = planPod({
      pod: pod({
        restartPolicy: row.restartPolicy,
        containers: [container("a")],
      }),
      observed: row.observed,
      probes: row.probes,
    });
    deepStrictEqual(plan.kill.map(({ message }) => message), [row.message]);
  });
}

Deno.test("planPod() names the sandbox that it replaces", () => {
  const plan = planPod({
    pod: podOfThree(),
    observed: observed([], [sandbox({ id: "old", ready: false, attempt: 4 })]),
    probes: probes(),
  });
  deepStrictEqual(plan.sandbox, {
    kind: "create",
    attempt: 5,
    replacesId: "old",
    why: "not_ready",
  });
});

// TestComputePodActionsWithRestartAllContainers.
Deno.test("planPod() removes every record when an exit asks to restart all", () => {
  const plan = planPod({
    pod: pod({
      restartPolicy: "Never",
      initContainers: [container("i")],
      containers: [
        container("a", {
          restartPolicy: "Never",
          restartPolicyRules: [rule("RestartAllContainers", "In", [42])],
        }),
        container("b"),
      ],
    }),
    observed: observed([ended("a", 42), seen("b"), ended("i", 0)]),
    probes: probes(),
  });
  strictEqual(
    describePlan(plan),
    "keep sandbox, kill and remove b, remove i, remove a",
  );
});

Deno.test("planPod() takes a reset up again while the record that asked is left", () => {
  const asking = container("a", {
    restartPolicy: "Never",
    restartPolicyRules: [rule("RestartAllContainers", "In", [42])],
  });
  const resetting = pod({
    restartPolicy: "Never",
    containers: [asking, container("b")],
  });
  const half = planPod({
    pod: resetting,
    observed: observed([ended("a", 42)]),
    probes: probes(),
  });
  strictEqual(describePlan(half), "keep sandbox, remove a");
  const done = planPod({
    pod: resetting,
    observed: observed(),
    probes: probes(),
  });
  strictEqual(describePlan(done), "keep sandbox, start a b");
});
