/** What belongs to a controller, after TestClaimPods and TestClaimReplicaSets of upstream. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  claim,
  controllerOf,
  controllerReference,
} from "../../../../mod/controller/run/mod.ts";
import type {
  ApiObject,
  StoredMeta,
} from "../../../../mod/api/workload/mod.ts";

const OWNER = replicaSet({ name: "web", uid: "owner" });
const OTHER = replicaSet({ name: "api", uid: "other" });
const SELECTOR = { matchLabels: { app: "web" } };
const MEANT = { app: "web" };

function replicaSet(metadata: Partial<StoredMeta>): ApiObject {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "x", namespace: "shop", uid: "x", ...metadata },
  };
}

function pod(metadata: Partial<StoredMeta>): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      namespace: "shop",
      uid: "p",
      resourceVersion: "7",
      ...metadata,
    },
  };
}

function ownedBy(
  owner: ApiObject,
  labels: Readonly<Record<string, string>> = MEANT,
): ApiObject {
  return pod({ labels, ownerReferences: [controllerReference(owner)] });
}

const ending = { deletionTimestamp: "2026-01-01T00:00:00Z" };

const cases: Readonly<
  Record<string, {
    readonly candidate: ApiObject;
    readonly owner?: ApiObject;
    readonly isMine: boolean;
    readonly owners?: readonly string[];
  }>
> = {
  "controls it and means it": { candidate: ownedBy(OWNER), isMine: true },
  "controls it, means it and ends": {
    candidate: ownedBy(OWNER),
    owner: replicaSet({ ...OWNER.metadata, ...ending }),
    isMine: true,
  },
  "controls it and does not mean it": {
    candidate: ownedBy(OWNER, { app: "db" }),
    isMine: false,
    owners: [],
  },
  "controls it, does not mean it, and another owns it": {
    candidate: pod({
      labels: { app: "db" },
      ownerReferences: [
        controllerReference(OWNER),
        { apiVersion: "v1", kind: "X", name: "x", uid: "x" },
      ],
    }),
    isMine: false,
    owners: ["x"],
  },
  "controls it, does not mean it and ends": {
    candidate: ownedBy(OWNER, { app: "db" }),
    owner: replicaSet({ ...OWNER.metadata, ...ending }),
    isMine: false,
  },
  "another controls it": { candidate: ownedBy(OTHER), isMine: false },
  "nobody controls it": {
    candidate: pod({ labels: MEANT }),
    isMine: true,
    owners: ["owner"],
  },
  "nobody controls it, another owns it": {
    candidate: pod({
      labels: MEANT,
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "x" }],
    }),
    isMine: true,
    owners: ["x", "owner"],
  },
  "nobody controls it and it is not meant": {
    candidate: pod({ labels: { app: "db" } }),
    isMine: false,
  },
  "nobody controls it and it ends": {
    candidate: pod({ labels: MEANT, ...ending }),
    isMine: false,
  },
  "nobody controls it and the owner ends": {
    candidate: pod({ labels: MEANT }),
    owner: replicaSet({ ...OWNER.metadata, ...ending }),
    isMine: false,
  },
  "nobody controls it, in another namespace": {
    candidate: pod({ labels: MEANT, namespace: "attic" }),
    isMine: false,
  },
};

for (
  const [name, { candidate, owner, isMine, owners }] of Object.entries(cases)
) {
  Deno.test(`claims what ${name}: ${isMine}`, () => {
    const claimed = claim(owner ?? OWNER, [candidate], { selector: SELECTOR });
    deepStrictEqual(claimed.mine, isMine ? [candidate] : []);
    const patches = claimed.changes.map((change) =>
      change.verb === "patch" ? change.patch : undefined
    );
    const ownerReferences = owners?.map((uid) =>
      uid === "owner"
        ? controllerReference(OWNER)
        : { apiVersion: "v1", kind: "X", name: "x", uid }
    );
    deepStrictEqual(
      patches,
      owners === undefined
        ? []
        : [{ metadata: { resourceVersion: "7", ownerReferences } }],
    );
  });
}

Deno.test("an adoption is told from a release, and what may not be adopted is left", () => {
  const orphan = pod({ labels: MEANT });
  const { changes } = claim(OWNER, [orphan, ownedBy(OWNER, {})], {
    selector: SELECTOR,
  });
  deepStrictEqual(
    changes.map((each) => each.verb === "patch" && each.isAdoption === true),
    [true, false],
  );
  const left = claim(OWNER, [orphan], {
    selector: SELECTOR,
    mayAdopt: () => false,
  });
  deepStrictEqual(left, { mine: [], changes: [] });
});

Deno.test("the controller is the one owner that says so", () => {
  const plain = { apiVersion: "v1", kind: "X", name: "x", uid: "x" };
  const object = pod({
    ownerReferences: [
      plain,
      { ...plain, controller: false },
      controllerReference(OTHER),
    ],
  });
  strictEqual(controllerOf(object)?.uid, "other");
  strictEqual(controllerOf(pod({})), undefined);
  strictEqual(controllerReference(OTHER).blockOwnerDeletion, true);
});
