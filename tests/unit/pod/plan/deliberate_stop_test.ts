/**
 * What the agent itself stops never decides what becomes of a pod.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type {
  ContainerSpec,
  PodStatus,
} from "../../../../mod/api/types/mod.ts";
import { buildPodStatus } from "../../../../mod/pod/status/status.ts";
import type {
  DeliberateStop,
  ObservedPod,
} from "../../../../mod/pod/observed/observed.ts";
import { describePlan, planPod } from "../../../../mod/pod/plan/plan.ts";
import { explainPlan } from "../../../../mod/explain/mod.ts";
import type { PlanInput } from "../../../../mod/pod/plan/plan_steps.ts";
import { revivedContainer } from "../../../../mod/pod/status/terminated_status.ts";
import {
  stopNotes,
  wholeStop,
} from "../../../../mod/pod/plan/deliberate_stop.ts";
import {
  ended,
  observed,
  probes,
  sandbox,
  seen,
  statusInput,
} from "../../../support/observed_pods.ts";
import { container, pod, sidecar } from "../../../support/pods.ts";

interface Row {
  readonly policy: string;
  readonly stopped?: DeliberateStop;
  readonly exitCode: number;
  readonly phase: string;
  readonly plan: string;
}

const start = "keep sandbox, start a";
const rows: readonly Row[] = [
  { policy: "OnFailure", exitCode: 0, phase: "Succeeded", plan: "stop pod" },
  {
    policy: "OnFailure",
    stopped: "to_restart",
    exitCode: 0,
    phase: "Running",
    plan: start,
  },
  {
    policy: "OnFailure",
    stopped: "as_failed",
    exitCode: 0,
    phase: "Running",
    plan: start,
  },
  // A changed spec outranks the policy, as upstream.
  {
    policy: "Never",
    stopped: "to_restart",
    exitCode: 143,
    phase: "Running",
    plan: start,
  },
  {
    policy: "Never",
    stopped: "to_restart",
    exitCode: 0,
    phase: "Running",
    plan: start,
  },
  // Its probe failed, and it does not run again: no success.
  {
    policy: "Never",
    stopped: "as_failed",
    exitCode: 0,
    phase: "Failed",
    plan: "stop pod",
  },
];
for (const { policy, stopped, exitCode, phase, plan } of rows) {
  Deno.test(`a ${policy} pod whose container ${stopped === undefined ? "ended by itself" : `was stopped ${stopped}`} and ended with ${exitCode} is ${phase}`, () => {
    const subject = pod({
      restartPolicy: policy,
      containers: [container("a")],
    });
    const picture = observed([
      ended("a", exitCode, stopped === undefined ? {} : { stopped }),
    ]);
    strictEqual(
      buildPodStatus(statusInput({ pod: subject, observed: picture })).phase,
      phase,
    );
    const input = { pod: subject, observed: picture, probes: probes() };
    strictEqual(describePlan(planPod(input)), plan);
  });
}

Deno.test("judgePhase() fails no Never pod whose init container was stopped to start again", () => {
  const subject = pod({
    restartPolicy: "Never",
    containers: [container("a")],
    initContainers: [container("i")],
  });
  const phaseOf = (stopped?: DeliberateStop, exitCode = 137) =>
    buildPodStatus(statusInput({
      pod: subject,
      observed: observed([
        ended("i", exitCode, stopped === undefined ? {} : { stopped }),
      ]),
    })).phase;
  strictEqual(phaseOf(), "Failed");
  strictEqual(phaseOf("to_restart"), "Pending");
  strictEqual(phaseOf("as_failed", 0), "Failed");
});

Deno.test("explainPlan() says that a container was stopped to start again, not that it exited", () => {
  const subject = pod({
    restartPolicy: "OnFailure",
    containers: [container("a")],
  });
  const picture = observed([ended("a", 0, { stopped: "to_restart" })]);
  const plan = planPod({ pod: subject, observed: picture, probes: probes() });
  deepStrictEqual(explainPlan(plan, subject, picture), [
    "start container a: it was stopped to start again",
  ]);
});

Deno.test("revivedContainer() lets a container wait for its next start after the end that its status knows of", () => {
  const subject = pod({ restartPolicy: "Never", containers: [container("a")] });
  const picture = observed([ended("a", 0, { stopped: "to_restart" })]);
  const look = { pod: subject, observed: picture };
  // As it was shown before it was known that it starts again.
  const before = buildPodStatus(
    statusInput({ ...look, observed: observed([ended("a", 0)]) }),
  );
  const waiting = new Map([["a", { reason: "ErrImagePull", message: "" }]]);
  const after = buildPodStatus(
    statusInput({ ...look, waiting, previous: before }),
  );
  strictEqual(after.containerStatuses?.[0]?.state?.waiting !== undefined, true);
  strictEqual(revivedContainer(subject, before, after), undefined);
  // A picture from before that end knows nothing of it.
  const stale: PodStatus = {
    ...after,
    containerStatuses: after.containerStatuses?.map((each) => ({
      ...each,
      lastState: {},
    })) ?? [],
  };
  strictEqual(revivedContainer(subject, before, stale), "a");
});

for (
  const [restartPolicy, exitCode, stopped, terminal, expected] of [
    ["Never", 143, "to_restart", false, "waiting"],
    ["OnFailure", 0, "to_restart", false, "waiting"],
    // Such ends an API server takes back.
    ["OnFailure", 143, "to_restart", false, "terminated"],
    ["Always", 0, "to_restart", false, "terminated"],
    // It does not start again.
    ["Never", 143, "as_failed", false, "terminated"],
    ["Never", 143, undefined, false, "terminated"],
    ["Never", 143, "to_restart", true, "terminated"],
  ] as const
) {
  const name = `${restartPolicy}, ${exitCode}, ${stopped}, ${
    terminal ? "for good" : "for now"
  }`;
  Deno.test(`a container that was stopped is shown as ${expected}: ${name}`, () => {
    const end = ended("a", exitCode, stopped === undefined ? {} : { stopped });
    const { containerStatuses: [shown] = [] } = buildPodStatus(statusInput({
      pod: pod({ restartPolicy, containers: [container("a")] }),
      observed: observed([end]),
      terminal,
    }));
    deepStrictEqual(Object.keys(shown?.state ?? {}), [expected]);
    if (expected !== "waiting") return;
    strictEqual(shown?.lastState?.terminated?.exitCode, exitCode);
    strictEqual(shown?.state?.waiting?.reason, "ContainerCreating");
  });
}

interface NoteRow {
  readonly name: string;
  readonly policy: string;
  readonly own?: Partial<ContainerSpec>;
  readonly observed: ObservedPod;
  readonly probes?: PlanInput["probes"];
  readonly notes: readonly string[];
}

const notReady = [sandbox({ ready: false })];
const noteRows: readonly NoteRow[] = [
  {
    name: "a changed container",
    policy: "OnFailure",
    observed: observed([seen("a", { hash: "old" }), seen("b")]),
    notes: ["a-0 a to_restart"],
  },
  {
    name: "a changed container even under Never",
    policy: "Never",
    observed: observed([seen("a", { hash: "old" }), seen("b")]),
    notes: ["a-0 a to_restart"],
  },
  {
    name: "no changed container that restarts however it ends",
    policy: "Always",
    observed: observed([seen("a", { hash: "old" }), seen("b")]),
    notes: [],
  },
  {
    name: "a container of a policy of its own",
    policy: "Always",
    own: { restartPolicy: "OnFailure" },
    observed: observed([seen("a", { hash: "old" }), seen("b")]),
    notes: ["a-0 a to_restart"],
  },
  {
    name: "an unhealthy container",
    policy: "OnFailure",
    observed: observed([seen("a"), seen("b")]),
    probes: probes({ liveness: { "a-0": "failure" } }),
    notes: ["a-0 a as_failed"],
  },
  {
    name: "a container that did not start in time",
    policy: "Never",
    observed: observed([seen("a"), seen("b")]),
    probes: probes({ startup: { "a-0": "failure" } }),
    notes: ["a-0 a as_failed"],
  },
  {
    name: "a container in an unknown state",
    policy: "Never",
    observed: observed([seen("a", { state: "unknown" }), seen("b")]),
    notes: ["a-0 a to_restart"],
  },
  {
    name: "what runs in a sandbox that is replaced",
    policy: "OnFailure",
    observed: observed([seen("a"), ended("b", 1)], notReady),
    notes: ["a-0 a as_failed"],
  },
  {
    name: "what runs in a sandbox that nothing is to follow",
    policy: "Never",
    observed: observed([
      seen("a"),
      seen("b", { state: "unknown" }),
    ], notReady),
    notes: ["a-0 a as_failed", "b-0 b as_failed"],
  },
  {
    name: "nothing of an older container, or one that the spec does not name",
    policy: "OnFailure",
    observed: observed([
      seen("a", { restartCount: 1 }),
      seen("a"),
      seen("b"),
      seen("gone"),
    ]),
    notes: [],
  },
  {
    name: "a container of a replaced sandbox that starts in this one",
    policy: "OnFailure",
    observed: observed([seen("a"), seen("b", { sandboxId: "s1" })], [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ ready: false }),
    ]),
    notes: ["a-0 a to_restart"],
  },
  {
    name: "a container of a replaced sandbox that Never runs again",
    policy: "Never",
    observed: observed([seen("a"), seen("b", { sandboxId: "s1" })], [
      sandbox({ id: "s1", attempt: 1 }),
      sandbox({ ready: false }),
    ]),
    notes: ["a-0 a as_failed"],
  },
];
for (const row of noteRows) {
  Deno.test(`stopNotes() lists ${row.name}`, () => {
    const subject = pod({
      restartPolicy: row.policy,
      containers: [container("a", row.own ?? {}), container("b")],
    });
    const look = { pod: subject, observed: row.observed };
    const plan = planPod({ ...look, probes: row.probes ?? probes() });
    deepStrictEqual(
      stopNotes(plan, look).map((note) =>
        `${note.containerId} ${note.containerName} ${note.stopped}`
      ),
      row.notes,
    );
  });
}

Deno.test("stopNotes() lists no sidecar: it starts again however it ends", () => {
  const subject = pod({
    restartPolicy: "OnFailure",
    containers: [container("a")],
    initContainers: [sidecar("s", { restartPolicy: "Always" })],
  });
  const look = {
    pod: subject,
    observed: observed([seen("a"), seen("s", { hash: "old" })]),
  };
  const plan = planPod({ ...look, probes: probes() });
  strictEqual(plan.kill.length, 1);
  deepStrictEqual(stopNotes(plan, look), []);
});

Deno.test("planPod() runs the postStart hook of a container of which nobody knows that it ran", () => {
  const lifecycle = { postStart: { exec: { command: ["true"] } } };
  const subject = pod({
    containers: [container("a", { lifecycle }), container("b")],
    initContainers: [sidecar("s", { lifecycle })],
  });
  const due = { postStartDue: true } as const;
  const planOf = (records: Parameters<typeof observed>[0]) => {
    const look = { pod: subject, observed: observed(records) };
    return planPod({ ...look, probes: probes() });
  };
  const both = planOf([seen("a", due), seen("b", due), seen("s", due)]);
  strictEqual(
    describePlan(both),
    "keep sandbox, run postStart of s, run postStart of a",
  );
  deepStrictEqual(both.postStart[0], {
    containerId: "s-0",
    containerName: "s",
  });
  // A container that is stopped has no use for it.
  const changed = planOf([seen("a", { ...due, hash: "old" }), seen("b")]);
  deepStrictEqual(changed.postStart, []);
  const gone = planOf([ended("a", 1, due), seen("b")]);
  deepStrictEqual(gone.postStart, []);
  const look = {
    pod: subject,
    observed: observed([seen("a", due), seen("b")]),
  };
  deepStrictEqual(
    explainPlan(planPod({ ...look, probes: probes() }), subject, look.observed)
      .slice(0, 1),
    ["run the postStart hook of a: nobody knows whether it ran"],
  );
});

Deno.test("wholeStop() notes what runs, or may, of a container whose end may decide", () => {
  const subject = pod({
    restartPolicy: "OnFailure",
    containers: [
      container("a"),
      container("b"),
      container("kept", { restartPolicy: "Always" }),
    ],
    initContainers: [sidecar("s"), container("i")],
  });
  const picture = observed([
    seen("a"),
    seen("b", { state: "unknown" }),
    seen("kept"),
    seen("s"),
    seen("gone"),
    ended("i", 0),
  ]);
  deepStrictEqual(
    wholeStop({ pod: subject, observed: picture }, "as_failed"),
    ["a", "b"].map((name) => ({
      containerId: `${name}-0`,
      containerName: name,
      stopped: "as_failed",
    })),
  );
});
