/**
 * Links this node's pods with those of a cluster: mirrors of the pods of manifests, the end
 * of pods that the cluster has deleted, the failure of those that cannot run here, and names
 * that both want.
 *
 * Mirrors are shown and never acted upon. A pod goes from the API server when nothing of it
 * is left here, by its UID.
 *
 * @example A manifest whose mirror is missing
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { mirrorPlan } from "./mod.ts";
 *
 * const pod = {
 *   apiVersion: "v1" as const,
 *   kind: "Pod" as const,
 *   metadata: { name: "web-kiosk-1", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "c" }] },
 * };
 * const node = { metadata: { name: "kiosk-1", namespace: "", uid: "n1" } };
 * const { create, remove } = mirrorPlan([pod], [], {
 *   node,
 *   ending: new Set(),
 *   isComplete: true,
 *   lives: () => true,
 * });
 * deepStrictEqual(create.map(({ mirror }) => mirror.metadata.name), ["web-kiosk-1"]);
 * deepStrictEqual(remove, []);
 * ```
 *
 * @module
 */

export {
  isMirrorPod,
  type MirrorFacts,
  mirrorHash,
  type MirrorPlan,
  mirrorPlan,
  mirrorShowing,
  type MissingMirror,
} from "./mirror_plan.ts";
export {
  type MirrorEnd,
  MirrorPods,
  type MirrorPodsDeps,
} from "./mirror_pods.ts";
export {
  type NameClash,
  NameClashes,
  nameClashes,
  type NameClashesDeps,
} from "./name_clashes.ts";
export { PodDeletions, type PodDeletionsDeps } from "./pod_deletions.ts";
export {
  type FailedPod,
  PodRefusals,
  type PodRefusalsDeps,
} from "./pod_refusals.ts";
export type { ExactPod, MirrorPod, PodClient } from "./ports.ts";
