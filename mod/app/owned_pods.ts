/**
 * The pods that this agent ever started and has not cleared away.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import { podFullName } from "../api/vocabulary/mod.ts";
import { diskFiles, type PodRecords } from "../host/files/mod.ts";
import type { PodDirectories } from "../volume/mod.ts";

/** What {@linkcode OwnedPods} is built on. */
export interface OwnedPodsDeps {
  readonly directories: PodDirectories;
  /** That of a pod whose directory is new is not read. */
  readonly podRecords: Pick<PodRecords, "begin">;
}

/**
 * Pod directories, with their UIDs in memory: a pod on the runtime is
 * managed when it has a directory, and that is asked too often to read the disk.
 */
export class OwnedPods {
  readonly #directories: PodDirectories;
  readonly #records: Pick<PodRecords, "begin">;
  readonly #uids: Set<string>;
  readonly #names: ReadonlyMap<string, string>;

  private constructor(
    { directories, podRecords }: OwnedPodsDeps,
    found: {
      readonly uids: Iterable<string>;
      readonly names: ReadonlyMap<string, string>;
    },
  ) {
    this.#directories = directories;
    this.#records = podRecords;
    this.#uids = new Set(found.uids);
    this.#names = found.names;
  }

  /** Reads which pods have a directory, and their names from the directories of their logs. */
  static async load(
    deps: OwnedPodsDeps,
    podLogsDir: string,
  ): Promise<OwnedPods> {
    const { directories } = deps;
    const uids = new Set(await directories.list());
    const names = new Map<string, string>();
    const renamed = new Set<string>();
    for (const directory of await listed(podLogsDir)) {
      const found = readName(directory);
      if (found === undefined || !uids.has(found.uid)) continue;
      if (names.has(found.uid)) renamed.add(found.uid);
      names.set(found.uid, found.fullName);
    }
    // With two names, the disk does not show which one counts.
    for (const uid of renamed) names.delete(uid);
    return new OwnedPods(deps, { uids, names });
  }

  /** The UIDs of all of them. */
  get uids(): ReadonlySet<string> {
    return this.#uids;
  }

  /** The full name of a pod of an earlier agent, if its logs show it. */
  nameOf(uid: string): string | undefined {
    return this.#names.get(uid);
  }

  /** Whether the pod has a directory. */
  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Makes the pod's directory; from then on its sandboxes are managed. */
  async prepare(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    if (this.#uids.has(uid)) return await this.#directories.prepare(pod);
    this.#uids.add(uid);
    const make = () => this.#directories.prepareNew(pod);
    await this.#records.begin(uid, make);
  }

  /** Removes the volumes of a pod that has ended; the pod stays managed. */
  endVolumes(uid: string): void {
    this.#directories.endVolumes(uid);
  }

  /**
   * Removes the directories of a pod; with something to keep in it, the pod's own stays,
   * and the pod stays managed.
   *
   * @throws {Error} when one could not be removed; the pod stays managed
   */
  discard(uid: string, options: { readonly keep?: string } = {}): void {
    this.#directories.discard(uid, options);
    if (options.keep === undefined) this.#uids.delete(uid);
  }

  /**
   * Removes the directories of a pod that begins anew under its UID, and stays managed.
   *
   * @throws {Error} when one could not be removed
   */
  renew(uid: string): void {
    this.#directories.discard(uid);
  }
}

/** The names are a help, so a folder that cannot be read has none. */
async function listed(directory: string): Promise<readonly string[]> {
  try {
    return await diskFiles.list(directory);
  } catch {
    return [];
  }
}

/** Reads namespace, name and UID from the name of a log directory. */
function readName(
  directory: string,
): { readonly uid: string; readonly fullName: string } | undefined {
  const [namespace, name, uid, ...more] = directory.split("_");
  const isWhole = namespace !== undefined && name !== undefined &&
    uid !== undefined && more.length === 0;
  if (!isWhole) return undefined;
  return { uid, fullName: podFullName({ metadata: { uid, name, namespace } }) };
}
