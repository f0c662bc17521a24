/**
 * Why a plan does what it does.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { explainPlan } from "../../../mod/explain/explain_plan.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import { planPod, type ProbeVerdicts } from "../../../mod/pod/plan/mod.ts";
import {
  ended,
  observed,
  pod,
  probes,
  sandbox,
  seen,
  spec,
} from "../pod/builders.ts";

interface Row {
  readonly pod?: Pod;
  readonly observed: ObservedPod;
  readonly probes?: ProbeVerdicts;
  readonly why: readonly string[];
}

const one = (rest: Partial<Pod["spec"]> = {}): Pod =>
  pod({ containers: [spec("web")], ...rest });

const ROWS: Readonly<Record<string, Row>> = {
  "a new pod": {
    observed: observed([], []),
    why: [
      "create sandbox: there is none",
      "start container web: it has not run yet",
    ],
  },
  "a pod as it should be": {
    observed: observed([seen("web")]),
    why: ["nothing to do"],
  },
  "a container that ended": {
    observed: observed([ended("web", 1)]),
    why: [
      "start container web: it exited with code 1 and its policy is Always",
    ],
  },
  "a container that a rule restarts": {
    pod: one({
      containers: [spec("web", {
        restartPolicy: "Never",
        restartPolicyRules: [{
          action: "Restart",
          exitCodes: { operator: "In", values: [42] },
        }],
      })],
    }),
    observed: observed([ended("web", 42)]),
    why: [
      "start container web: it exited with code 42 and a rule says to restart it",
    ],
  },
  "a liveness probe that failed": {
    observed: observed([seen("web", { id: "w" })]),
    probes: probes({ liveness: { w: "failure" } }),
    why: [
      "kill web: its liveness probe failed",
      "start container web: it is stopped first and its policy is Always",
    ],
  },
  "an image that changed": {
    observed: observed([seen("web", { hash: "other" })]),
    why: [
      "kill web: its definition changed",
      "start container web: it is stopped first and its policy is Always",
    ],
  },
  "a sandbox that broke": {
    observed: observed([ended("web", 0)], [sandbox({ ready: false })]),
    why: [
      "replace sandbox: it is not ready any more",
      "start container web: it exited with code 0 and its policy is Always",
    ],
  },
  "a pod that is done": {
    pod: one({ restartPolicy: "OnFailure" }),
    observed: observed([ended("web", 0)]),
    why: ["stop the pod: web ended with code 0 and its policy is OnFailure"],
  },
  "an init container that failed for good": {
    pod: one({ restartPolicy: "Never", initContainers: [spec("init")] }),
    observed: observed([ended("init", 3)]),
    why: ["stop the pod: init ended with code 3 and its policy is Never"],
  },
  "an init container that runs": {
    pod: one({ initContainers: [spec("init")] }),
    observed: observed([seen("init")]),
    why: ["nothing to do: init container init runs"],
  },
  "a container that nobody knows": {
    observed: observed([seen("web", { state: "unknown" })]),
    why: [
      "kill web: nobody knows its state",
      "start container web: nobody knows what became of it",
    ],
  },
  "a restart of all containers": {
    pod: one({
      containers: [
        spec("web", {
          restartPolicy: "Never",
          restartPolicyRules: [{
            action: "RestartAllContainers",
            exitCodes: { operator: "In", values: [9] },
          }],
        }),
        spec("b"),
      ],
    }),
    observed: observed([ended("web", 9), seen("b")]),
    why: [
      "kill and remove b: a container ended with a code that restarts all of them",
      "remove web: a container ended with a code that restarts all of them",
    ],
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  Deno.test(`explainPlan() says why of ${name}`, () => {
    const { pod = one(), observed, probes: said = probes(), why } = row;
    const plan = planPod({ pod, observed, probes: said });
    deepStrictEqual(explainPlan(plan, pod, observed), why);
  });
}

Deno.test("explainPlan() says that there was no plan", () => {
  deepStrictEqual(explainPlan(undefined, one(), observed()), [
    "no plan was made",
  ]);
});
