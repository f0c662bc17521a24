/** Versions of templates, after controller_history_test.go of upstream. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { NewObject } from "../../../../mod/api/access/mod.ts";
import type {
  ControllerRevision,
  PodTemplate,
} from "../../../../mod/api/workload/mod.ts";
import {
  planHistory,
  revisionData,
  type RevisionOwner,
  revisionTemplate,
  safeHash,
} from "../../../../mod/controller/history/mod.ts";
import {
  type Change,
  controllerReference,
} from "../../../../mod/controller/run/mod.ts";
import { statefulSet } from "../../../support/controller/stateful_sets.ts";

function set(image: string = "v1"): RevisionOwner {
  return statefulSet({}, image);
}

interface Made {
  readonly name?: string;
  readonly revision: number;
  readonly image: string;
  readonly owners?: readonly RevisionOwner[];
  readonly labels?: Readonly<Record<string, string>>;
}

function made(
  { name, revision, image, owners = [set()], labels = { app: "db" } }: Made,
): ControllerRevision {
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: name ?? `db-${image}`,
      namespace: "shop",
      uid: `uid-${name ?? image}`,
      labels,
      ownerReferences: owners.map(controllerReference),
    },
    spec: undefined,
    revision,
    data: revisionData(set(image).spec.template),
  };
}

function creation(changes: readonly Change[]): NewObject & {
  readonly data?: unknown;
  readonly revision?: unknown;
} {
  const change = changes.find(({ verb }) => verb === "create");
  if (change?.verb !== "create") throw new Error("nothing is made");
  return change.object;
}

Deno.test("TestRealHistory_CreateControllerRevision: the first template is the first version", () => {
  const owner = set();
  const annotated = {
    ...owner,
    metadata: { ...owner.metadata, annotations: { note: "x" } },
  };
  const { newest, revisions, changes, collisionCount } = planHistory(
    annotated,
    [],
  );
  const object = creation(changes);
  strictEqual(changes.length, 1);
  deepStrictEqual(revisions, []);
  strictEqual(collisionCount, 0);
  match(newest.name, /^db-[bcdfghjklmnpqrstvwxz2456789]{10}$/);
  strictEqual(newest.name, `db-${newest.hash}`);
  deepStrictEqual(object, {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: newest.name,
      namespace: "shop",
      labels: { app: "db", "controller.kubernetes.io/hash": newest.hash },
      annotations: { note: "x" },
      ownerReferences: [controllerReference(owner)],
    },
    data: {
      spec: { template: { ...owner.spec.template, $patch: "replace" } },
    },
    revision: 1,
  });
});

Deno.test("an owner without annotations has revisions without them", () => {
  const { metadata } = creation(planHistory(set(), []).changes);
  strictEqual("annotations" in metadata, false);
});

Deno.test("TestSortControllerRevisions: by number, then by name", () => {
  const seen = [
    made({ revision: 2, image: "v3" }),
    made({ revision: 1, image: "v2" }),
    made({ revision: 1, image: "v1" }),
  ];
  const { revisions } = planHistory(set("v3"), seen);
  deepStrictEqual(revisions.map(({ metadata }) => metadata.name), [
    "db-v1",
    "db-v2",
    "db-v3",
  ]);
});

Deno.test("a new template gets the number after the highest", () => {
  const seen = [
    made({ revision: 7, image: "v1" }),
    made({ revision: 3, image: "v2" }),
  ];
  strictEqual(creation(planHistory(set("v3"), seen).changes).revision, 8);
});

Deno.test("TestFindEqualRevisions: the newest version of this template is used", () => {
  const labels = { app: "db", "controller.kubernetes.io/hash": "abc" };
  const seen = [
    made({ name: "twin", revision: 1, image: "v1" }),
    made({ revision: 2, image: "v1", labels }),
  ];
  const { newest, changes } = planHistory(set(), seen);
  deepStrictEqual(newest, { name: "db-v1", hash: "abc" });
  deepStrictEqual(changes, []);
});

Deno.test("a version without the label of its hash has its name for it", () => {
  const { newest } = planHistory(set(), [made({ revision: 1, image: "v1" })]);
  strictEqual(newest.hash, "db-v1");
});

Deno.test("TestRealHistory_UpdateControllerRevision: an earlier version that comes back gets the next number", () => {
  const seen = [
    made({ revision: 1, image: "v1" }),
    made({ revision: 2, image: "v2" }),
  ];
  const { newest, changes } = planHistory(set(), seen);
  strictEqual(newest.name, "db-v1");
  const [change] = changes;
  strictEqual(changes.length, 1);
  deepStrictEqual(change?.verb === "patch" && change.patch, { revision: 3 });
  strictEqual(change?.verb === "patch" && change.ref.uid, "uid-v1");
});

Deno.test("TestRealHistory_CreateControllerRevision: a name that something else has is not used", () => {
  const free = planHistory(set(), []).newest;
  const other = statefulSet({ replicas: 1 });
  const owners = [{ ...other, metadata: { ...other.metadata, uid: "x" } }];
  const seen = [made({ name: free.name, revision: 1, image: "v9", owners })];
  const { newest, collisionCount, revisions, changes } = planHistory(
    set(),
    seen,
  );
  strictEqual(collisionCount, 1);
  strictEqual(newest.name === free.name, false);
  strictEqual(creation(changes).metadata.name, newest.name);
  deepStrictEqual(revisions, []);
});

Deno.test("names that were taken before are not tried again", () => {
  const owner = set();
  const status = { replicas: 0, collisionCount: 4 };
  const { collisionCount, newest } = planHistory(
    { ...statefulSet(), status },
    [],
  );
  strictEqual(collisionCount, 4);
  strictEqual(newest.name === planHistory(owner, []).newest.name, false);
});

Deno.test("a long name is cut so that the hash fits", () => {
  const owner = set();
  const metadata = { ...owner.metadata, name: "x".repeat(250) };
  const { newest } = planHistory({ ...statefulSet(), metadata }, []);
  strictEqual(newest.name.length, 223 + 1 + 10);
});

Deno.test("TestRealHistory_AdoptControllerRevision, TestRealHistory_ReleaseControllerRevision", () => {
  const seen = [
    made({ revision: 1, image: "v1", owners: [] }),
    made({ revision: 2, image: "v2", labels: { app: "other" } }),
  ];
  const { revisions, changes, newest } = planHistory(set(), seen);
  deepStrictEqual(revisions.map(({ revision }) => revision), [1]);
  strictEqual(newest.name, "db-v1");
  deepStrictEqual(
    changes.map((each) => each.verb === "patch" && each.ref.name),
    ["db-v1", "db-v2"],
  );
  const fresh = planHistory(set("v3"), seen).changes;
  deepStrictEqual(fresh.map(({ verb }) => verb), ["patch", "patch", "create"]);
});

Deno.test("the label of the hash is that of the kind", () => {
  const { template, selector } = statefulSet().spec;
  const { metadata } = creation(
    planHistory({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "log", namespace: "shop", uid: "log" },
      spec: {
        selector,
        template,
        updateStrategy: { type: "OnDelete" },
        revisionHistoryLimit: 1,
      },
    }, []).changes,
  );
  deepStrictEqual(Object.keys(metadata.labels ?? {}), [
    "app",
    "controller-revision-hash",
  ]);
});

const unreadable: Readonly<Record<string, ControllerRevision["data"]>> = {
  "no data": undefined,
  "no spec": {},
  "no template": { spec: {} },
  "a template without a spec": { spec: { template: {} } },
  "a template without containers": { spec: { template: { spec: {} } } },
};

for (const [title, data] of Object.entries(unreadable)) {
  Deno.test(`TestCreateApplyRevision: ${title} is no template`, () => {
    const revision = made({ revision: 1, image: "v1" });
    strictEqual(revisionTemplate({ ...revision, data }), undefined);
  });
}

Deno.test("TestCreateApplyRevision: a template comes back as it was", () => {
  const template: PodTemplate = set().spec.template;
  const revision = made({ revision: 1, image: "v1" });
  deepStrictEqual(revisionTemplate(revision), template);
});

Deno.test("a hash is of the text and of how often it was taken", () => {
  const hashes = [safeHash("a"), safeHash("b"), safeHash("a", 1)];
  strictEqual(new Set(hashes).size, 3);
  strictEqual(safeHash("a"), safeHash("a", 0));
  strictEqual(safeHash("a"), "vmwnzb6kl6");
});
