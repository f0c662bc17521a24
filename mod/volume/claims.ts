/**
 * persistentVolumeClaim volumes: directories of this node that outlive their pods.
 *
 * A claim is bound to a directory of its own, `claims/<namespace>/<name>` below the
 * root directory, from the first time that a pod mounts it; the size that it asks
 * for is not enforced. Its data stay when its pods go, and when its manifest goes:
 * a manifest that is put back finds them again. The operator who wants them gone
 * removes the directory.
 *
 * @module
 */

import {
  type ClaimObject,
  isPodUid,
  type ObjectRef,
} from "../api/objects/mod.ts";
import type { Pod, Volume } from "../api/types/mod.ts";
import { unlessMissing } from "../host/paths/mod.ts";
import { giveVolume, isRootMismatch } from "./ownership.ts";
import {
  isDirectoryThere,
  listDirectory,
  makeVolumeDirectory,
  type VolumeFiles,
} from "./volume_directory.ts";
import { VolumeFailure } from "./volume_setup.ts";
import type { PodObjects } from "../pod/inputs/mod.ts";

type ClaimVolume = NonNullable<Volume["persistentVolumeClaim"]>;

/** A claim's directory, ready to be mounted. */
export interface ClaimSource {
  readonly path: string;
  /** The warnings for the pod's owner. */
  readonly warning?: string;
}

const PARENT_MODE = 0o750;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const CLAIM_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;
/** Below the directory of a pod: the claims that it uses. */
const USES = "plugins/skerry~claim";
/** In such a use: the claim is as the pod wants it. */
const READY = "ready";

/**
 * Makes the directories of claims and knows which pods use them.
 *
 * A pod uses a claim from its first try to mount it until the pod's own directory
 * is removed. All of it is on disk.
 */
export class Claims {
  readonly #rootDir: string;
  readonly #objects: PodObjects;
  readonly #files: VolumeFiles;
  /** The last task of each claim; they come one after another. */
  readonly #busy = new Map<string, Promise<void>>();

  constructor(
    options: { readonly rootDir: string },
    deps: { readonly objects: PodObjects; readonly files: VolumeFiles },
  ) {
    this.#rootDir = options.rootDir;
    this.#objects = deps.objects;
    this.#files = deps.files;
  }

  /**
   * The directory of the claim that the volume names, made when it is missing and
   * given to the pod's group once for each pod.
   *
   * A claim that other pods use keeps its group, since their containers could lead
   * us astray while we go through it. Upstream: pkg/volume/local does the same.
   *
   * @throws {VolumeFailure} when there is no such claim or the pod cannot have it
   */
  async source(
    pod: Pod,
    volume: ClaimVolume,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ClaimSource> {
    const { namespace, uid } = pod.metadata;
    const name = volume.claimName;
    if (!NAMESPACE.test(namespace) || !CLAIM_NAME.test(name)) {
      throw new VolumeFailure(`"${name}" is no name of a claim`);
    }
    const path = `${this.#rootDir}/claims/${namespace}/${name}`;
    const use = this.#useOf(uid, { namespace, name });
    const ready = await unlessMissing(Deno.lstat(`${use}/${READY}`));
    if (ready?.isFile && await isDirectoryThere(path)) return { path };
    const claim = this.#claim(pod, { namespace, name });
    return await this.#alone(`${namespace}/${name}`, async () => {
      const others = await this.#otherUsers(claim, uid);
      if (others && claim.accessModes.includes("ReadWriteOncePod")) {
        // Upstream's words: pkg/kubelet/volumemanager/cache.
        throw new VolumeFailure(
          "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
        );
      }
      await Deno.mkdir(use, { recursive: true, mode: PARENT_MODE });
      const warning = await this.#prepare(path, {
        pod,
        isShared: others,
        readOnly: volume.readOnly === true,
        ...options,
      });
      await Deno.writeFile(`${use}/${READY}`, new Uint8Array());
      return warning === undefined ? { path } : { path, warning };
    });
  }

  #claim(pod: Pod, ref: ObjectRef): ClaimObject {
    const claim = this.#objects.seenBy(pod).claim(ref);
    if (claim === undefined) {
      const { name } = ref;
      const object = "PersistentVolumeClaim";
      throw new VolumeFailure({ kind: "missing_object", object, name });
    }
    if (claim.volumeMode === "Block") {
      throw new VolumeFailure(
        `persistentvolumeclaim "${ref.name}" asks for volumeMode "Block", and skerry has no block devices to give`,
      );
    }
    return claim;
  }

  async #prepare(
    path: string,
    options: {
      readonly pod: Pod;
      readonly isShared: boolean;
      readonly readOnly: boolean;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<string | undefined> {
    const { pod, isShared, readOnly, signal } = options;
    const { fsGroup: group, fsGroupChangePolicy: policy } =
      pod.spec.securityContext ?? {};
    if (!await isDirectoryThere(path)) {
      const parent = path.slice(0, path.lastIndexOf("/"));
      await Deno.mkdir(parent, { recursive: true, mode: PARENT_MODE });
      await makeVolumeDirectory(path, { group, files: this.#files });
      return undefined;
    }
    if (group === undefined || readOnly) return undefined;
    if (!isShared) {
      await giveVolume(path, {
        group,
        policy: policy === "OnRootMismatch" ? policy : "Always",
        signal,
      });
      return undefined;
    }
    const root = await Deno.lstat(path);
    if (!isRootMismatch(root, group)) return undefined;
    return `The requested fsGroup is ${group}, but the volume has GID ${root.gid} and is in use by another pod`;
  }

  async #otherUsers(claim: ObjectRef, uid: string): Promise<boolean> {
    const pods = await listDirectory(`${this.#rootDir}/pods`);
    for (const other of pods) {
      if (other === uid || !isPodUid(other)) continue;
      if (await isDirectoryThere(this.#useOf(other, claim))) return true;
    }
    return false;
  }

  #useOf(uid: string, { namespace, name }: ObjectRef): string {
    return `${this.#rootDir}/pods/${uid}/${USES}/${namespace}/${name}`;
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
