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
import { container, pod, podOfThree } from "../../../support/pods.ts";

interface Row {
  readonly name: string;
  readonly pod?: Pod;
  readonly observed: ObservedPod;
  readonly probes?: ProbeVerdicts;
  /** As describePlan() says it. */
  readonly plan: string;
}

const all = [seen("a"), seen("b"), seen("c")];
const never = podOfThree({ restartPolicy: "Never" });
const onFailure = podOfThree({ restartPolicy: "OnFailure" });
const notReady = [sandbox({ ready: false })];

// The rows follow kuberuntime_manager_test.go TestComputePodActions, by its names
// where it has them.
const rows: readonly Row[] = [
  {
    name: "does nothing when everything is good",
    observed: observed(all),
    plan: "keep sandbox",
  },
  {
    name: "starts the pod sandbox and all containers for a new pod",
    observed: observed([], []),
    plan: "create sandbox 0, start a b c",
  },
  {
    name:
      "makes the sandbox anew when the pod of this UID has another name now",
    pod: podOfThree({ metadata: { name: "renamed" } }),
    observed: observed(all),
    plan: "replace sandbox by 1, start a b c",
  },
  {
    name: "restarts exited containers under Always",
    observed: observed([ended("a", 0), ended("b", 111), seen("c")]),
    plan: "keep sandbox, start a b",
  },
  {
    name: "restarts failed containers only under OnFailure",
    pod: onFailure,
    observed: observed([ended("a", 0), ended("b", 111), seen("c")]),
    plan: "keep sandbox, start b",
  },
  {
    name: "restarts no container under Never",
    pod: never,
    observed: observed([ended("a", 0), ended("b", 111), seen("c")]),
    plan: "keep sandbox",
  },
  {
    name: "stops the pod when all containers ended under Never",
    pod: never,
    observed: observed([ended("a", 0), ended("b", 1), ended("c", 0)]),
    plan: "stop pod",
  },
  {
    name: "stops the pod when all containers succeeded under OnFailure",
    pod: onFailure,
    observed: observed([ended("a", 0), ended("b", 0), ended("c", 0)]),
    plan: "stop pod",
  },
  {
    name: "starts a container that never was, even under Never",
    pod: never,
    observed: observed([ended("a", 0), seen("c")]),
    plan: "keep sandbox, start b",
  },
  {
    name: "replaces a sandbox that is not ready and starts all containers",
    observed: observed(all, notReady),
    plan: "replace sandbox by 1, start a b c",
  },
  {
    name: "does not rerun a succeeded container in a new sandbox",
    pod: onFailure,
    observed: observed([ended("a", 1), ended("b", 0), ended("c", 1)], notReady),
    plan: "replace sandbox by 1, start a c",
  },
  {
    name: "makes no new sandbox when every container has succeeded",
    pod: onFailure,
    observed: observed([ended("a", 0), ended("b", 0), ended("c", 0)], notReady),
    plan: "stop pod",
  },
  {
    name: "makes no new sandbox under Never once all containers have run",
    pod: never,
    observed: observed([ended("a", 0), seen("b"), ended("c", 1)], notReady),
    plan: "stop pod",
  },
  {
    // The kubelet leaves such a pod Pending for ever.
    name: "starts in a new sandbox what under Never has not run yet",
    pod: never,
    observed: observed(
      [ended("a", 0), seen("b", { state: "created" })],
      notReady,
    ),
    plan: "replace sandbox by 1, start b c",
  },
  {
    name: "makes a new sandbox under Never if no container was ever made",
    pod: never,
    observed: observed([], notReady),
    plan: "replace sandbox by 1, start a b c",
  },
  {
    name:
      "makes a sandbox under Never when containers outlived the last record of one",
    pod: never,
    observed: observed([ended("a", 1)], []),
    plan: "create sandbox 0, start b c",
  },
  {
    name: "replaces the sandboxes when more than one is ready",
    observed: observed(all, [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ id: "s0" }),
    ]),
    plan: "replace sandbox by 2, start a b c",
  },
  {
    name: "keeps the newest sandbox when an older one is not ready",
    observed: observed(
      ["a", "b", "c"].map((name) => seen(name, { sandboxId: "s1" })),
      [
        sandbox({ id: "s1", attempt: 1 }),
        sandbox({ id: "s0", ready: false }),
      ],
    ),
    plan: "keep sandbox",
  },
  {
    name: "stops what runs in an older sandbox before it starts there anew",
    observed: observed(
      [
        seen("a"),
        seen("b", { state: "unknown" }),
        seen("c", { sandboxId: "s1" }),
      ],
      [
        sandbox({ id: "s1", attempt: 1 }),
        sandbox({ id: "s0", ready: false }),
      ],
    ),
    plan:
      "keep sandbox, kill a (sandbox_replaced), kill b (sandbox_replaced), start a b",
  },
  {
    // The manifest of a fixed UID renamed it.
    name: "stops a container that the spec does not name",
    observed: observed([seen("old"), ...all]),
    plan: "keep sandbox, kill old (not_in_spec)",
  },
  {
    name:
      "stops a container that the spec does not name before it starts another",
    observed: observed([seen("old"), seen("a"), seen("b")]),
    plan: "keep sandbox, kill old (not_in_spec), start c",
  },
  {
    name: "lets no container that the spec does not name keep a pod alive",
    pod: never,
    observed: observed([
      seen("old"),
      ended("a", 0),
      ended("b", 0),
      ended("c", 0),
    ]),
    plan: "stop pod",
  },
  {
    name: "leaves ephemeral containers of the spec alone",
    pod: podOfThree({ ephemeralContainers: [container("debug")] }),
    observed: observed([seen("debug"), ...all]),
    plan: "keep sandbox",
  },
  {
    name: "replaces a sandbox with the wrong network mode",
    pod: podOfThree({ hostNetwork: true }),
    observed: observed(all),
    plan: "replace sandbox by 1, start a b c",
  },
  {
    name: "replaces a ready sandbox without an address",
    observed: observed(all, [sandbox({ ip: "" })]),
    plan: "replace sandbox by 1, start a b c",
  },
  {
    name: "keeps a sandbox of whose network the runtime says nothing",
    observed: observed(all, [sandbox({ ip: undefined })]),
    plan: "keep sandbox",
  },
  {
    name: "wants no address of a pod on the node's network",
    pod: podOfThree({ hostNetwork: true }),
    observed: observed(all, [sandbox({ hostNetwork: true, ip: "" })]),
    plan: "keep sandbox",
  },
  {
    name: "kills and recreates a container whose spec has changed",
    observed: observed([seen("a"), seen("b", { hash: "old" }), seen("c")]),
    plan: "keep sandbox, kill b (spec_changed), start b",
  },
  {
    name: "recreates a changed container even under Never",
    pod: never,
    observed: observed([seen("a"), seen("b", { hash: "old" }), seen("c")]),
    plan: "keep sandbox, kill b (spec_changed), start b",
  },
  {
    name: "recreates the only running container when it has changed",
    pod: pod({ restartPolicy: "Never", containers: [container("a")] }),
    observed: observed([seen("a", { hash: "old" })]),
    plan: "keep sandbox, kill a (spec_changed), start a",
  },
  {
    name: "restarts a container that failed its liveness probe",
    observed: observed(all),
    probes: probes({ liveness: { "b-0": "failure", "a-0": "success" } }),
    plan: "keep sandbox, kill b (liveness_failed), start b",
  },
  {
    name: "restarts a container that failed its startup probe",
    observed: observed(all),
    probes: probes({ startup: { "b-0": "failure" } }),
    plan: "keep sandbox, kill b (startup_failed), start b",
  },
  {
    name: "kills an unhealthy container for good under Never",
    pod: never,
    observed: observed(all),
    probes: probes({ liveness: { "b-0": "failure" } }),
    plan: "keep sandbox, kill b (liveness_failed)",
  },
  {
    name: "stops the pod when its last container is unhealthy under Never",
    pod: pod({ restartPolicy: "Never", containers: [container("a")] }),
    observed: observed([seen("a")]),
    probes: probes({ startup: { "a-0": "failure" } }),
    plan: "stop pod, kill a (startup_failed)",
  },
  {
    name: "kills and recreates a container in an unknown state",
    observed: observed([seen("a"), seen("b", { state: "unknown" }), seen("c")]),
    plan: "keep sandbox, kill b (state_unknown), start b",
  },
  {
    name: "recreates a container in an unknown state even under Never",
    pod: never,
    observed: observed([seen("a"), seen("b", { state: "unknown" }), seen("c")]),
    plan: "keep sandbox, kill b (state_unknown), start b",
  },
  {
    name: "starts a container anew that was created but not started",
    pod: never,
    observed: observed([seen("a"), seen("b", { state: "created" }), seen("c")]),
    plan: "keep sandbox, start b",
  },
  {
    name: "goes by the newest record of a container",
    observed: observed([
      seen("a", { restartCount: 2 }),
      ended("a", 1, { restartCount: 1 }),
      seen("b"),
      seen("c"),
    ]),
    plan: "keep sandbox",
  },
  {
    // I1, where the kubelet has no rule.
    name: "stops an older container that runs beside the newest of its name",
    observed: observed([
      seen("a", { restartCount: 1 }),
      seen("a", { restartCount: 0 }),
      seen("b"),
      seen("c"),
    ]),
    plan: "keep sandbox, kill a (superseded)",
  },
  {
    name: "starts nothing of a pod that is being deleted",
    pod: podOfThree({
      metadata: { deletionTimestamp: "2026-01-02T03:04:05Z" },
    }),
    observed: observed([seen("a"), ended("b", 1)]),
    plan: "keep sandbox",
  },
  // TestComputePodActionsWithInitAndEphemeralContainers.
  {
    name: "starts a new ephemeral container beside running ones",
    pod: podOfThree({ ephemeralContainers: [container("debug")] }),
    observed: observed(all),
    plan: "keep sandbox, start ephemeral debug",
  },
  {
    name: "never restarts an ephemeral container",
    pod: podOfThree({ ephemeralContainers: [container("debug")] }),
    observed: observed([...all, ended("debug", 1)]),
    plan: "keep sandbox",
  },
  {
    name: "starts an ephemeral container while init containers run",
    pod: podOfThree({
      initContainers: [container("i")],
      ephemeralContainers: [container("debug")],
    }),
    observed: observed([seen("i")]),
    plan: "keep sandbox, start ephemeral debug",
  },
];

for (const row of rows) {
  Deno.test(`planPod() ${row.name}`, () => {
    const plan = planPod({
      pod: row.pod ?? podOfThree(),
      observed: row.observed,
      probes: row.probes ?? probes(),
    });
    strictEqual(describePlan(plan), row.plan);
  });
}
