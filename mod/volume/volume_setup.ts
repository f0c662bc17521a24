/**
 * What became of the volumes of a pod.
 *
 * @module
 */

import type { VolumeSource } from "../pod/inputs/mod.ts";
import {
  type Missing,
  missingText,
  type StartFailure,
  type VolumeFault,
} from "../pod/lifecycle/mod.ts";

/** A warning for the pod's owner about a volume that is ready. */
export interface VolumeWarning {
  /** The reason of the event. */
  readonly reason: "FailedMount" | "AlreadyMountedVolume";
  readonly message: string;
}

/** A volume that is not ready, and what an event says of it. */
export interface UnreadyVolume extends VolumeFault {
  readonly message: string;
}

/** The failure of a pod, or of one of its containers, that waits for these volumes. */
export function mountFailure(
  volumes: Iterable<UnreadyVolume>,
): StartFailure & { readonly reason: "FailedMount" } {
  const all = [...volumes];
  return {
    reason: "FailedMount",
    message: all.map(({ message }) => message).join("; "),
    cause: { kind: "volumes", volumes: all },
  };
}

/** All volumes of a pod, or why some of them are not ready. */
export type VolumeSetup =
  | {
    readonly kind: "ok";
    /** By volume name. */
    readonly sources: ReadonlyMap<string, VolumeSource>;
    /** Volumes that could not be brought up to date and are mounted as they are. */
    readonly warnings?: readonly VolumeWarning[];
  }
  | {
    readonly kind: "failed";
    /** By volume name. */
    readonly failures: ReadonlyMap<string, UnreadyVolume>;
    /** The volumes that are ready. */
    readonly sources: ReadonlyMap<string, VolumeSource>;
    readonly warnings?: readonly VolumeWarning[];
  };

/**
 * What was found wrong with one volume; its message is the part behind
 * `Cannot set up volume "x": `.
 */
export class VolumeFailure extends Error {
  override readonly name = "VolumeFailure";
  /** The object that is missing, where that is what was found. */
  readonly missing: Missing | undefined;

  constructor(found: string | Missing) {
    super(typeof found === "string" ? found : missingText(found));
    this.missing = typeof found === "string" ? undefined : found;
  }
}
