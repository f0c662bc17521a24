/** What a set of replicas wishes, after replica_set_test.go and replica_set_utils_test.go of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ApiFailure } from "../../../../mod/api/access/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import type { ReplicaSet } from "../../../../mod/api/workload/mod.ts";
import { replicaSetController } from "../../../../mod/controller/replicas/mod.ts";
import { controllerReference } from "../../../../mod/controller/run/mod.ts";
import { ScriptedObjects } from "../../../support/controller/scripted_objects.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const LABELS = { app: "web" };
const TOP = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "top", namespace: "shop", uid: "top" },
};

function set(name: string, replicas: number, minReadySeconds = 0): ReplicaSet {
  const metadata = { name, namespace: "shop", uid: name };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...metadata, ownerReferences: [controllerReference(TOP)] },
    spec: {
      replicas,
      minReadySeconds,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: { ...LABELS, tier: "front" } },
        spec: { containers: [] },
      },
    },
  };
}

function pod(name: string, owner: ReplicaSet, {
  labels = LABELS,
  since = "2026-01-01T00:00:30Z",
  node = "",
  isEnding = false,
}: {
  readonly labels?: Readonly<Record<string, string>>;
  readonly since?: string;
  readonly node?: string;
  readonly isEnding?: boolean;
} = {}): Pod {
  const conditions = [{
    type: "Ready",
    status: "True",
    lastTransitionTime: since,
  }];
  const ownerReferences = [controllerReference(owner)];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      labels,
      ownerReferences,
      ...(isEnding && { deletionTimestamp: since }),
    },
    spec: { containers: [], ...(node !== "" && { nodeName: node }) },
    status: { phase: "Running", conditions },
  };
}

function look(owner: ReplicaSet, objects: ScriptedObjects) {
  objects.put(owner);
  const seen = replicaSetController.gather(owner, objects.cache);
  return replicaSetController.step(seen, NOW);
}

Deno.test("TestRelatedPodsLookup: pods of its siblings on a node count, those of strangers do not", () => {
  for (
    const [above, gone] of [[TOP, "b"], [{
      ...TOP,
      metadata: { ...TOP.metadata, uid: "x" },
    }, "a"]] as const
  ) {
    const objects = new ScriptedObjects();
    const owner = set("mine", 1);
    const sibling = set("other", 2);
    const ownerReferences = [controllerReference(above)];
    objects.put({
      ...sibling,
      metadata: { ...sibling.metadata, ownerReferences },
    });
    objects.put(
      pod("a", owner, { node: "one", since: "2025-12-31T23:59:50Z" }),
    );
    objects.put(
      pod("b", owner, { node: "two", since: "2025-01-01T00:00:00Z" }),
    );
    objects.put(pod("c", sibling, { node: "two" }));
    const stray = pod("d", owner, { node: "two", labels: {} });
    const { ownerReferences: _none, ...metadata } = stray.metadata;
    objects.put({ ...stray, metadata });
    const { changes } = look(owner, objects);
    deepStrictEqual(
      changes.map((change) => change.verb === "delete" && change.ref.name),
      [gone],
    );
  }
});

Deno.test("TestControllerBurstReplicas: no more than 500 are made, or ended, at once", () => {
  const objects = new ScriptedObjects();
  strictEqual(look(set("web", 501), objects).changes.length, 500);
  const owner = set("web", 0);
  for (let at = 0; at < 501; at++) objects.put(pod(`p${at}`, owner));
  strictEqual(look(owner, objects).changes.length, 500);
});

Deno.test("pods that are to end make no node fuller", () => {
  const objects = new ScriptedObjects();
  const owner = set("mine", 1);
  const above = set("other", 0);
  objects.put(above);
  objects.put(pod("a", owner, { node: "one", since: "2025-01-01T00:00:00Z" }));
  objects.put(pod("b", owner, { node: "two", since: "2025-12-31T23:00:00Z" }));
  objects.put(pod("c", above, { node: "one", isEnding: true }));
  const { changes } = look(owner, objects);
  // Of two nodes that are as full it is the younger pod that goes.
  deepStrictEqual(
    changes.map((change) => change.verb === "delete" && change.ref.name),
    ["b"],
  );
});

Deno.test("without minReadySeconds a pod is available as soon as it is ready", () => {
  const objects = new ScriptedObjects();
  const { spec: { minReadySeconds: _none, ...spec }, ...rest } = set("web", 1);
  const owner = { ...rest, spec };
  objects.put(pod("now", owner, { since: "2026-01-01T00:01:00Z" }));
  const { status, againAfterMs } = look(owner, objects);
  strictEqual(status?.([]).availableReplicas, 1);
  strictEqual(againAfterMs, undefined);
});

const OTHER = { type: "Other", status: "True" };
const OLD = {
  type: "ReplicaFailure",
  status: "True",
  lastTransitionTime: "2025-01-01T00:00:00Z",
  reason: "FailedCreate",
  message: "the first",
};
const NEW = { ...OLD, lastTransitionTime: "2026-01-01T00:01:00Z" };

// SetCondition and GetCondition
for (
  const [name, before, expected] of [
    ["first", [OTHER], [OTHER, { ...NEW, message: "again" }]],
    ["once more", [OTHER, OLD], [OTHER, OLD]],
  ] as const
) {
  Deno.test(`a set that fails ${name} says since when, and one that does not, not`, () => {
    const status = { replicas: 0, conditions: before };
    const owner = { ...set("web", 1), status };
    const wishes = look(owner, new ScriptedObjects());
    const failure = new ApiFailure("Forbidden", "again");
    const failures = wishes.changes.map((change) => ({ change, failure }));
    deepStrictEqual(wishes.status?.(failures).conditions, expected);
    deepStrictEqual(wishes.status?.([]).conditions, [OTHER]);
  });
}

Deno.test("TestCalculateStatus: what is counted as what, and when it is looked at again", () => {
  const objects = new ScriptedObjects();
  const owner = set("web", 4, 40);
  const full = { ...LABELS, tier: "front" };
  objects.put(
    pod("full", owner, { labels: full, since: "2026-01-01T00:00:20Z" }),
  );
  objects.put(pod("late", owner));
  objects.put(pod("later", owner, { since: "2026-01-01T00:00:50Z" }));
  objects.put(pod("ending", owner, { isEnding: true }));
  objects.put(pod("left", owner, { isEnding: true, labels: {} }));
  const { status, againAfterMs, changes } = look(owner, objects);
  strictEqual(againAfterMs, 10_000);
  deepStrictEqual(changes.map(({ verb }) => verb), ["create"]);
  deepStrictEqual(status?.([]), {
    replicas: 3,
    fullyLabeledReplicas: 1,
    readyReplicas: 3,
    availableReplicas: 1,
    terminatingReplicas: 1,
  });
});
