/**
 * Why a plan does what it does.
 *
 * @module
 */

import type { Pod } from "../../../mod/api/types/mod.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import type { ProbeVerdicts } from "../../../mod/pod/plan/mod.ts";
import { ended, observed, probes, sandbox, seen } from "../observed_pods.ts";
import { container, pod } from "../pods.ts";

/** What a plan is made from; by default the pod has one container "web" and no probes. */
export interface PlanRow {
  readonly pod?: Pod;
  readonly observed: ObservedPod;
  readonly probes?: ProbeVerdicts;
}

/** The pod with one container "web". */
export const webOnly = (rest: Partial<Pod["spec"]> = {}): Pod =>
  pod({ containers: [container("web")], ...rest });

/** Plans, by what is planned for. */
export const PLANS: Readonly<Record<string, PlanRow>> = {
  "a new pod": {
    observed: observed([], []),
  },
  "a pod as it should be": {
    observed: observed([seen("web")]),
  },
  "a container that ended": {
    observed: observed([ended("web", 1)]),
  },
  "a container that was made and not started": {
    observed: observed([seen("web", { state: "created" })]),
  },
  "a container that a rule restarts": {
    pod: webOnly({
      containers: [container("web", {
        restartPolicy: "Never",
        restartPolicyRules: [{
          action: "Restart",
          exitCodes: { operator: "In", values: [42] },
        }],
      })],
    }),
    observed: observed([ended("web", 42)]),
  },
  "a liveness probe that failed": {
    observed: observed([seen("web", { id: "w" })]),
    probes: probes({ liveness: { w: "failure" } }),
  },
  "an image that changed": {
    observed: observed([seen("web", { hash: "other" })]),
  },
  "a sandbox that broke": {
    observed: observed([ended("web", 0)], [sandbox({ ready: false })]),
  },
  "a pod that is done": {
    pod: webOnly({ restartPolicy: "OnFailure" }),
    observed: observed([ended("web", 0)]),
  },
  "an init container that failed for good": {
    pod: webOnly({
      restartPolicy: "Never",
      initContainers: [container("init")],
    }),
    observed: observed([ended("init", 3)]),
  },
  "an init container that runs": {
    pod: webOnly({ initContainers: [container("init")] }),
    observed: observed([seen("init")]),
  },
  "a container that nobody knows": {
    observed: observed([seen("web", { state: "unknown" })]),
  },
  "a restart of all containers": {
    pod: webOnly({
      containers: [
        container("web", {
          restartPolicy: "Never",
          restartPolicyRules: [{
            action: "RestartAllContainers",
            exitCodes: { operator: "In", values: [9] },
          }],
        }),
        container("b"),
      ],
    }),
    observed: observed([ended("web", 9), seen("b")]),
  },
};
