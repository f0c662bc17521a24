/**
 * What became of the volumes of a pod.
 *
 * @module
 */

import type { VolumeSource } from "../pod/inputs/mod.ts";

/** Something about a volume that is ready, which the pod's owner should hear. */
export interface VolumeWarning {
  /** The reason of the event. */
  readonly reason: "FailedMount" | "AlreadyMountedVolume";
  readonly message: string;
}

/** All volumes of a pod, or why some of them are not ready. */
export type Materialisation =
  | {
    readonly kind: "ok";
    /** By volume name. */
    readonly sources: ReadonlyMap<string, VolumeSource>;
    /** Volumes that could not be brought up to date and are mounted as they are. */
    readonly warnings?: readonly VolumeWarning[];
  }
  | {
    readonly kind: "failed";
    /** For the FailedMount event: every volume that failed and why. */
    readonly message: string;
    /** The same by volume name. */
    readonly failures: ReadonlyMap<string, string>;
    /** The volumes that are ready. */
    readonly sources: ReadonlyMap<string, VolumeSource>;
    readonly warnings?: readonly VolumeWarning[];
  };
