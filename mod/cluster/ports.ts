/**
 * What linking this node's pods with those of a cluster needs of an API server.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";

/** Exactly this pod. */
export interface ExactPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Pods of the node; every call throws `ApiFailure` when it does not get through. */
export interface PodClient {
  create(pod: MirrorPod, signal: AbortSignal): Promise<Pod>;
  /** Takes a pod away at once, if it is that very one. */
  remove(pod: ExactPod, signal: AbortSignal): Promise<void>;
}

/** A pod that only shows another one. */
export type MirrorPod = Pick<Pod, "apiVersion" | "kind" | "spec"> & {
  readonly metadata: Omit<Pod["metadata"], "uid">;
};
