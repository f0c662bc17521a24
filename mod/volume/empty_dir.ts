/**
 * emptyDir volumes: a directory that lives as long as its pod.
 *
 * @module
 */

import type { Pod, Volume } from "../api/types/mod.ts";
import type { VolumeFiles } from "./ports.ts";
import {
  GROUP_MODE,
  isDirectoryThere,
  makeVolumeDirectory,
  OPEN_MODE,
} from "./volume_directory.ts";
import { VolumeFailure } from "./volume_failure.ts";

type EmptyDir = NonNullable<Volume["emptyDir"]>;

/**
 * Whether an emptyDir lies in memory.
 *
 * @throws {VolumeFailure} when its medium is not supported
 */
export function isInMemory(emptyDir: EmptyDir): boolean {
  const { medium = "" } = emptyDir;
  if (medium === "" || medium === "Memory") return medium === "Memory";
  throw new VolumeFailure(
    medium.startsWith("HugePages")
      ? `an emptyDir with medium "${medium}" needs a file system of its own to be mounted, which skerry cannot do`
      : `an emptyDir with medium "${medium}" is not supported, wanted "" or "Memory"`,
  );
}

/**
 * Makes an emptyDir unless it is there; one that a container changed stays as it
 * is. Its size limit is watched by whoever reads its usage.
 *
 * @param path in a directory that is there
 */
export async function ensureEmptyDir(
  path: string,
  pod: Pod,
  files: VolumeFiles,
): Promise<void> {
  if (await isDirectoryThere(path)) return;
  const group = pod.spec.securityContext?.fsGroup;
  const mode = group === undefined ? OPEN_MODE : GROUP_MODE;
  await makeVolumeDirectory(path, { mode, group, files });
}
