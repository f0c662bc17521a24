/**
 * On which disk what of pods lies.
 *
 * @module
 */

import type { ImageFileSystems } from "../cri/model/mod.ts";

/** Where what pods store lies. */
export interface DiskLayout {
  /** Whether images lie on another file system than volumes and logs. */
  readonly hasOwnImageFs: boolean;
  /** Where writable layers lie: with volumes and logs, with images, or on one of their own. */
  readonly layersOn: "nodefs" | "imagefs" | "containerfs";
}

/**
 * The layout that a runtime tells (kubelet: UpdateContainerFsThresholds): where it keeps
 * layers apart from images they lie with volumes and logs, unless they are shown to have
 * a disk of their own.
 *
 * @param info `undefined` when the runtime did not tell: then layers lie with images
 */
export function diskLayout(
  info: ImageFileSystems | undefined,
  disks: {
    readonly hasOwnImageFs: boolean;
    readonly hasOwnContainerFs: boolean;
  },
): DiskLayout {
  const { hasOwnImageFs, hasOwnContainerFs } = disks;
  const { images = [], layers = [] } = info ?? {};
  const isSplit = layers.length > 0 &&
    !layers.some((each) =>
      images.some(({ mountpoint }) => mountpoint === each.mountpoint)
    );
  if (isSplit) {
    const layersOn = hasOwnContainerFs ? "containerfs" : "nodefs";
    return { hasOwnImageFs, layersOn };
  }
  return { hasOwnImageFs, layersOn: hasOwnImageFs ? "imagefs" : "nodefs" };
}
