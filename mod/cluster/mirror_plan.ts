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
import type { ExactPod, MirrorPod } from "./ports.ts";

/** What is to be done so that the cluster shows what there is. */
export interface MirrorPlan {
  /** First: of another version, or of a pod that is no more. */
  readonly remove: readonly ExactPod[];
  /** Those whose name is free. */
  readonly create: readonly MissingMirror[];
}

/** A mirror that is to be made. */
export interface MissingMirror {
  readonly mirror: MirrorPod;
  /** What it shows. */
  readonly pod: Pod;
  /** Another one for another version of the pod. */
  readonly hash: string;
}

/**
 * Compares the pods of manifests with their mirrors.
 *
 * @param shown all pods that the cluster has for this node
 */
export function mirrorPlan(
  wanted: readonly Pod[],
  shown: readonly Pod[],
  node: Pick<Node, "metadata">,
): MirrorPlan {
  const taken = new Set(shown.map(podFullName));
  const hashes = new Map(
    wanted.map((pod) => [podFullName(pod), mirrorHash(pod)]),
  );
  const remove = shown.filter((pod) =>
    hashOf(pod) !== undefined &&
    (pod.metadata.deletionTimestamp !== undefined ||
      hashOf(pod) !== hashes.get(podFullName(pod)))
  ).map(({ metadata: { namespace, name, uid } }) => ({ namespace, name, uid }));
  // A name that a pod of the cluster has is not free: that is told as a clash of names.
  const create = wanted.filter((pod) => !taken.has(podFullName(pod)))
    .map((pod) => {
      const hash = mirrorHash(pod);
      return { pod, hash, mirror: mirrorOf(pod, node, hash) };
    });
  return { remove, create };
}

/**
 * The mirror that shows how a pod is; absent if what has its name is none, or is to go. Of
 * which version it is does not matter: it shows the pod until it is replaced.
 */
export function mirrorShowing(named: Pod | undefined): Pod | undefined {
  const isMirror = named !== undefined && hashOf(named) !== undefined &&
    named.metadata.deletionTimestamp === undefined;
  return isMirror ? named : undefined;
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
