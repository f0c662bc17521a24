/**
 * The directories that volumes are made of, such as that of an emptyDir, and listing them.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import type { Pod, Volume } from "../api/types/mod.ts";
import type { removeTree } from "../host/files/mod.ts";
import {
  fileErrorKind,
  setOwnership,
  unlessMissing,
} from "../host/paths/mod.ts";
import { VolumeFailure } from "./volume_setup.ts";

/** File operations that need more care than one call. */
export interface VolumeFiles {
  readonly removeTree: typeof removeTree;
}

// Everyone may write, whatever user the container runs as; upstream pkg/volume/emptydir.
const OPEN_MODE = 0o777;
// New files belong to the pod's group; upstream pkg/volume SetVolumeOwnership.
const GROUP_MODE = 0o2777;
const PARENT_MODE = 0o755;

/** Whether a directory, and no link to one, is there. */
export async function isDirectoryThere(path: string): Promise<boolean> {
  const found = await unlessMissing(Deno.lstat(path));
  if (found === undefined || found.isDirectory) return found !== undefined;
  throw new VolumeFailure(`"${path}" is not a directory`);
}

/**
 * Makes the directory of a volume, which must not be there yet, in one that is there.
 *
 * It appears under its name only with its final mode and content, so that a crash
 * leaves none that is half made; the half that one left is removed.
 *
 * @param options.fill Puts the first content into the directory at the given path.
 */
export async function makeVolumeDirectory(
  path: string,
  options: {
    /** The pod's (fsGroup), if it has one. */
    readonly group: number | undefined;
    readonly files: VolumeFiles;
    readonly fill?: (draft: string) => Promise<void>;
  },
): Promise<void> {
  const { group, files, fill } = options;
  // No volume's and no claim's name starts with a dot.
  const draft = `${dirname(path)}/.${basename(path)}`;
  await makeDraft(draft, files);
  await fill?.(draft);
  const mode = group === undefined ? OPEN_MODE : GROUP_MODE;
  await setOwnership(draft, { group, mode });
  await Deno.rename(draft, path);
}

async function makeDraft(draft: string, files: VolumeFiles): Promise<void> {
  const make = () => Deno.mkdir(draft, { mode: 0o700 });
  try {
    return await make();
  } catch (error) {
    if (fileErrorKind(error) !== "exists") throw error;
  }
  const leftover = await files.removeTree(draft);
  if (leftover.kind === "left") {
    throw new VolumeFailure(
      `"${leftover.mounts.join('", "')}" is mounted and in the way`,
    );
  }
  await make();
}

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
 * is. Its size limit is watched by the evictor.
 */
export async function ensureEmptyDir(
  path: string,
  pod: Pod,
  files: VolumeFiles,
): Promise<void> {
  if (await isDirectoryThere(path)) return;
  const group = pod.spec.securityContext?.fsGroup;
  await makeDirectoryAbove(path);
  await makeVolumeDirectory(path, { group, files });
}

/** Makes the directory in which a volume of a pod lies, unless it is there. */
export async function makeDirectoryAbove(path: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true, mode: PARENT_MODE });
}

/**
 * The size of a directory itself up to which its names are listed: they are wanted all
 * at once, and more than the million short ones that this is on ext4 would take hundreds
 * of megabytes.
 */
const MAX_LISTED_BYTES = 32 * 1024 * 1024;

/**
 * The names in a directory.
 *
 * @throws {VolumeFailure} when there are too many to be listed
 */
export async function listDirectory(path: string): Promise<string[]> {
  const { size } = await Deno.lstat(path);
  if (size > MAX_LISTED_BYTES) {
    throw new VolumeFailure(`"${path}" has too many entries to be listed`);
  }
  return await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
}

/** What is in a directory; nothing when it is not there. */
export async function entriesOf(
  path: string,
): Promise<readonly Deno.DirEntry[]> {
  return await unlessMissing(Array.fromAsync(Deno.readDir(path))) ?? [];
}
