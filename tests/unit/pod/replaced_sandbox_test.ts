/**
 * What a sandbox of the past left says nothing of the one that a pod is in now.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerSpec } from "../../../mod/api/types/mod.ts";
import {
  buildPodStatus,
  isRestartingAll,
} from "../../../mod/pod/status/status.ts";
import {
  currentContainer,
  latestContainer,
  type ObservedContainer,
} from "../../../mod/pod/observed/observed.ts";
import { describePlan, planPod } from "../../../mod/pod/plan/plan.ts";
import { explainPlan } from "../../../mod/explain/mod.ts";
import {
  isDueToStart,
  runsInNewSandbox,
} from "../../../mod/pod/observed/restart_rules.ts";
import { resetSource } from "../../../mod/pod/plan/plan_reset.ts";
import {
  ago,
  ended,
  observed,
  probes,
  sandbox,
  seen,
  statusInput,
} from "../../support/observed_pods.ts";
import { container, pod } from "../../support/pods.ts";

const replaced = [
  sandbox({ id: "s1", attempt: 1 }),
  sandbox({ id: "s0", ready: false }),
];

/** A picture in which `s1` has replaced `s0`. */
function after(containers: readonly ObservedContainer[]) {
  return observed(containers, replaced);
}

const resets: Partial<ContainerSpec> = {
  restartPolicy: "Never",
  restartPolicyRules: [{
    action: "RestartAllContainers",
    exitCodes: { operator: "In", values: [42] },
  }],
};

Deno.test("latestContainer() prefers a record of the newest sandbox to one with a higher count", () => {
  const old = ended("a", 1, { restartCount: 7 });
  const now = seen("a", { id: "now", sandboxId: "s1" });
  const picture = after([old, now]);
  strictEqual(latestContainer(picture, "a"), now);
  strictEqual(currentContainer(picture, "a"), now);
  strictEqual(currentContainer(after([old]), "a"), undefined);
  strictEqual(latestContainer(after([old]), "a"), old);
});

Deno.test("planPod() restarts nothing beside an exit of an earlier sandbox that asked to restart all", () => {
  const subject = pod({ containers: [container("a", resets), container("b")] });
  const picture = after([
    ended("a", 42),
    seen("b", { sandboxId: "s1" }),
  ]);
  const plan = planPod({ pod: subject, observed: picture, probes: probes() });
  strictEqual(describePlan(plan), "keep sandbox, start a");
  strictEqual(isRestartingAll(subject, picture, undefined), false);
});

Deno.test("planPod() removes the record that asked for a restart of all after those of earlier sandboxes", () => {
  const subject = pod({ containers: [container("a", resets), container("b")] });
  const plan = planPod({
    pod: subject,
    observed: after([
      ended("a", 42, { id: "now", sandboxId: "s1", restartCount: 1 }),
      ended("a", 42, { id: "old" }),
      seen("b", { sandboxId: "s1" }),
    ]),
    probes: probes(),
  });
  deepStrictEqual(
    plan.reset.map(({ containerId }) => containerId),
    ["old", "b-0", "now"],
  );
});

Deno.test("resetSource() names the container that asked last", () => {
  const subject = pod({
    containers: [container("a", resets), container("b", resets)],
    initContainers: [container("i", resets)],
  });
  const asks = (name: string, seconds: number) =>
    ended(name, 42, { finishedAt: ago(seconds) });
  const sourceOf = (...records: readonly ObservedContainer[]) =>
    resetSource(subject, observed(records))?.name;
  strictEqual(sourceOf(asks("a", 9), asks("b", 8), asks("i", 7)), "i");
  strictEqual(sourceOf(asks("a", 7), asks("b", 8)), "a");
  strictEqual(sourceOf(asks("a", 8), asks("b", 8)), "a");
  strictEqual(sourceOf(ended("a", 1), asks("b", 8)), "b");
  strictEqual(sourceOf(ended("a", 1), seen("b")), undefined);
  const elsewhere = { ...asks("a", 1), sandboxId: "s9" };
  strictEqual(sourceOf(elsewhere, asks("b", 8)), "b");
});

Deno.test("buildPodStatus() calls no init container Completed that has not run in the sandbox of the app's successor", () => {
  const subject = pod({
    containers: [container("app")],
    initContainers: [container("i")],
  });
  const stateOf = (records: readonly ObservedContainer[]) =>
    buildPodStatus(statusInput({ pod: subject, observed: after(records) }))
      .initContainerStatuses?.[0]?.state;
  const past = stateOf([seen("app", { state: "created" })]);
  strictEqual(past?.waiting?.reason, "PodInitializing");
  const now = stateOf([seen("app", { sandboxId: "s1" })]);
  strictEqual(now?.terminated?.reason, "Completed");
});

Deno.test("buildPodStatus() shows why an init container waits that was done in an earlier sandbox", () => {
  const subject = pod({
    containers: [container("app")],
    initContainers: [container("i")],
  });
  const waiting = new Map([["i", { reason: "ErrImagePull", message: "" }]]);
  const stateOf = (sandboxId: string) =>
    buildPodStatus(statusInput({
      pod: subject,
      observed: after([ended("i", 0, { sandboxId })]),
      waiting,
    })).initContainerStatuses?.[0]?.state;
  strictEqual(stateOf("s0")?.waiting?.reason, "ErrImagePull");
  strictEqual(stateOf("s1")?.terminated?.exitCode, 0);
});

Deno.test("buildPodStatus() says Running of a container whose earlier record has a higher count", () => {
  const subject = pod({ containers: [container("a")] });
  const status = buildPodStatus(statusInput({
    pod: subject,
    observed: after([
      ended("a", 1, { restartCount: 7 }),
      seen("a", { id: "now", sandboxId: "s1" }),
    ]),
  }));
  const [shown] = status.containerStatuses ?? [];
  strictEqual(status.phase, "Running");
  strictEqual(shown?.containerID, "containerd://now");
  strictEqual(shown?.lastState?.terminated?.exitCode, 1);
});

const left: readonly {
  readonly name: string;
  readonly pod: string;
  readonly own?: string;
  readonly record: ObservedContainer | undefined;
  readonly runs: boolean;
}[] = [
  { name: "no record", pod: "Never", record: undefined, runs: true },
  {
    name: "a record that never ran",
    pod: "Never",
    record: seen("a", { state: "created" }),
    runs: true,
  },
  {
    name: "a record in an unknown state",
    pod: "Never",
    record: seen("a", { state: "unknown" }),
    runs: true,
  },
  { name: "a run", pod: "Never", record: seen("a"), runs: false },
  { name: "a run", pod: "OnFailure", record: seen("a"), runs: true },
  {
    name: "a run",
    pod: "Never",
    own: "Always",
    record: seen("a"),
    runs: true,
  },
  {
    name: "a run",
    pod: "Always",
    own: "Never",
    record: seen("a"),
    runs: true,
  },
  { name: "a success", pod: "Never", record: ended("a", 0), runs: false },
  { name: "a failure", pod: "Never", record: ended("a", 1), runs: false },
  {
    name: "a failure",
    pod: "Never",
    own: "OnFailure",
    record: ended("a", 1),
    runs: true,
  },
  { name: "a success", pod: "OnFailure", record: ended("a", 0), runs: false },
  {
    name: "a success",
    pod: "Always",
    own: "OnFailure",
    record: ended("a", 0),
    runs: false,
  },
  // Upstream begins such a pod anew with all of it.
  {
    name: "a success",
    pod: "Always",
    own: "Never",
    record: ended("a", 0),
    runs: true,
  },
];
for (const row of left) {
  const { name, own, record, runs } = row;
  Deno.test(`runsInNewSandbox() is ${runs} after ${name} in a ${row.pod} pod${own === undefined ? "" : ` for a container of policy ${own}`}`, () => {
    const only = container(
      "a",
      own === undefined ? {} : { restartPolicy: own },
    );
    const subject = pod({ restartPolicy: row.pod, containers: [only] });
    strictEqual(runsInNewSandbox(only, subject, record), runs);
    const picture = after(record === undefined ? [] : [record]);
    strictEqual(isDueToStart(only, subject, picture), runs);
  });
}

Deno.test("explainPlan() says why it stops what has no place in the pod any more", () => {
  const subject = pod({ containers: [container("a"), container("b")] });
  const picture = after([
    seen("gone", { sandboxId: "s1" }),
    seen("a"),
    ended("b", 1),
  ]);
  const plan = planPod({ pod: subject, observed: picture, probes: probes() });
  deepStrictEqual(explainPlan(plan, subject, picture), [
    "kill gone: the spec does not name it any more",
    "kill a: its sandbox was replaced",
    "start container a: it is stopped first and its policy is Always",
    "start container b: it exited with code 1 and its policy is Always",
  ]);
  deepStrictEqual(plan.kill.map(({ message }) => message), [
    "Container gone is not in the spec any more",
    "Container a runs in a replaced sandbox",
  ]);
});
