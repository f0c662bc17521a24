/**
 * The pods that this agent ever started and has not cleared away.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import { podFullName } from "../api/vocabulary/mod.ts";
import { diskFiles } from "../host/files/mod.ts";
import type { PodDirectories } from "../volume/mod.ts";

/**
 * Pod directories, with their UIDs in memory: a directory is what makes a pod on
 * the runtime ours, and whoever asks every second must not read the disk.
 */
export class OwnedPods {
  readonly #directories: PodDirectories;
  readonly #uids: Set<string>;
  readonly #names: ReadonlyMap<string, string>;

  private constructor(
    directories: PodDirectories,
    found: {
      readonly uids: Iterable<string>;
      readonly names: ReadonlyMap<string, string>;
    },
  ) {
    this.#directories = directories;
    this.#uids = new Set(found.uids);
    this.#names = found.names;
  }

  /** Reads which pods have a directory, and what those of their logs tell of their names. */
  static async load(
    directories: PodDirectories,
    podLogsDir: string,
  ): Promise<OwnedPods> {
    const uids = new Set(await directories.list());
    const names = new Map<string, string>();
    const renamed = new Set<string>();
    for (const directory of await listed(podLogsDir)) {
      const found = readName(directory);
      if (found === undefined || !uids.has(found.uid)) continue;
      if (names.has(found.uid)) renamed.add(found.uid);
      names.set(found.uid, found.fullName);
    }
    // Which of its names it has the disk does not tell.
    for (const uid of renamed) names.delete(uid);
    return new OwnedPods(directories, { uids, names });
  }

  /** The UIDs of all of them. */
  get uids(): ReadonlySet<string> {
    return this.#uids;
  }

  /** The full name of a pod of an earlier agent, as far as its logs tell. */
  nameOf(uid: string): string | undefined {
    return this.#names.get(uid);
  }

  /** Whether the pod has a directory. */
  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Makes the pod's directory; from then on its sandboxes are ours. */
  async prepare(pod: Pod): Promise<void> {
    this.#uids.add(pod.metadata.uid);
    await this.#directories.prepare(pod);
  }

  /** Takes away the volumes of a pod that has ended; it stays ours. */
  endVolumes(uid: string): void {
    this.#directories.endVolumes(uid);
  }

  /**
   * Takes the directories of a pod away; with something to keep in it, the pod's own
   * stays and marks the pod as ours.
   *
   * @throws {Error} when one could not be taken away; the pod is ours still
   */
  discard(uid: string, options: { readonly keep?: string } = {}): void {
    this.#directories.discard(uid, options);
    if (options.keep === undefined) this.#uids.delete(uid);
  }

  /**
   * Takes the directories of a pod away that begins anew under its UID, and is ours all
   * the time.
   *
   * @throws {Error} when one could not be taken away
   */
  renew(uid: string): void {
    this.#directories.discard(uid);
  }
}

/** What cannot be read tells no names; whatever needs them does without. */
async function listed(directory: string): Promise<readonly string[]> {
  try {
    return await diskFiles.list(directory);
  } catch {
    return [];
  }
}

/** What the name of a log directory tells: namespace, name and UID. */
function readName(
  directory: string,
): { readonly uid: string; readonly fullName: string } | undefined {
  const [namespace, name, uid, ...more] = directory.split("_");
  const isWhole = namespace !== undefined && name !== undefined &&
    uid !== undefined && more.length === 0;
  if (!isWhole) return undefined;
  return { uid, fullName: podFullName({ metadata: { uid, name, namespace } }) };
}
