/**
 * Keeping the files of a volume equal to what they should hold.
 *
 * @module
 */

import { dirname } from "node:path";
import { REMOVING_PREFIX } from "../host/files/mod.ts";
import {
  createFile,
  fileErrorKind,
  hasContent,
  setOwnership,
  unlessMissing,
} from "../host/paths/mod.ts";
import {
  directoriesAbove,
  DRAFT_PREFIX,
  parentOf,
  type Payload,
  type PayloadFile,
} from "./payload_path.ts";
import {
  isDirectoryThere,
  makeDirectoryAbove,
  makeVolumeDirectory,
  type VolumeFiles,
} from "./volume_directory.ts";
import { VolumeFailure } from "./volume_setup.ts";

/** Where a payload goes. */
export interface PayloadPlace {
  /** The volume's directory. */
  readonly path: string;
  /** The group that may read it (fsGroup). */
  readonly group: number | undefined;
  /** Directories that must be there for the mounts of other volumes. */
  readonly nested: readonly string[];
}

// Upstream: atomic_writer.go makes them open, less the umask of 022.
const DIRECTORY_MODE = 0o755;
// Upstream: pkg/volume SetVolumeOwnership for volumes that are read-only.
const GROUP_READS = 0o440;
const GROUP_ENTERS = 0o2550;

/**
 * Brings a volume to the state of `payload` and says whether anything was to do.
 *
 * A new volume appears whole or not at all. In one that is there only files of
 * another content are written: all of them beside their places first, then they
 * are renamed one after another, and then what is no longer wanted goes. So every
 * file is old or new, while a reader between two renames sees some of each. (The
 * kubelet exchanges one link for all; Deno's sandbox allows no link.) No link is
 * followed: it is replaced. Drafts that a crash left go too, and
 * empty directories stay, since a container may have mounted one.
 *
 * @throws {VolumeFailure} when something mounted is in the way
 */
export async function writePayload(
  payload: Payload,
  place: PayloadPlace,
  files: VolumeFiles,
): Promise<boolean> {
  const wanted = wantedOf(payload, place);
  if (!await isDirectoryThere(place.path)) {
    await makeDirectoryAbove(place.path);
    await makeVolumeDirectory(place.path, {
      group: place.group,
      files,
      fill: (draft) => writeFirst(wanted, draft),
    });
    return true;
  }
  const root = place.path;
  const survey = await surveyVolume(root, wanted);
  const changed = await changedFiles(root, payload, survey.files);
  const isDone = changed.length === 0 && survey.stale.length === 0 &&
    survey.obstacles.length === 0 &&
    [...wanted.directories].every((each) => survey.directories.has(each));
  if (isDone) return false;
  await removeAll(survey.obstacles, { root, files });
  await write(wanted, { root, changed });
  await removeAll(survey.stale, { root, files });
  return true;
}

interface WantedPayload {
  readonly payload: Payload;
  readonly group: number | undefined;
  /** Relative; each comes after the one that it lies in. */
  readonly directories: ReadonlySet<string>;
}

/** What a volume holds beside the files that it should. */
interface Survey {
  /** Directories that are wanted and there. */
  readonly directories: Set<string>;
  /** Files that are wanted and there, whatever they hold. */
  readonly files: Set<string>;
  /** What stands where something of another type is wanted. */
  readonly obstacles: string[];
  readonly stale: string[];
}

function wantedOf(payload: Payload, place: PayloadPlace): WantedPayload {
  const nested = nestedBesideFiles(payload, place.nested);
  const directories = new Set([
    ...directoriesAbove(payload.keys()),
    ...directoriesAbove(nested),
    ...nested,
  ]);
  return { payload, group: place.group, directories };
}

/** A file is as good a mount point, for a file. */
function nestedBesideFiles(
  payload: Payload,
  nested: readonly string[],
): readonly string[] {
  const covered = new Set<string>();
  const isCovered = (path: string): boolean =>
    payload.has(path) || covered.has(parentOf(path) ?? "");
  for (const directory of directoriesAbove(nested)) {
    if (isCovered(directory)) covered.add(directory);
  }
  return nested.filter((path) => !isCovered(path));
}

async function surveyVolume(
  root: string,
  wanted: WantedPayload,
): Promise<Survey> {
  const survey: Survey = {
    directories: new Set(),
    files: new Set(),
    obstacles: [],
    stale: [],
  };
  const pending = [""];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for await (const entry of Deno.readDir(`${root}/${at}`)) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (wanted.payload.has(path)) {
        // Anything but a directory gives way to a rename.
        if (entry.isDirectory) survey.obstacles.push(path);
        else if (entry.isFile) survey.files.add(path);
      } else if (!wanted.directories.has(path)) {
        if (await isStale(`${root}/${path}`, entry)) survey.stale.push(path);
      } else if (entry.isDirectory) {
        survey.directories.add(path);
        pending.push(path);
      } else {
        survey.obstacles.push(path);
      }
    }
  }
  return survey;
}

/** An empty directory may be the place of a mount, and does no harm. */
async function isStale(path: string, entry: Deno.DirEntry): Promise<boolean> {
  if (!entry.isDirectory || entry.name.startsWith(REMOVING_PREFIX)) return true;
  for await (const _ of Deno.readDir(path)) return true;
  return false;
}

async function changedFiles(
  root: string,
  payload: Payload,
  files: ReadonlySet<string>,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, { content }] of payload) {
    // As upstream, a mode that alone is another is no reason to write.
    const isThere = files.has(path) &&
      await hasContent(`${root}/${path}`, content);
    if (!isThere) changed.push(path);
  }
  return changed;
}

async function removeAll(
  paths: readonly string[],
  context: { readonly root: string; readonly files: VolumeFiles },
): Promise<void> {
  for (const path of paths) {
    const removal = await context.files.removeTree(`${context.root}/${path}`);
    if (removal.kind === "removed") continue;
    throw new VolumeFailure(
      `"${path}" cannot be removed: "${
        removal.mounts.join('", "')
      }" is mounted`,
    );
  }
}

/** Fills a directory that is new, and that nobody reads before it has its name. */
async function writeFirst(wanted: WantedPayload, root: string): Promise<void> {
  const { directories, group, payload } = wanted;
  for (const path of directories) await makeDirectory(`${root}/${path}`, group);
  for (const [path, file] of payload) {
    await createFile(`${root}/${path}`, file.content, ownershipOf(file, group));
  }
}

function ownershipOf({ mode }: PayloadFile, group: number | undefined) {
  return { group, mode: group === undefined ? mode : mode | GROUP_READS };
}

async function write(
  wanted: WantedPayload,
  options: { readonly root: string; readonly changed: readonly string[] },
): Promise<void> {
  const { root, changed } = options;
  const { group } = wanted;
  for (const path of wanted.directories) {
    await makeDirectory(`${root}/${path}`, group);
  }
  const drafts: { readonly at: string; readonly path: string }[] = [];
  try {
    for (const path of changed) {
      const file = wanted.payload.get(path);
      if (file === undefined) continue;
      const at = `${
        dirname(`${root}/${path}`)
      }/${DRAFT_PREFIX}${drafts.length}`;
      await unlessMissing(Deno.remove(at));
      drafts.push({ at, path: `${root}/${path}` });
      await createFile(at, file.content, ownershipOf(file, group));
    }
    for (let draft = drafts.shift(); draft; draft = drafts.shift()) {
      const { at, path } = draft;
      try {
        await Deno.rename(at, path);
      } catch (error) {
        await unlessMissing(Deno.remove(at));
        throw error;
      }
    }
  } finally {
    // Only after a failure are there any; the files in their places are untouched.
    for (const { at } of drafts) await unlessMissing(Deno.remove(at));
  }
}

async function makeDirectory(
  path: string,
  group: number | undefined,
): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: DIRECTORY_MODE });
  } catch (error) {
    if (fileErrorKind(error) === "exists") return;
    throw error;
  }
  const mode = group === undefined
    ? DIRECTORY_MODE
    : DIRECTORY_MODE | GROUP_ENTERS;
  await setOwnership(path, { group, mode });
}
