/**
 * emptyDir volumes: a directory that lives as long as its pod.
 *
 * @module
 */

import type { Pod, Volume } from "../api/mod.ts";
import { fileErrorKind } from "../host/mod.ts";
import { VolumeFailure } from "./volume_failure.ts";

type EmptyDir = NonNullable<Volume["emptyDir"]>;

/** The directory of all emptyDirs of a pod, below its `volumes` directory. */
export const EMPTY_DIR_PLUGIN = "kubernetes.io~empty-dir";

// Everyone may write, whoever the container runs as; upstream pkg/volume/emptydir.
const OPEN_MODE = 0o777;
// New files belong to the pod's group; upstream pkg/volume SetVolumeOwnership.
const GROUP_MODE = 0o2777;
const PARENT_MODE = 0o755;

/**
 * Makes an emptyDir on disk unless it is there, and answers its path.
 *
 * It appears under its name only with its final mode, so that a crash leaves none
 * that is half made, and one that a container changed stays as it is.
 *
 * @param parent the directory of the pod's emptyDirs; made when missing
 * @throws {VolumeFailure} when the medium is not supported
 */
export async function emptyDirSource(
  parent: string,
  volume: { readonly name: string; readonly emptyDir: EmptyDir },
  pod: Pod,
): Promise<string> {
  const { medium = "" } = volume.emptyDir;
  if (medium !== "") {
    throw new VolumeFailure(
      `an emptyDir with medium "${medium}" is not supported yet`,
    );
  }
  const path = `${parent}/${volume.name}`;
  if (await isDirectory(path)) return path;
  // No volume's name starts with a dot.
  const draft = `${parent}/.${volume.name}`;
  await Deno.mkdir(draft, { recursive: true, mode: PARENT_MODE });
  const group = pod.spec.securityContext?.fsGroup;
  if (group !== undefined) await Deno.chown(draft, null, group);
  // After the change of owner, which clears the set-group-id bit.
  await Deno.chmod(draft, group === undefined ? OPEN_MODE : GROUP_MODE);
  await Deno.rename(draft, path);
  return path;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    const found = await Deno.lstat(path);
    if (found.isDirectory) return true;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return false;
    throw error;
  }
  throw new VolumeFailure(`"${path}" is not a directory`);
}
