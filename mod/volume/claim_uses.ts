/**
 * Which pods use which claims, on disk.
 *
 * @module
 */

import { isPodUid, type ObjectRef } from "../api/objects/mod.ts";
import { unlessMissing } from "../host/paths/mod.ts";
import { isDirectoryThere, listDirectory } from "./volume_directory.ts";
import { VolumeFailure } from "./volume_setup.ts";

const PARENT_MODE = 0o750;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const CLAIM_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;
/** In a use: the claim is as the pod wants it. */
const READY = "ready";

/**
 * Notes of the claims of one realm that pods use.
 *
 * A pod uses a claim from its first try to mount it until the pod's own directory
 * is removed.
 */
export class ClaimUses {
  readonly #rootDir: string;
  /** Below the directory of a pod. */
  readonly #plugin: string;
  /** The last task of each claim; they come one after another. */
  readonly #busy = new Map<string, Promise<void>>();

  /** @param plugin names the directory of the notes below that of a pod */
  constructor({ rootDir }: { readonly rootDir: string }, plugin: string) {
    this.#rootDir = rootDir;
    this.#plugin = plugin;
  }

  /** What was noted when the claim was ready for the pod; absent if it was not yet. */
  async note(uid: string, claim: ObjectRef): Promise<string | undefined> {
    const path = `${this.#of(uid, claim)}/${READY}`;
    const ready = await unlessMissing(Deno.lstat(path));
    return ready?.isFile ? await Deno.readTextFile(path) : undefined;
  }

  /**
   * Makes a claim ready for a pod, while nobody else does it with the same one.
   *
   * @param prepare gives what is noted, and what the caller wants
   * @throws {VolumeFailure} when other pods use it and it is for one only
   */
  async begin<T>(
    uid: string,
    claim: ObjectRef & { readonly accessModes: readonly string[] },
    prepare: (
      isShared: boolean,
    ) => Promise<{ readonly note: string; readonly given: T }>,
  ): Promise<T> {
    return await this.#alone(`${claim.namespace}/${claim.name}`, async () => {
      const isShared = await this.#hasOthers(claim, uid);
      if (isShared && claim.accessModes.includes("ReadWriteOncePod")) {
        // Upstream's words: pkg/kubelet/volumemanager/cache.
        throw new VolumeFailure(
          "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
        );
      }
      const use = this.#of(uid, claim);
      await Deno.mkdir(use, { recursive: true, mode: PARENT_MODE });
      const { note, given } = await prepare(isShared);
      await Deno.writeTextFile(`${use}/${READY}`, note);
      return given;
    });
  }

  async #hasOthers(claim: ObjectRef, uid: string): Promise<boolean> {
    const pods = await listDirectory(`${this.#rootDir}/pods`);
    for (const other of pods) {
      if (other === uid || !isPodUid(other)) continue;
      if (await isDirectoryThere(this.#of(other, claim))) return true;
    }
    return false;
  }

  #of(uid: string, { namespace, name }: ObjectRef): string {
    return `${this.#rootDir}/pods/${uid}/plugins/${this.#plugin}/${namespace}/${name}`;
  }

  async #alone<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(key) ?? Promise.resolve();
    const result = before.then(task);
    // The caller that awaits the result meets its failure.
    const done = result.then(() => {}, () => {});
    this.#busy.set(key, done);
    try {
      return await result;
    } finally {
      if (this.#busy.get(key) === done) this.#busy.delete(key);
    }
  }
}

/**
 * Makes sure that a claim's name can be part of a path.
 *
 * @throws {VolumeFailure} when it cannot
 */
export function checkClaimName({ namespace, name }: ObjectRef): void {
  if (NAMESPACE.test(namespace) && CLAIM_NAME.test(name)) return;
  throw new VolumeFailure(`"${name}" is no name of a claim`);
}
