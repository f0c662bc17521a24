/**
 * Which pods of manifests a cluster is to be shown. Pure.
 *
 * The rules are those of the kubelet's pkg/kubelet/pod/mirror_client.go.
 *
 * @module
 */

import type { Node } from "../api/cluster/mod.ts";
import { fnv1a128Hex, stableJson } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import {
  ANNOTATION_CONFIG_HASH,
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
  podFullName,
} from "../api/vocabulary/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";
import type { ExactPod, MirrorPod } from "./ports.ts";

/** What is to be done so that the cluster shows what there is. */
export interface MirrorPlan {
  /** First: of another version or an earlier life, or of a pod that is no more. */
  readonly remove: readonly ExactPod[];
  /** Those whose name is free. */
  readonly create: readonly MissingMirror[];
  /** Whether something waits until a pod has ended, or until it is known what runs. */
  readonly isWaiting: boolean;
}

/** A mirror that is to be made. */
export interface MissingMirror {
  readonly mirror: MirrorPod;
  /** What it shows. */
  readonly pod: Pod;
  /** Another one for another version of the pod. */
  readonly hash: string;
}

/** What counts beside the pods themselves. */
export interface MirrorFacts {
  /** The mirrors belong to it. */
  readonly node: Pick<Node, "metadata">;
  /**
   * The full names under which pods end here: their mirrors show that, and stay as they are.
   * Absent while it is not known what runs here.
   */
  readonly ending: ReadonlySet<string> | undefined;
  /** Whether a pod that no manifest has is none of a source that is silent. */
  readonly isComplete: boolean;
  /** Whether a pod of a manifest is not over: its mirror may show that an earlier life of it is. */
  readonly lives: (pod: Pod) => boolean;
}

/**
 * Compares the pods of manifests with their mirrors.
 *
 * @param shown all pods that the cluster has for this node
 */
export function mirrorPlan(
  wanted: readonly Pod[],
  shown: readonly Pod[],
  { node, ending, isComplete, lives }: MirrorFacts,
): MirrorPlan {
  const taken = new Set(shown.map(podFullName));
  const hashes = new Map(
    wanted.map((pod) => [podFullName(pod), mirrorHash(pod)]),
  );
  const living = new Set(wanted.filter(lives).map(podFullName));
  const old = shown.filter((pod) => {
    const fullName = podFullName(pod);
    const hash = hashes.get(fullName);
    // An end that a cluster was shown is never taken back.
    const isStale = isTerminalPhase(pod.status?.phase) && living.has(fullName);
    return isMirrorPod(pod) && (hash !== undefined || isComplete) &&
      (isDeleted(pod) || hashOf(pod) !== hash || isStale);
  });
  const isFree = (pod: Pod): boolean => ending?.has(podFullName(pod)) === false;
  // A name that a pod of the cluster has is not free: see `nameClashes`.
  const missing = wanted.filter((pod) => !taken.has(podFullName(pod)));
  const isOfNoOther = (pod: Pod): boolean => !ending?.has(podFullName(pod));
  return {
    remove: old.filter(isFree).map(({ metadata: { namespace, name, uid } }) => {
      return { namespace, name, uid };
    }),
    create: missing.filter(isOfNoOther).map((pod) => {
      const hash = mirrorHash(pod);
      return { pod, hash, mirror: mirrorOf(pod, node, hash) };
    }),
    isWaiting: !old.every(isFree) || !missing.every(isOfNoOther),
  };
}

/**
 * The mirror that shows how a pod is; absent if what has its name is none, or is to go. Of
 * which version it is does not matter: it shows the pod until it is replaced.
 */
export function mirrorShowing(named: Pod | undefined): Pod | undefined {
  const isShown = named !== undefined && isMirrorPod(named) &&
    !isDeleted(named);
  return isShown ? named : undefined;
}

/** Whether a pod only shows another one. */
export function isMirrorPod(pod: Pick<Pod, "metadata">): boolean {
  return hashOf(pod) !== undefined;
}

function mirrorOf(
  { metadata, spec }: Pod,
  { metadata: { name, uid } }: Pick<Node, "metadata">,
  hash: string,
): MirrorPod {
  const { labels, annotations = {} } = metadata;
  // When it was seen first is news at each start of the agent.
  const { [ANNOTATION_CONFIG_SEEN]: _seen, ...lasting } = annotations;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: metadata.namespace,
      name: metadata.name,
      ...(labels !== undefined && { labels }),
      annotations: {
        ...lasting,
        [ANNOTATION_CONFIG_HASH]: hash,
        [ANNOTATION_CONFIG_MIRROR]: hash,
      },
      // So it goes with the node, and the API server knows that the node may make it.
      ownerReferences: [
        { apiVersion: "v1", kind: "Node", name, uid, controller: true },
      ],
    },
    spec: { ...spec, nodeName: name },
  };
}

/**
 * What the mirror of a pod shows of its version: the same as long as the manifest says the
 * same, whatever its UID: that may be fixed.
 */
export function mirrorHash({ metadata, spec }: Pod): string {
  const { namespace, name, uid, labels = {}, annotations = {} } = metadata;
  const { [ANNOTATION_CONFIG_SEEN]: _seen, ...lasting } = annotations;
  return fnv1a128Hex(
    stableJson({ namespace, name, uid, labels, annotations: lasting, spec }),
  );
}

function hashOf({ metadata }: Pick<Pod, "metadata">): string | undefined {
  return metadata.annotations?.[ANNOTATION_CONFIG_MIRROR];
}

function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
