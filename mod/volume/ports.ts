/**
 * What the volumes of pods ask of the rest of the agent, and of the file system beyond
 * single calls.
 *
 * @module
 */

import type { ObjectGetter, ObjectId } from "../api/objects/mod.ts";
import type { Removal } from "../host/files/mod.ts";

/** The objects that volumes name. */
export interface SourcedObjects extends ObjectGetter {
  /**
   * Whether what is found under a name, or that nothing is, will be so when all sources
   * have spoken. What is not certain changes nothing that is mounted.
   *
   * @default always
   */
  isCertain?(id: ObjectId): boolean;
}

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
