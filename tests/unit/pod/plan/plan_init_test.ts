import { strictEqual } from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { describePlan, planPod } from "../../../../mod/pod/plan/plan.ts";
import type { ObservedPod } from "../../../../mod/pod/observed/observed.ts";
import type { ProbeVerdicts } from "../../../../mod/pod/plan/plan_steps.ts";
import {
  ended,
  observed,
  probes,
  sandbox,
  seen,
} from "../../../support/observed_pods.ts";
import { container, podOfThree, sidecar } from "../../../support/pods.ts";

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly probes?: ProbeVerdicts;
  readonly plan: string;
}

const app = { containers: [container("app")] };
const inits = [container("i1"), container("i2"), container("i3")];
const always = podOfThree({ ...app, initContainers: inits });
const onFailure = podOfThree({
  ...app,
  initContainers: inits,
  restartPolicy: "OnFailure",
});
const never = podOfThree({
  ...app,
  initContainers: inits,
  restartPolicy: "Never",
});
const probed = { startupProbe: { exec: { command: ["true"] } } };
const alive = { livenessProbe: { exec: { command: ["true"] } } };

// kuberuntime_manager_test.go TestComputePodActionsWithInitContainers.
const ordinary: readonly Row[] = [
  {
    name: "starts only the first init container of a new pod",
    pod: always,
    observed: observed([], []),
    plan: "create sandbox 0, start init i1",
  },
  {
    name: "starts the first init container in a fresh sandbox",
    pod: always,
    observed: observed(),
    plan: "keep sandbox, start init i1",
  },
  {
    name: "waits for a running init container",
    pod: always,
    observed: observed([seen("i2"), ended("i1", 0)]),
    plan: "keep sandbox",
  },
  {
    name: "starts the next init container after a success",
    pod: never,
    observed: observed([ended("i1", 0)]),
    plan: "keep sandbox, start init i2",
  },
  {
    name: "starts the app when the last init container succeeded",
    pod: always,
    observed: observed([ended("i3", 0), ended("i2", 0), ended("i1", 0)]),
    plan: "keep sandbox, start app",
  },
  {
    name: "relies on the last init container when earlier records are gone",
    pod: always,
    observed: observed([ended("i3", 0)]),
    plan: "keep sandbox, start app",
  },
  {
    name: "does not rerun init containers while the app runs",
    pod: always,
    observed: observed([seen("app")]),
    plan: "keep sandbox",
  },
  {
    name: "does not rerun init containers when an app that once ran crashed",
    pod: always,
    observed: observed([ended("app", 1), ended("i3", 0)]),
    plan: "keep sandbox, start app",
  },
  {
    name: "does not rerun init containers when an app of this sandbox crashed",
    pod: always,
    observed: observed([ended("app", 1)]),
    plan: "keep sandbox, start app",
  },
  {
    name: "reruns init containers when the app crashed in an earlier sandbox",
    pod: always,
    observed: observed([ended("app", 1)], [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ ready: false }),
    ]),
    plan: "keep sandbox, start init i1",
  },
  {
    // Power was lost between CreateContainer and StartContainer of the app.
    name: "reruns init containers when the app was made in an earlier sandbox",
    pod: always,
    observed: observed([seen("app", { state: "created" })], [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ ready: false }),
    ]),
    plan: "keep sandbox, start init i1",
  },
  {
    name: "counts no init container that was done in an earlier sandbox",
    pod: always,
    observed: observed([ended("i3", 0), ended("i2", 0), ended("i1", 0)], [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ ready: false }),
    ]),
    plan: "keep sandbox, start init i1",
  },
  {
    name: "makes no new sandbox when an init container failed for good",
    pod: never,
    observed: observed([ended("i1", 1)], [sandbox({ ready: false })]),
    plan: "stop pod",
  },
  {
    name: "makes no new sandbox when an init container was cut off under Never",
    pod: never,
    observed: observed([seen("i1")], [sandbox({ ready: false })]),
    plan: "stop pod",
  },
  {
    name: "restarts an init container killed for memory under OnFailure",
    pod: onFailure,
    observed: observed([ended("i1", 0, { reason: "OOMKilled" })]),
    plan: "keep sandbox, start init i1",
  },
  {
    name: "reruns no init container while the app is in an unknown state",
    pod: always,
    observed: observed([seen("app", { state: "unknown" })]),
    plan: "keep sandbox, kill app (state_unknown), start app",
  },
  {
    name: "restarts a failed init container under Always",
    pod: always,
    observed: observed([ended("i3", 1), ended("i2", 0), ended("i1", 0)]),
    plan: "keep sandbox, start init i3",
  },
  {
    name: "restarts a failed init container under OnFailure",
    pod: onFailure,
    observed: observed([ended("i1", 1)]),
    plan: "keep sandbox, start init i1",
  },
  {
    name: "stops the pod when an init container failed under Never",
    pod: never,
    observed: observed([ended("i3", 1), ended("i2", 0), ended("i1", 0)]),
    plan: "stop pod",
  },
  {
    name:
      "takes an init container killed for memory as failed whatever its code",
    pod: never,
    observed: observed([ended("i1", 0, { reason: "OOMKilled" })]),
    plan: "stop pod",
  },
  {
    name: "kills and restarts an init container in an unknown state",
    pod: onFailure,
    observed: observed([seen("i1", { state: "unknown" })]),
    plan: "keep sandbox, kill i1 (state_unknown), start init i1",
  },
  {
    name:
      "stops the pod when an init container is in an unknown state under Never",
    pod: never,
    observed: observed([seen("i1", { state: "unknown" })]),
    plan: "stop pod",
  },
  {
    name: "starts an init container anew that was created but not started",
    pod: never,
    observed: observed([seen("i3", { state: "created" }), ended("i2", 0)]),
    plan: "keep sandbox, start init i3",
  },
  {
    name: "reruns the init containers from the first in a new sandbox",
    pod: always,
    observed: observed([seen("app"), ended("i3", 0)], [
      sandbox({ ready: false }),
    ]),
    plan: "replace sandbox by 1, start init i1",
  },
  {
    name: "stops instead of making a new sandbox when the app succeeded",
    pod: onFailure,
    observed: observed([ended("app", 0), ended("i3", 0)], [
      sandbox({ ready: false }),
    ]),
    plan: "stop pod",
  },
  {
    name: "does not mind a changed definition of a finished init container",
    pod: always,
    observed: observed([seen("app"), ended("i3", 0, { hash: "old" })]),
    plan: "keep sandbox",
  },
  {
    name:
      "restarts a failed init container of a Never pod whose own rule says so",
    pod: podOfThree({
      ...app,
      restartPolicy: "Never",
      initContainers: [container("i1", {
        restartPolicy: "Never",
        restartPolicyRules: [{
          action: "Restart",
          exitCodes: { operator: "In", values: [7] },
        }],
      })],
    }),
    observed: observed([ended("i1", 7)]),
    plan: "keep sandbox, start init i1",
  },
];

const mixed = podOfThree({
  ...app,
  initContainers: [
    sidecar("s1", probed),
    container("i2"),
    sidecar("s3", alive),
  ],
});
const onlySidecars = podOfThree({
  ...app,
  restartPolicy: "Never",
  initContainers: [sidecar("s1"), sidecar("s2")],
});
const s1Started = { startup: { "s1-0": "success" } } as const;

// TestComputePodActionsWithRestartableInitContainers.
const sidecars: readonly Row[] = [
  {
    name: "waits for a sidecar whose startup probe has not spoken",
    pod: mixed,
    observed: observed([seen("s1")]),
    plan: "keep sandbox",
  },
  {
    name: "goes on after a sidecar has started",
    pod: mixed,
    observed: observed([seen("s1")]),
    probes: probes(s1Started),
    plan: "keep sandbox, start init i2",
  },
  {
    name:
      "restarts a sidecar that failed its startup probe and goes no further",
    pod: mixed,
    observed: observed([seen("s1")]),
    probes: probes({ startup: { "s1-0": "failure" } }),
    plan: "keep sandbox, kill s1 (startup_failed), start init s1",
  },
  {
    name: "goes on after a running sidecar without a startup probe",
    pod: onlySidecars,
    observed: observed([seen("s1")]),
    plan: "keep sandbox, start init s2",
  },
  {
    name: "starts the app when the last sidecar runs",
    pod: onlySidecars,
    observed: observed([seen("s2"), seen("s1")]),
    plan: "keep sandbox, start app",
  },
  {
    name: "restarts an ended sidecar under any policy while init goes on",
    pod: mixed,
    observed: observed([seen("i2"), ended("s1", 0)]),
    plan: "keep sandbox, start init s1",
  },
  {
    name: "restarts ended sidecars in spec order beside a running app",
    pod: onlySidecars,
    observed: observed([seen("app"), ended("s2", 1), ended("s1", 0)]),
    plan: "keep sandbox, start init s1 s2",
  },
  {
    // RT-20: removed while the agent was down.
    name: "recreates a vanished sidecar and reruns no init container",
    pod: mixed,
    observed: observed([seen("app"), seen("s3")]),
    probes: probes(s1Started),
    plan: "keep sandbox, start init s1",
  },
  {
    name: "kills and restarts a sidecar in an unknown state",
    pod: onlySidecars,
    observed: observed([
      seen("app"),
      seen("s2"),
      seen("s1", { state: "unknown" }),
    ]),
    plan: "keep sandbox, kill s1 (state_unknown), start init s1",
  },
  {
    name: "kills and restarts a sidecar whose definition changed",
    pod: onlySidecars,
    observed: observed([seen("app"), seen("s2", { hash: "old" }), seen("s1")]),
    plan: "keep sandbox, kill s2 (spec_changed), start init s2",
  },
  {
    name:
      "goes on beside a sidecar that is restarted for its changed definition",
    pod: onlySidecars,
    observed: observed([seen("s1", { hash: "old" })]),
    plan: "keep sandbox, kill s1 (spec_changed), start init s1 s2",
  },
  {
    name: "kills and restarts a sidecar that failed its liveness probe",
    pod: mixed,
    observed: observed([seen("app"), seen("s3"), ended("i2", 0), seen("s1")]),
    probes: probes({ ...s1Started, liveness: { "s3-0": "failure" } }),
    plan: "keep sandbox, kill s3 (liveness_failed), start init s3",
  },
  {
    name: "starts the app although the last sidecar fails its liveness probe",
    pod: mixed,
    observed: observed([seen("s3"), ended("i2", 0), seen("s1")]),
    probes: probes({ ...s1Started, liveness: { "s3-0": "failure" } }),
    plan: "keep sandbox, kill s3 (liveness_failed), start init s3, start app",
  },
  {
    // RT-18: sidecars do not keep the pod alive.
    name: "stops the pod with its sidecars when the app ended for good",
    pod: onlySidecars,
    observed: observed([ended("app", 0), seen("s2"), seen("s1")]),
    plan: "stop pod",
  },
  {
    name: "does not restart a sidecar when the app ended for good",
    pod: onlySidecars,
    observed: observed([ended("app", 0), ended("s2", 1), seen("s1")]),
    plan: "stop pod",
  },
];

for (const row of [...ordinary, ...sidecars]) {
  Deno.test(`planPod() ${row.name}`, () => {
    const plan = planPod({
      pod: row.pod,
      observed: row.observed,
      probes: row.probes ?? probes(),
    });
    strictEqual(describePlan(plan), row.plan);
  });
}
