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

import type { ClaimObject, ObjectRef } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { checkClaimName, ClaimUses } from "./claim_uses.ts";
import { giveVolume, isRootMismatch } from "./ownership.ts";
import {
  isDirectoryThere,
  makeVolumeDirectory,
  type VolumeFiles,
} from "./volume_directory.ts";
import { VolumeFailure } from "./volume_setup.ts";
import type { PodObjects, VolumeClaim } from "../pod/inputs/mod.ts";

/** A claim's directory, ready to be mounted. */
export interface ClaimSource {
  readonly path: string;
  /** The warnings for the pod's owner. */
  readonly warning?: string;
}

const PARENT_MODE = 0o750;

/** Makes the directories of this node's claims. All of what it knows is on disk. */
export class Claims {
  readonly #rootDir: string;
  readonly #objects: PodObjects;
  readonly #files: VolumeFiles;
  readonly #uses: ClaimUses;

  constructor(
    options: { readonly rootDir: string },
    deps: { readonly objects: PodObjects; readonly files: VolumeFiles },
  ) {
    this.#rootDir = options.rootDir;
    this.#objects = deps.objects;
    this.#files = deps.files;
    this.#uses = new ClaimUses(options, "skerry~claim");
  }

  /**
   * The directory of the claim that the volume names, made when it is missing and
   * given to the pod's group once for each pod.
   *
   * @throws {VolumeFailure} when there is no such claim or the pod cannot have it
   */
  async source(
    pod: Pod,
    volume: VolumeClaim,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ClaimSource> {
    const { namespace, uid } = pod.metadata;
    const ref = { namespace, name: volume.claimName };
    checkClaimName(ref);
    const path = `${this.#rootDir}/claims/${namespace}/${ref.name}`;
    const isReady = await this.#uses.note(uid, ref) !== undefined;
    if (isReady && await isDirectoryThere(path)) return { path };
    const claim = this.#claim(pod, ref);
    return await this.#uses.begin(uid, claim, async (isShared) => {
      const { readOnly } = volume;
      const warning = await this.#prepare(path, {
        pod,
        isShared,
        readOnly,
        ...options,
      });
      const given = warning === undefined ? { path } : { path, warning };
      return { note: "", given };
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

  async #prepare(path: string, options: GroupOptions): Promise<
    string | undefined
  > {
    if (await isDirectoryThere(path)) return await giveToGroup(path, options);
    const parent = path.slice(0, path.lastIndexOf("/"));
    await Deno.mkdir(parent, { recursive: true, mode: PARENT_MODE });
    const group = options.pod.spec.securityContext?.fsGroup;
    await makeVolumeDirectory(path, { group, files: this.#files });
    return undefined;
  }
}

/** For whom a directory is made ready. */
export interface GroupOptions {
  readonly pod: Pod;
  /** Whether other pods use it. */
  readonly isShared: boolean;
  readonly readOnly: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gives a directory that is there to the pod's group.
 *
 * One that other pods use keeps its group, since their containers could lead
 * us astray while we go through it. Upstream: pkg/volume/local does the same.
 *
 * @returns a warning for the pod's owner
 */
export async function giveToGroup(
  path: string,
  { pod, isShared, readOnly, signal }: GroupOptions,
): Promise<string | undefined> {
  const { fsGroup: group, fsGroupChangePolicy: policy } =
    pod.spec.securityContext ?? {};
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
