/**
 * Volumes of claims of a cluster: directories of this node that its administrator has made
 * PersistentVolumes of, of kind hostPath or local.
 *
 * Nothing is made or removed: what such a volume holds is its owner's.
 *
 * @module
 */

import type { ClaimObject, ObjectRef } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { TimeLimit } from "../host/files/mod.ts";
import { pathBelow, unlessMissing } from "../host/paths/mod.ts";
import type { PodObjects, VolumeClaim } from "../pod/inputs/mod.ts";
import { missingObject } from "../pod/lifecycle/mod.ts";
import { checkClaimName, ClaimUses } from "./claim_uses.ts";
import { type ClaimSource, giveToGroup } from "./claims.ts";
import { hostPathSource } from "./host_path.ts";
import { refusedKind } from "./refused_kinds.ts";
import { VolumeFailure } from "./volume_setup.ts";

/** What claims of a cluster are made ready with. */
export interface ClusterClaimsDeps {
  readonly objects: PodObjects;
  /** For looks at paths: one on a hung mount would keep a thread for files for good. */
  readonly limit: Pick<TimeLimit, "run">;
}

type Bound = Extract<ClaimObject["binding"], { readonly path: string }>;

/**
 * Finds what claims are bound to, and makes it ready once for each pod.
 *
 * What a pod has got it keeps, whatever becomes of its claim: it is noted on disk.
 */
export class ClusterClaims {
  readonly #roots: readonly string[];
  readonly #deps: ClusterClaimsDeps;
  readonly #uses: ClaimUses;

  constructor(
    options: {
      readonly rootDir: string;
      readonly hostPathRoots: readonly string[];
    },
    deps: ClusterClaimsDeps,
  ) {
    this.#roots = options.hostPathRoots;
    this.#deps = deps;
    this.#uses = new ClaimUses(options, "skerry~cluster-claim");
  }

  /**
   * The path that the claim of a volume is bound to.
   *
   * @throws {VolumeFailure} when it is bound to none that a pod can have here
   */
  async source(
    pod: Pod,
    volume: VolumeClaim,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ClaimSource> {
    const { namespace, uid } = pod.metadata;
    const ref = { namespace, name: volume.claimName };
    checkClaimName(ref);
    const noted = await this.#uses.note(uid, ref);
    if (noted !== undefined) {
      const [kind, path] = readNote(noted);
      // A disk that is away is not to be taken for an empty one.
      if (kind === "local") await this.#checkLocal(path);
      return { path };
    }
    const claim = this.#claim(pod, { ref, volume });
    const bound = boundPart(claim);
    return await this.#uses.begin(uid, claim, async (isShared) => {
      const { readOnly } = volume;
      const given = await this.#prepare(bound, {
        pod,
        isShared,
        readOnly,
        ...options,
      });
      return { note: `${bound.kind} ${given.path}`, given };
    });
  }

  /** Upstream: getPVCExtractPV and createVolumeSpec of pkg/kubelet/volumemanager/populator. */
  #claim(
    pod: Pod,
    { ref, volume }: { readonly ref: ObjectRef; readonly volume: VolumeClaim },
  ): ClaimObject {
    const objects = this.#deps.objects.seenBy(pod);
    const claim = objects.claim(ref);
    if (claim === undefined) {
      const object = "PersistentVolumeClaim";
      const why = objects.withheld({ kind: object, ...ref });
      if (why !== undefined) {
        throw unprocessed(ref, `failed to fetch PVC from API server: ${why}`);
      }
      const { name } = ref;
      const { absence } = objects;
      throw new VolumeFailure(missingObject(object, { name, absence }));
    }
    if (volume.isEphemeral && claim.ownerUid !== pod.metadata.uid) {
      const { namespace, name } = pod.metadata;
      throw unprocessed(
        ref,
        `it was not created for pod ${namespace}/${name} (pod is not owner)`,
      );
    }
    return claim;
  }

  async #prepare(
    bound: Bound,
    options: Parameters<typeof giveToGroup>[1],
  ): Promise<ClaimSource> {
    const { path } = bound;
    const { signal } = options;
    const { limit } = this.#deps;
    const type = bound.kind === "hostPath" ? bound.type : "";
    await hostPathSource({ path, type }, this.#roots, { limit, signal });
    // Upstream gives no hostPath to a group.
    if (bound.kind === "hostPath") return { path };
    await this.#checkLocal(path);
    const warning = await giveToGroup(path, options);
    return warning === undefined ? { path } : { path, warning };
  }

  /** Upstream: pkg/volume/local; a runtime would make what is not there. */
  async #checkLocal(path: string): Promise<void> {
    if (!this.#roots.some((root) => pathBelow(root, path) !== undefined)) {
      throw new VolumeFailure(
        `the local volume "${path}" can be looked at only below a directory given by --host-path-roots`,
      );
    }
    const look = this.#deps.limit.run(path, () => Deno.stat(path));
    const found = await unlessMissing(look);
    if (found === undefined) {
      throw new VolumeFailure(`path "${path}" does not exist`);
    }
    if (found.isDirectory) return;
    throw new VolumeFailure(
      `path "${path}" is no directory, and skerry mounts no devices`,
    );
  }
}

/** The directory that a claim is bound to. */
function boundPart(claim: ClaimObject): Bound {
  const { binding, volumeMode, name } = claim;
  if (volumeMode === "Block") {
    throw new VolumeFailure(
      `persistentvolumeclaim "${name}" asks for volumeMode "Block", and skerry has no block devices to give`,
    );
  }
  if (binding === undefined) throw unprocessed(claim, "PVC is not bound");
  switch (binding.kind) {
    case "none":
      throw unprocessed(claim, binding.why);
    case "foreign":
      throw unprocessed(claim, refusedKind(binding.plugin));
    default:
      return binding;
  }
}

/** In upstream's words, which operators search for. */
function unprocessed(
  { namespace, name }: ObjectRef,
  why: string,
): VolumeFailure {
  return new VolumeFailure(`error processing PVC ${namespace}/${name}: ${why}`);
}

function readNote(note: string): readonly [kind: string, path: string] {
  const at = note.indexOf(" ");
  return [note.slice(0, at), note.slice(at + 1)];
}
