/**
 * What claims of a cluster come to.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ClusterVolume } from "../../../../mod/api/read/mod.ts";
import {
  bindingOf,
  claimFor,
  unboundReason,
} from "../../../../mod/source/api/bound_claim.ts";
import { clusterClaim } from "../../../support/source/cluster_claims.ts";

const BOUND = { isEnding: false, isBound: true, volumeName: "pv" };

for (
  const [facts, expected] of [
    [BOUND, undefined],
    [{ ...BOUND, isEnding: true }, "PVC is being deleted"],
    [{ ...BOUND, isBound: false }, "PVC is not bound"],
    [{ ...BOUND, volumeName: "" }, "PVC is not bound"],
  ] as const
) {
  Deno.test(`a claim with ${JSON.stringify(facts)}: ${expected}`, () => {
    strictEqual(unboundReason(facts), expected);
  });
}

const LOCAL: ClusterVolume = {
  name: "pv",
  claimUid: "uid-data",
  mountOptions: [],
  source: { kind: "local", path: "/mnt/a" },
};
const HOST: ClusterVolume = {
  ...LOCAL,
  source: { kind: "hostPath", path: "/srv/a", type: "Directory" },
};
const onNode = (name: string) => [{
  matchExpressions: [{
    key: "kubernetes.io/hostname",
    operator: "In",
    values: [name],
  }],
}];
const NODE = {
  name: "edge1",
  labels: { "kubernetes.io/hostname": "edge1" },
};
const none = (why: string) => ({ kind: "none", why });

for (
  const [what, volume, expected] of [
    ["a local one", LOCAL, { ...LOCAL.source, volume: "pv" }],
    ["a hostPath", HOST, { ...HOST.source, volume: "pv" }],
    ["one of this node", { ...LOCAL, nodeTerms: onNode("edge1") }, {
      ...LOCAL.source,
      volume: "pv",
    }],
    [
      "one of another node",
      { ...LOCAL, nodeTerms: onNode("edge2") },
      none(
        'NodeAffinity check failed for volume "pv": no matching NodeSelectorTerms',
      ),
    ],
    [
      "one of no node",
      { ...HOST, nodeTerms: [] },
      none(
        'NodeAffinity check failed for volume "pv": no matching NodeSelectorTerms',
      ),
    ],
    [
      "one that nobody has",
      {
        name: "pv",
        mountOptions: [],
        source: { kind: "local", path: "/mnt/a" },
      },
      none('the volume "pv" is not bound to any claim yet'),
    ],
    [
      "one that another claim has",
      { ...LOCAL, claimUid: "other" },
      none('the volume "pv" is bound to another claim'),
    ],
    [
      "one with mount options",
      { ...LOCAL, mountOptions: ["noatime", "ro"] },
      none(
        'the volume "pv" has mount options (noatime, ro), and a directory of the node is mounted without any',
      ),
    ],
    [
      "one of another kind",
      { ...LOCAL, source: { kind: "foreign", plugin: "nfs" } },
      { kind: "foreign", plugin: "nfs" },
    ],
  ] as const satisfies readonly (readonly [string, ClusterVolume, object])[]
) {
  Deno.test(`the volume of a claim: ${what}`, () => {
    deepStrictEqual(bindingOf(clusterClaim(), volume, NODE), expected);
  });
}

Deno.test("a claim as pods have it says who owns it, if somebody does", () => {
  const binding = { kind: "none", why: "x" } as const;
  const claim = claimFor(clusterClaim(), binding);
  deepStrictEqual(claim, {
    kind: "PersistentVolumeClaim",
    namespace: "shop",
    name: "data",
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Filesystem",
    storage: undefined,
    binding,
  });
  const owned = claimFor(clusterClaim({ ownerUid: "u1" }), binding);
  deepStrictEqual(owned, { ...claim, ownerUid: "u1" });
});
