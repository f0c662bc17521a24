/**
 * What a claim of a cluster has come to.
 *
 * @module
 */

import type { ClaimObject } from "../../api/objects/mod.ts";
import type { ClusterClaim, ClusterVolume } from "../../api/read/mod.ts";
import { type LabelledNode, matchesTerms } from "../../pod/admission/mod.ts";

type Binding = NonNullable<ClaimObject["binding"]>;

/**
 * What keeps a claim from having a volume, as far as the claim itself says it.
 *
 * Upstream: getPVCExtractPV of pkg/kubelet/volumemanager/populator.
 */
export function unboundReason(
  { isEnding, isBound, volumeName }: Pick<
    ClusterClaim,
    "isBound" | "isEnding" | "volumeName"
  >,
): string | undefined {
  // One that is protected is there until no pod uses it, and takes no other pod.
  if (isEnding) return "PVC is being deleted";
  return isBound && volumeName !== "" ? undefined : "PVC is not bound";
}

/**
 * What a claim gets by the volume that it names.
 *
 * Upstream: getPVSpec of pkg/kubelet/volumemanager/populator; CheckNodeAffinity of
 * pkg/volume/util.
 */
export function bindingOf(
  claim: Pick<ClusterClaim, "uid">,
  volume: ClusterVolume,
  node: LabelledNode,
): Binding {
  const { name, claimUid, mountOptions, nodeTerms, source } = volume;
  const none = (why: string): Binding => ({ kind: "none", why });
  if (claimUid === undefined) {
    return none(`the volume "${name}" is not bound to any claim yet`);
  }
  if (claimUid !== claim.uid) {
    return none(`the volume "${name}" is bound to another claim`);
  }
  if (source.kind === "foreign") return source;
  if (nodeTerms !== undefined && !matchesTerms(nodeTerms, node)) {
    return none(
      `NodeAffinity check failed for volume "${name}": no matching NodeSelectorTerms`,
    );
  }
  if (mountOptions.length > 0) {
    return none(
      `the volume "${name}" has mount options (${
        mountOptions.join(", ")
      }), and a directory of the node is mounted without any`,
    );
  }
  return { ...source, volume: name };
}

/** A claim as pods have it. */
export function claimFor(
  claim: ClusterClaim,
  binding: Binding,
): ClaimObject {
  const { namespace, name, accessModes, volumeMode, ownerUid } = claim;
  return {
    kind: "PersistentVolumeClaim",
    namespace,
    name,
    accessModes,
    volumeMode,
    storage: undefined,
    binding,
    ...(ownerUid !== "" && { ownerUid }),
  };
}
