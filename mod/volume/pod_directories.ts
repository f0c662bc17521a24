/**
 * The directories of pods, on disk and in memory.
 *
 * @module
 */

import { isPodUid } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { describeError } from "../base/text/mod.ts";
import { Semaphore } from "../base/mod.ts";
import type { Garbage } from "../collect/mod.ts";
import { REMOVING_PREFIX } from "../host/files/mod.ts";
import { fileErrorKind } from "../host/paths/mod.ts";
import { entriesOf, type VolumeFiles } from "./volume_directory.ts";

/** Where the directories of pods lie. */
export interface DirectoryOptions {
  /** The agent's root directory; `pods/<uid>` and `claims` lie below it. */
  readonly rootDir: string;
  /**
   * A directory that does not outlive the machine's uptime, for what must not touch
   * the disk: secrets and emptyDirs in memory. It should be a tmpfs.
   */
  readonly runDir: string;
}

/** What removing directories needs. */
export interface DirectoryDeps {
  readonly files: VolumeFiles;
  /** Removes what was renamed. */
  readonly collector: { add(garbage: Garbage): void };
}

// Upstream: pkg/kubelet/kubelet.go makePodDataDirs.
/** The mode of a pod's directory. */
export const POD_DIRECTORY_MODE = 0o750;

/** What of a pod's directory lives no longer than its containers: volumes, and which claims it uses. */
const VOLUME_DIRECTORIES = ["volumes", "plugins"];

/** Trees that are removed at the same time; containers use the disk, too. */
const PARALLEL_REMOVALS = 2;

/**
 * Makes the directories of pods, and takes them away with one rename each: what then
 * takes long is left to the collector, in memory bounded and begun anew by the next
 * agent.
 *
 * Holds nothing of pods in memory: what is on disk is what there is.
 */
export class PodDirectories {
  readonly #options: DirectoryOptions;
  readonly #deps: DirectoryDeps;
  readonly #places = new Semaphore(PARALLEL_REMOVALS);

  constructor(options: DirectoryOptions, deps: DirectoryDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * The directory of one pod.
   *
   * @throws {RangeError} when the UID is not fit to be part of a path
   */
  onDisk(uid: string): string {
    return `${this.#disk}/${checked(uid)}`;
  }

  /**
   * The directory for what of one pod must not touch the disk.
   *
   * @throws {RangeError} when the UID is not fit to be part of a path
   */
  inMemory(uid: string): string {
    return `${this.#memory}/${checked(uid)}`;
  }

  /**
   * Makes the pod's directory unless it is there. It marks the pod as managed, so
   * this comes before anything of the pod is made in the runtime.
   */
  async prepare(pod: Pod): Promise<void> {
    const directory = this.onDisk(pod.metadata.uid);
    await Deno.mkdir(directory, { mode: POD_DIRECTORY_MODE, recursive: true });
  }

  /** The same for a pod that is thought to have none. @returns whether it had none */
  async prepareNew(pod: Pod): Promise<boolean> {
    try {
      const directory = this.onDisk(pod.metadata.uid);
      await Deno.mkdir(directory, { mode: POD_DIRECTORY_MODE });
      return true;
    } catch {
      // It is there after all, or the directory above it is not.
      await this.prepare(pod);
      return false;
    }
  }

  /**
   * Takes the volumes of a pod away whose containers have ended, and its use of claims;
   * the rest of its directory stays. (kubelet: SyncTerminatedPod)
   *
   * @throws {Error} when one could not be taken away; the others are
   */
  endVolumes(uid: string): void {
    const directory = this.onDisk(uid);
    const onDisk = VOLUME_DIRECTORIES.map((name) => `${directory}/${name}`);
    this.#takeAway(uid, onDisk);
  }

  /**
   * Takes the pod's directories away, as if it had never been.
   *
   * @param options.keep a name in the pod's directory that stays, and with it the
   * directory, so that a crash finds it at every moment
   * @throws {Error} when one could not be taken away; the others are
   */
  discard(uid: string, options: { readonly keep?: string } = {}): void {
    const directory = this.onDisk(uid);
    const onDisk = options.keep === undefined
      ? [directory]
      : namesIn(directory).filter((name) => name !== options.keep)
        .map((name) => `${directory}/${name}`);
    this.#takeAway(uid, onDisk);
  }

  /** The UIDs of all pods that have a directory of any kind, in no order. */
  async list(): Promise<readonly string[]> {
    const uids = new Set<string>();
    for (const parent of [this.#disk, this.#memory]) {
      for (const { name, isDirectory } of await entriesOf(parent)) {
        if (isDirectory && isPodUid(name)) uids.add(name);
      }
    }
    return [...uids];
  }

  /** Hands over what an earlier agent took away and did not finish removing. */
  async collectTrash(): Promise<void> {
    for (const parent of [this.#disk, this.#memory]) {
      for (const path of await trashIn(parent)) this.#collect(path);
    }
  }

  get #disk(): string {
    return `${this.#options.rootDir}/pods`;
  }

  get #memory(): string {
    return `${this.#options.runDir}/pods`;
  }

  /** Renames what lies on disk at these paths, and all that the pod has in memory. */
  #takeAway(uid: string, onDisk: readonly string[]): void {
    const moves: readonly (readonly [directory: string, path: string])[] = [
      [this.#memory, this.inMemory(uid)],
      ...onDisk.map((path) => [this.#disk, path] as const),
    ];
    const failures: unknown[] = [];
    for (const [directory, path] of moves) {
      try {
        const trash = moveToTrash(path, { directory, uid });
        if (trash !== undefined) this.#collect(trash);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 0) return;
    const why = failures.map(describeError).join("; ");
    const message = `Cannot take away the directories of pod "${uid}": ${why}`;
    throw new AggregateError(failures, message);
  }

  /** What lies behind a mount is not touched. */
  #collect(path: string): void {
    let left: readonly string[] = [];
    const remove = async (signal: AbortSignal): Promise<void> => {
      using _place = await this.#places.acquire(signal);
      const { files } = this.#deps;
      const removal = await files.removeTree(path, { left, signal });
      if (removal.kind === "removed") return;
      left = removal.mounts;
      throw new Error(
        `Cannot remove the directory "${path}": something is still mounted at "${
          left.join('", "')
        }"; unmount it`,
      );
    };
    const what = `the directory "${path}"`;
    this.#deps.collector.add({ key: `trash/${path}`, what, remove });
  }
}

function namesIn(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => name);
  } catch (error) {
    if (fileErrorKind(error) === "missing") return [];
    throw error;
  }
}

function checked(uid: string): string {
  if (isPodUid(uid)) return uid;
  throw new RangeError(
    `Cannot name the directory of pod "${uid}": wanted a UID of letters, digits and "-"`,
  );
}

/** How the name of such a directory begins; no pod's UID has a dot. */
const TRASH_PREFIX = ".skerry-trash-";

/** More than a pod ever leaves at the same time. */
const MAX_TRIES = 1_000;

/**
 * Renames what lies at `path` into `directory`, where it is trash.
 *
 * Not asynchronous, so that nothing comes between it and the question whether the pod
 * is gone.
 *
 * @returns its path now; `undefined` when there was nothing
 * @throws {Error} when it cannot be renamed: it is a mount point, or the disk is read-only
 */
function moveToTrash(
  path: string,
  options: { readonly directory: string; readonly uid: string },
): string | undefined {
  const { directory, uid } = options;
  for (let number = 1;; number++) {
    const trash = `${directory}/${TRASH_PREFIX}${uid}.${number}`;
    try {
      Deno.renameSync(path, trash);
      return trash;
    } catch (error) {
      const kind = fileErrorKind(error);
      if (kind === "missing") return undefined;
      const isTaken = kind === "exists" || kind === "wrong_type";
      if (!isTaken || number === MAX_TRIES) throw error;
    }
  }
}

/** What an earlier agent left in a directory of pods' directories. */
async function trashIn(directory: string): Promise<readonly string[]> {
  const names = (await entriesOf(directory)).map(({ name }) => name);
  return names.filter((name) =>
    name.startsWith(TRASH_PREFIX) || name.startsWith(REMOVING_PREFIX)
  ).map((name) => `${directory}/${name}`);
}
