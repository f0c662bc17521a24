/**
 * What the volumes of pods ask of the file system beyond single calls.
 *
 * @module
 */

import type { Removal } from "../host/mod.ts";

/** File operations that need more care than one call. */
export interface VolumeFiles {
  /**
   * Removes a directory and all below it. Follows no link and enters no mount; a
   * directory that is not there counts as removed.
   *
   * @param options.left the mounts that an earlier call left; while they are all there
   * nothing is written
   */
  removeTree(
    path: string,
    options?: {
      readonly left?: readonly string[];
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<Removal>;
}
