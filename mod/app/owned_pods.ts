/**
 * The pods that this agent ever started and has not cleared away.
 *
 * @module
 */

import { type Pod, podFullName } from "../api/mod.ts";
import { diskFiles } from "../runtime/mod.ts";
import type { Materialisation, PodVolumes } from "../volume/mod.ts";

/**
 * Pod directories, with their UIDs in memory: a directory is what makes a pod on
 * the runtime ours, and whoever asks every second must not read the disk.
 */
export class OwnedPods {
  readonly #volumes: PodVolumes;
  readonly #uids: Set<string>;
  readonly #names: ReadonlyMap<string, string>;

  private constructor(
    volumes: PodVolumes,
    found: {
      readonly uids: Iterable<string>;
      readonly names: ReadonlyMap<string, string>;
    },
  ) {
    this.#volumes = volumes;
    this.#uids = new Set(found.uids);
    this.#names = found.names;
  }

  /** Reads which pods have a directory, and what those of their logs tell of their names. */
  static async load(
    volumes: PodVolumes,
    podLogsDir: string,
  ): Promise<OwnedPods> {
    const uids = new Set(await volumes.list());
    const names = new Map<string, string>();
    for (const directory of await listed(podLogsDir)) {
      const found = readName(directory);
      if (found !== undefined && uids.has(found.uid)) {
        names.set(found.uid, found.fullName);
      }
    }
    return new OwnedPods(volumes, { uids, names });
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
    await this.#volumes.prepare(pod);
  }

  /** Makes every volume ready that the pod mounts. */
  async materialise(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Materialisation> {
    return await this.#volumes.materialise(pod, options);
  }

  /** Brings the content of the volumes of a running pod up to date. */
  async refresh(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Materialisation> {
    return await this.#volumes.refresh(pod, options);
  }

  /**
   * Removes the pod's directory, as far as nothing is mounted in it. With something
   * to keep in it, the directory stays and marks the pod as ours.
   */
  async remove(
    uid: string,
    options: { readonly keep?: string } = {},
  ): Promise<Awaited<ReturnType<PodVolumes["remove"]>>> {
    const removal = await this.#volumes.remove(uid, options);
    const isGone = removal.kind === "removed" && options.keep === undefined;
    if (isGone) this.#uids.delete(uid);
    return removal;
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
