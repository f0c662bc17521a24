/**
 * The pods that this agent ever started and has not cleared away.
 *
 * @module
 */

import type { Pod } from "../api/mod.ts";
import type { Materialisation, PodVolumes } from "../volume/mod.ts";

/**
 * Pod directories, with their UIDs in memory: a directory is what makes a pod on
 * the runtime ours, and whoever asks every second must not read the disk.
 */
export class OwnedPods {
  readonly #volumes: PodVolumes;
  readonly #uids: Set<string>;

  private constructor(volumes: PodVolumes, uids: Iterable<string>) {
    this.#volumes = volumes;
    this.#uids = new Set(uids);
  }

  /** Reads which pods have a directory. */
  static async load(volumes: PodVolumes): Promise<OwnedPods> {
    return new OwnedPods(volumes, await volumes.list());
  }

  /** The UIDs of all of them. */
  get uids(): ReadonlySet<string> {
    return this.#uids;
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
