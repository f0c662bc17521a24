/**
 * The words for each step of a plan, whatever the planner makes of a pod.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../mod/api/types/mod.ts";
import { explainPlan } from "../../../mod/explain/explain_plan.ts";
import type { ObservedPod } from "../../../mod/pod/observed/mod.ts";
import type { PodPlan } from "../../../mod/pod/plan/mod.ts";
import { ended, observed, seen } from "../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../support/pods.ts";

/** A plan of these steps and of no others. */
function planOf(steps: Partial<PodPlan>): PodPlan {
  return {
    sandbox: { kind: "keep", sandboxId: "s0", attempt: 0 },
    kill: [],
    reset: [],
    postStart: [],
    startEphemeral: [],
    startInit: [],
    start: [],
    ...steps,
  };
}

function webOf(
  fields: Partial<ContainerSpec>,
  rest: Partial<Pod["spec"]> = {},
) {
  return pod({ containers: [container("web", fields)], ...rest });
}

const WEB = webOf({});
const START = { start: ["web"] };
const STOP = { sandbox: { kind: "stop" } } as const;
const NOTHING = { requests: {}, limits: {} };
const RULED = {
  restartPolicyRules: [{
    action: "Restart",
    exitCodes: { operator: "In", values: [42] },
  }],
};

const ROWS: readonly (readonly [
  what: string,
  steps: Partial<PodPlan>,
  pod: Pod,
  observed: ObservedPod,
  wanted: readonly string[],
])[] = [
  [
    "every kind of step in its order",
    {
      sandbox: {
        kind: "create",
        attempt: 0,
        replacesId: "s0",
        why: "no_address",
      },
      reset: [
        { containerId: "r", containerName: "r", kill: false },
        { containerId: "k", containerName: "k", kill: true },
      ],
      kill: [{
        containerId: "z",
        containerName: "z",
        reason: "spec_changed",
        isResized: true,
        message: "",
      }],
      postStart: [{ containerId: "h", containerName: "h" }],
      startEphemeral: ["e"],
      startInit: ["i"],
      ...START,
    },
    WEB,
    observed(),
    [
      "replace sandbox: it has no address",
      "remove r: a container ended with a code that restarts all of them",
      "kill and remove k: a container ended with a code that restarts all of them",
      "kill z: its new resources need a restart",
      "run the postStart hook of h: nobody knows whether it ran",
      "start ephemeral container e: it has not run yet",
      "start init container i: it has not run yet",
      "start container web: it has not run yet",
    ],
  ],
  [
    "a container that is not in the spec",
    { start: ["gone"] },
    WEB,
    observed([
      ended("gone", 1),
    ]),
    ["start container gone: it has not run yet"],
  ],
  [
    "a container that was stopped to start again",
    START,
    WEB,
    observed([
      ended("web", 137, { stopped: "to_restart" }),
    ]),
    ["start container web: it was stopped to start again"],
  ],
  [
    "a container that need not run again but for its sandbox",
    START,
    webOf({}, { restartPolicy: "OnFailure" }),
    observed([ended("web", 0)]),
    ["start container web: the pod begins anew in another sandbox"],
  ],
  [
    "a container that its policy restarts as well as its rule",
    START,
    webOf({ restartPolicy: "Always", ...RULED }),
    observed([ended("web", 42)]),
    ["start container web: it exited with code 42 and its policy is Always"],
  ],
  [
    "a container of another code than its rule",
    START,
    webOf({ restartPolicy: "OnFailure", ...RULED }),
    observed([ended("web", 41)]),
    ["start container web: it exited with code 41 and its policy is OnFailure"],
  ],
  [
    "an end of which some containers are not known",
    STOP,
    pod({
      containers: [container("a"), container("b"), container("c")],
      restartPolicy: "Never",
    }),
    observed([ended("a", 1), seen("b")]),
    ["stop the pod: a ended with code 1 and its policy is Never"],
  ],
  ["an end of nothing", STOP, WEB, observed(), [
    "stop the pod: none of its containers is to run again",
  ]],
  [
    "an end after an init container that did well",
    STOP,
    webOf({}, {
      initContainers: [container("init")],
      restartPolicy: "Never",
    }),
    observed([ended("init", 0), ended("web", 2)]),
    ["stop the pod: web ended with code 2 and its policy is Never"],
  ],
  [
    "a sidecar that runs",
    {},
    webOf({}, { initContainers: [sidecar("proxy")] }),
    observed([seen("proxy"), seen("web")]),
    ["nothing to do"],
  ],
  [
    "an init container that has ended, and one that runs",
    {},
    webOf({}, { initContainers: [container("one"), container("two")] }),
    observed([ended("one", 0), seen("two")]),
    ["nothing to do: init container two runs"],
  ],
  [
    "new resources",
    {
      resize: {
        updates: [{
          containerId: "w",
          containerName: "web",
          resource: "cpu",
          after: NOTHING,
        }],
        podAfter: NOTHING,
        podGrows: { cpu: true, memory: false },
      },
    },
    WEB,
    observed(),
    [
      "resize cpu of web: its spec says another amount",
      "resize the pod as a whole: its spec says another amount",
    ],
  ],
];

for (const [what, steps, pod, seen, wanted] of ROWS) {
  Deno.test(`explainPlan() gives the reasons of ${what}`, () => {
    deepStrictEqual(explainPlan(planOf(steps), pod, seen), wanted);
  });
}
