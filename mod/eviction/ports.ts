/**
 * What eviction needs: figures on storage, and a way to end a pod.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";

/** Measures single things; all in bytes. */
export interface StorageMeters {
  /** The emptyDirs of a pod by volume name. */
  volumes(
    pod: Pod,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>;
  /** All below a directory on the same file system; 0 when it is not there. */
  directory(path: string, signal: AbortSignal): Promise<number>;
  /** The writable layers of all containers that the runtime knows of. */
  layers(signal: AbortSignal): Promise<readonly LayerUsage[]>;
}

/** The writable layer of one container. */
export interface LayerUsage {
  readonly podUid: string;
  readonly container: string;
  readonly usedBytes: number;
}

/** The pods that may be looked at, and the way to end one. */
export interface EvictablePods {
  /** Those that are to run; not those that end. */
  running(): readonly Pod[];
  /** Ends a pod for good; `false` when it ends already. */
  evict(
    uid: string,
    eviction: { readonly reason: string; readonly message: string },
    options: { readonly graceSeconds: number },
  ): boolean;
}
