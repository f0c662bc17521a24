/**
 * Identities of pods and containers as texts, and their safe shapes.
 *
 * @module
 */

import type { Pod, PodRef } from "../types/mod.ts";

/** What a manifest may give as `metadata.uid`: it becomes part of paths on the node. */
const UID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/**
 * Says whether a UID is safe to be part of a path: 1 to 64 letters, digits and `-`,
 * the first one not `-`. The API server does not check it, and the kubelet joins
 * it into paths.
 */
export function isPodUid(uid: string): boolean {
  return UID_SHAPE.test(uid);
}

/** Reduces a pod to what names it. */
export function podRef(pod: Pick<Pod, "metadata">): PodRef {
  const { name, namespace, uid } = pod.metadata;
  return { name, namespace, uid };
}

/** `namespace/name`, the key of a pod in stores and messages. */
export function podKey(pod: Pick<PodRef, "name" | "namespace">): string {
  return `${pod.namespace}/${pod.name}`;
}

/** A container id as pod status shows it: `containerd://4f2a…`. */
export function formatContainerId(runtimeName: string, id: string): string {
  return `${runtimeName}://${id}`;
}

/** The runtime's own id in a container id of pod status; `undefined` when the text is none. */
export function parseContainerId(
  text: string,
): { readonly runtimeName: string; readonly id: string } | undefined {
  const at = text.indexOf("://");
  if (at <= 0 || at + 3 === text.length) return undefined;
  return { runtimeName: text.slice(0, at), id: text.slice(at + 3) };
}
