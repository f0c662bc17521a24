/**
 * Claims of a cluster as they are read.
 *
 * @module
 */

import type { ClusterClaim } from "../../../mod/api/read/mod.ts";

/** A claim `shop/data` that is bound to the volume `pv`, unless told otherwise. */
export function clusterClaim(rest: Partial<ClusterClaim> = {}): ClusterClaim {
  return {
    namespace: "shop",
    name: "data",
    uid: "uid-data",
    ownerUid: "",
    isEnding: false,
    isBound: true,
    volumeName: "pv",
    accessModes: ["ReadWriteOnce"],
    volumeMode: "Filesystem",
    ...rest,
  };
}
