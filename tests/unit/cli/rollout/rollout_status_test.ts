/**
 * How far a rollout is, and to what it can be taken back.
 *
 * Rows follow TestDeploymentStatusViewerStatus, TestDaemonSetStatusViewerStatus and
 * TestStatefulSetStatusViewerStatus of k8s.io/kubectl.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ShownObject } from "../../../../mod/cli/kinds/mod.ts";
import {
  revisionKind,
  rolledRevisions,
  rolloutStatus,
  wantedRevision,
} from "../../../../mod/cli/rollout/mod.ts";

function object(
  kind: string,
  spec: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, unknown>>,
  metadata: Partial<ShownObject["metadata"]> = {},
): ShownObject {
  const meta = { name: "foo", namespace: "bar", uid: "u", ...metadata };
  return { apiVersion: "apps/v1", kind, metadata: meta, spec, status };
}

const DEPLOYMENT = 'Waiting for deployment "foo" rollout to finish: ';
for (
  const [replicas, status, generation, kind, text] of [
    [
      1,
      { observedGeneration: 1, replicas: 1, availableReplicas: 1 },
      0,
      "waiting",
      `${DEPLOYMENT}0 out of 1 new replicas have been updated...`,
    ],
    [
      1,
      {
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 1,
        availableReplicas: 2,
      },
      1,
      "waiting",
      `${DEPLOYMENT}1 old replicas are pending termination...`,
    ],
    [
      2,
      {
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        availableReplicas: 1,
      },
      1,
      "waiting",
      `${DEPLOYMENT}1 of 2 updated replicas are available...`,
    ],
    [
      2,
      {
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
      },
      1,
      "done",
      'deployment "foo" successfully rolled out',
    ],
    [
      2,
      {
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
      },
      2,
      "waiting",
      "Waiting for deployment spec update to be observed...",
    ],
    [0, {}, 0, "done", 'deployment "foo" successfully rolled out'],
  ] as const
) {
  Deno.test(`rolloutStatus() of a Deployment of ${replicas} with ${JSON.stringify(status)} at ${generation}`, () => {
    const shown = object("Deployment", { replicas }, status, { generation });
    deepStrictEqual(rolloutStatus(shown), { kind, text });
  });
}

Deno.test("rolloutStatus() of a Deployment fails when its deadline is over", () => {
  const status = (reason: string) => ({
    replicas: 2,
    conditions: [{ type: "Progressing", reason }],
  });
  const spec = { replicas: 2 };
  deepStrictEqual(
    rolloutStatus(
      object("Deployment", spec, status("ProgressDeadlineExceeded")),
    ),
    { kind: "failed", why: 'deployment "foo" exceeded its progress deadline' },
  );
  strictEqual(
    rolloutStatus(object("Deployment", spec, status("ReplicaSetUpdated")))
      ?.kind,
    "waiting",
  );
});

const DAEMON = 'Waiting for daemon set "foo" rollout to finish: ';
for (
  const [status, generation, kind, text] of [
    [
      {
        observedGeneration: 1,
        updatedNumberScheduled: 0,
        desiredNumberScheduled: 1,
        numberAvailable: 0,
      },
      0,
      "waiting",
      `${DAEMON}0 out of 1 new pods have been updated...`,
    ],
    [
      {
        observedGeneration: 1,
        updatedNumberScheduled: 2,
        desiredNumberScheduled: 2,
        numberAvailable: 1,
      },
      0,
      "waiting",
      `${DAEMON}1 of 2 updated pods are available...`,
    ],
    [
      {
        observedGeneration: 1,
        updatedNumberScheduled: 2,
        desiredNumberScheduled: 2,
        numberAvailable: 2,
      },
      1,
      "done",
      'daemon set "foo" successfully rolled out',
    ],
    [
      {
        observedGeneration: 1,
        updatedNumberScheduled: 2,
        desiredNumberScheduled: 2,
        numberAvailable: 2,
      },
      2,
      "waiting",
      "Waiting for daemon set spec update to be observed...",
    ],
  ] as const
) {
  Deno.test(`rolloutStatus() of a DaemonSet with ${JSON.stringify(status)} at ${generation}`, () => {
    const spec = { updateStrategy: { type: "RollingUpdate" } };
    const shown = object("DaemonSet", spec, status, { generation });
    deepStrictEqual(rolloutStatus(shown), { kind, text });
  });
}

const ROLLING = { type: "RollingUpdate" };
const PARTED = { ...ROLLING, rollingUpdate: { partition: 2 } };
for (
  const [updateStrategy, status, generation, kind, text] of [
    [
      ROLLING,
      { observedGeneration: 0 },
      0,
      "waiting",
      "Waiting for statefulset spec update to be observed...",
    ],
    [
      ROLLING,
      { observedGeneration: 1, readyReplicas: 3 },
      2,
      "waiting",
      "Waiting for statefulset spec update to be observed...",
    ],
    [
      ROLLING,
      { observedGeneration: 2, readyReplicas: 1 },
      2,
      "waiting",
      "Waiting for 2 pods to be ready...",
    ],
    [
      ROLLING,
      { observedGeneration: 2, readyReplicas: 2 },
      2,
      "waiting",
      "Waiting for 1 pods to be ready...",
    ],
    [
      PARTED,
      { observedGeneration: 2, readyReplicas: 3, updatedReplicas: 0 },
      2,
      "waiting",
      "Waiting for partitioned roll out to finish: 0 out of 1 new pods have been updated...",
    ],
    [
      PARTED,
      { observedGeneration: 2, readyReplicas: 3, updatedReplicas: 1 },
      2,
      "done",
      "partitioned roll out complete: 1 new pods have been updated...",
    ],
    [
      ROLLING,
      {
        observedGeneration: 1,
        readyReplicas: 3,
        updatedReplicas: 1,
        currentRevision: "foo",
        updateRevision: "bar",
      },
      1,
      "waiting",
      "waiting for statefulset rolling update to complete 1 pods at revision bar...",
    ],
    [
      ROLLING,
      {
        observedGeneration: 1,
        readyReplicas: 3,
        currentReplicas: 3,
        currentRevision: "foo",
        updateRevision: "foo",
      },
      1,
      "done",
      "statefulset rolling update complete 3 pods at revision foo...",
    ],
  ] as const
) {
  Deno.test(`rolloutStatus() of a StatefulSet with ${JSON.stringify([updateStrategy, status])} at ${generation}`, () => {
    const spec = { replicas: 3, updateStrategy };
    const shown = object("StatefulSet", spec, status, { generation });
    deepStrictEqual(rolloutStatus(shown), { kind, text });
  });
}

Deno.test("rolloutStatus() is only of what rolls", () => {
  const why =
    "rollout status is only available for RollingUpdate strategy type";
  const spec = { updateStrategy: { type: "OnDelete" } };
  for (const kind of ["DaemonSet", "StatefulSet"]) {
    deepStrictEqual(rolloutStatus(object(kind, spec, {})), {
      kind: "failed",
      why,
    });
  }
  strictEqual(rolloutStatus(object("Job", {}, {})), undefined);
});

function kept(
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  metadata: Partial<ShownObject["metadata"]>,
  uid: string = "u",
): ShownObject {
  const owner = { apiVersion: "apps/v1", kind: "X", name: "foo", uid };
  const ownerReferences = [
    { ...owner, uid: "some other" },
    { ...owner, controller: true },
  ];
  const meta = { name: "k", namespace: "bar", uid: "k", ownerReferences };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { ...meta, ...metadata },
    ...fields,
  };
}

Deno.test("rolledRevisions() are those of the ReplicaSets of a Deployment, in order", () => {
  const set = (revision: string, uid?: string) => {
    const labels = { app: "web", "pod-template-hash": revision };
    const template = { metadata: { labels, name: "x" }, spec: { n: revision } };
    const annotations = {
      "deployment.kubernetes.io/revision": revision,
      ...(revision === "2" && { "kubernetes.io/change-cause": "why" }),
    };
    return kept("ReplicaSet", { spec: { template } }, { annotations }, uid);
  };
  const own = object("Deployment", {}, {});
  const lone = kept("ReplicaSet", {}, {});
  const sets = [set("10"), set("2"), set("7", "other"), lone];
  const { ownerReferences: _none, ...metadata } = lone.metadata;
  const revisions = rolledRevisions(own, [...sets, { ...lone, metadata }]);
  const template = (n: string) => ({
    metadata: { name: "x", labels: { app: "web" } },
    spec: { n },
  });
  deepStrictEqual(revisions, [
    { number: 2, cause: "why", template: template("2") },
    { number: 10, cause: "<none>", template: template("10") },
  ]);
  strictEqual(wantedRevision(revisions, 0)?.number, 2);
  strictEqual(wantedRevision(revisions, 10)?.number, 10);
  strictEqual(wantedRevision(revisions, 3), undefined);
  strictEqual(wantedRevision(revisions.slice(1), 0), undefined);
});

Deno.test("rolledRevisions() are those of the ControllerRevisions of others", () => {
  const template = { $patch: "replace", spec: { n: 1 } };
  const data = { spec: { template } };
  const revisions = rolledRevisions(object("DaemonSet", {}, {}), [
    kept("ControllerRevision", { revision: 3, data }, {}),
  ]);
  deepStrictEqual(revisions, [
    { number: 3, cause: "<none>", template: { spec: { n: 1 } } },
  ]);
  strictEqual(revisionKind("DaemonSet"), "ControllerRevision");
  strictEqual(revisionKind("StatefulSet"), "ControllerRevision");
  strictEqual(revisionKind("Deployment"), "ReplicaSet");
  strictEqual(revisionKind("Job"), undefined);
});
