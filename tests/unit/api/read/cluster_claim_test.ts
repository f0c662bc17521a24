/**
 * Claims of a cluster and their volumes as an API server gives them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  readClusterClaim,
  readClusterVolume,
} from "../../../../mod/api/read/mod.ts";
import { clusterClaim } from "../../../support/source/cluster_claims.ts";

const CLAIM = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { namespace: "shop", name: "data", uid: "uid-data" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    volumeName: "pv",
    volumeMode: "Filesystem",
    storageClassName: "",
    "of another release": 1,
  },
  status: { phase: "Bound" },
};
const { metadata, spec } = CLAIM;

for (
  const [what, object, rest] of [
    ["one that is bound", CLAIM, {}],
    [
      "one that waits",
      { ...CLAIM, status: { phase: "Pending" } },
      { isBound: false },
    ],
    ["one without a status", { ...CLAIM, status: undefined }, {
      isBound: false,
    }],
    [
      "one that says nothing",
      { metadata, spec: {}, status: null },
      { isBound: false, volumeName: "", accessModes: [] },
    ],
    [
      "one that is about to go",
      { ...CLAIM, metadata: { ...metadata, deletionTimestamp: "2026" } },
      { isEnding: true },
    ],
    [
      "one of a device",
      { ...CLAIM, spec: { ...spec, volumeMode: "Block" } },
      { volumeMode: "Block" },
    ],
    [
      "one that a pod controls",
      {
        ...CLAIM,
        metadata: {
          ...metadata,
          ownerReferences: [{ uid: "u0" }, { uid: "u1", controller: true }],
        },
      },
      { ownerUid: "u1" },
    ],
    [
      "one that something owns",
      { ...CLAIM, metadata: { ...metadata, ownerReferences: [{ uid: "u0" }] } },
      {},
    ],
    [
      "one with an owner of no name",
      {
        ...CLAIM,
        metadata: {
          ...metadata,
          ownerReferences: [{ uid: 1, controller: true }],
        },
      },
      {},
    ],
  ] as const
) {
  Deno.test(`a claim of a cluster: ${what}`, () => {
    deepStrictEqual(readClusterClaim(object), {
      kind: "read",
      value: clusterClaim(rest),
    });
  });
}

for (
  const [object, field] of [
    [null, ""],
    [{ ...CLAIM, spec: { ...spec, volumeName: 1 } }, "spec.volumeName"],
    [{ ...CLAIM, spec: { ...spec, volumeMode: 1 } }, "spec.volumeMode"],
    [{ ...CLAIM, spec: { ...spec, accessModes: "x" } }, "spec.accessModes"],
    [{ ...CLAIM, spec: { ...spec, accessModes: [1] } }, "spec.accessModes[0]"],
    [{ ...CLAIM, metadata: { ...metadata, uid: 1 } }, "metadata.uid"],
  ] as const
) {
  Deno.test(`a claim of a cluster is refused for "${field}"`, () => {
    const read = readClusterClaim(object);
    strictEqual(read.kind === "refused" && read.faults[0]?.field, field);
  });
}

const terms = [{
  matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
}];
const VOLUME = {
  metadata: { name: "pv" },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { uid: "uid-data", name: "data" },
    hostPath: { path: "/srv/a" },
    persistentVolumeReclaimPolicy: "Retain",
  },
};
const { hostPath: _path, ...bare } = VOLUME.spec;
const PLAIN = { name: "pv", claimUid: "uid-data", mountOptions: [] };
const HOST = { kind: "hostPath", path: "/srv/a", type: "" };
const local = { path: "/mnt/a" };

for (
  const [what, object, expected] of [
    ["a hostPath", VOLUME, { ...PLAIN, source: HOST }],
    [
      "a hostPath of a type",
      { ...VOLUME, spec: { ...bare, hostPath: { path: "/a", type: "File" } } },
      { ...PLAIN, source: { kind: "hostPath", path: "/a", type: "File" } },
    ],
    [
      "a local one",
      {
        ...VOLUME,
        spec: {
          ...bare,
          local,
          mountOptions: ["ro"],
          nodeAffinity: { required: { nodeSelectorTerms: terms } },
        },
      },
      {
        ...PLAIN,
        mountOptions: ["ro"],
        nodeTerms: terms,
        source: { kind: "local", path: "/mnt/a" },
      },
    ],
    [
      "one that requires nothing",
      { ...VOLUME, spec: { ...VOLUME.spec, nodeAffinity: {} } },
      { ...PLAIN, source: HOST },
    ],
    [
      "one whose requirement says nothing",
      { ...VOLUME, spec: { ...VOLUME.spec, nodeAffinity: { required: {} } } },
      { ...PLAIN, nodeTerms: [], source: HOST },
    ],
    [
      "one that nobody has",
      { ...VOLUME, spec: { hostPath: { path: "/srv/a" } } },
      { name: "pv", mountOptions: [], source: HOST },
    ],
    [
      "one of another kind",
      { ...VOLUME, spec: { ...bare, nfs: { server: "x" }, capacity: {} } },
      { ...PLAIN, source: { kind: "foreign", plugin: "nfs" } },
    ],
    ["one of no kind", { ...VOLUME, spec: bare }, {
      ...PLAIN,
      source: { kind: "foreign", plugin: "none" },
    }],
  ] as const
) {
  Deno.test(`a volume of a cluster: ${what}`, () => {
    deepStrictEqual(readClusterVolume(object), {
      kind: "read",
      value: expected,
    });
  });
}

for (
  const [object, field] of [
    ["x", ""],
    [{ spec: { hostPath: {} } }, "spec.hostPath.path"],
    [{ spec: { hostPath: { path: "/a", type: 1 } } }, "spec.hostPath.type"],
    [{ spec: { local: { path: 1 } } }, "spec.local.path"],
    [{ spec: { local, claimRef: { uid: 1 } } }, "spec.claimRef"],
    [{ spec: { local, mountOptions: {} } }, "spec.mountOptions"],
    [
      { spec: { local, nodeAffinity: { required: { nodeSelectorTerms: 1 } } } },
      "spec.nodeAffinity.required.nodeSelectorTerms",
    ],
  ] as const
) {
  Deno.test(`a volume of a cluster is refused for "${field}"`, () => {
    const read = readClusterVolume(object);
    strictEqual(read.kind === "refused" && read.faults[0]?.field, field);
  });
}
