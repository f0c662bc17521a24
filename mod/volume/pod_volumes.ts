/**
 * The volumes of pods.
 *
 * @module
 */

import { type Clock, isAbort } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { Pod, Volume } from "../api/types/mod.ts";
import type { ObjectId, Quantity } from "../api/objects/mod.ts";
import { TimeLimit } from "../host/files/mod.ts";
import {
  claimOfVolume,
  isOfCluster,
  type PodObjects,
  type VolumeClaim,
  type VolumeSource,
} from "../pod/inputs/mod.ts";
import { Claims } from "./claims.ts";
import { ClusterClaims } from "./cluster_claims.ts";
import {
  ensureEmptyDir,
  isDirectoryThere,
  isInMemory,
  type VolumeFiles,
} from "./volume_directory.ts";
import { type DirectoryUsage, directoryUsage } from "./directory_usage.ts";
import { hostPathSource } from "./host_path.ts";
import { deviceNames, nestedMountPoints, usedNames } from "./used_volumes.ts";
import {
  type UnreadyVolume,
  VolumeFailure,
  type VolumeSetup,
  type VolumeWarning,
} from "./volume_setup.ts";
import {
  namedObjects,
  type PayloadKind,
  payloadKind,
  volumePayload,
} from "./payload.ts";
import { writePayload } from "./payload_writer.ts";
import {
  type DirectoryOptions,
  POD_DIRECTORY_MODE,
  type PodDirectories,
} from "./pod_directories.ts";
import { refusedKind, volumeKind } from "./refused_kinds.ts";

/** Where the volumes of pods live. */
export interface VolumeOptions extends DirectoryOptions {
  /** Directories below which hostPaths may be checked and made. */
  readonly hostPathRoots: readonly string[];
}

/** The objects that volumes name. */
interface SourcedObjects extends PodObjects {
  /**
   * Whether what a pod finds under a name, or that nothing is, will be so when all sources
   * have spoken. What is not certain changes nothing that is mounted.
   */
  isCertain(id: ObjectId, pod: Pod): boolean;
  /** Whether it is at least newer than what was found before. */
  isRenewed(id: ObjectId, pod: Pod): boolean;
}

/** What the volumes work with. */
export interface VolumeDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: VolumeFiles;
  readonly directories: PodDirectories;
  /** Finds what volumes name: configMaps, secrets and claims. */
  readonly objects: SourcedObjects;
  /** What the node can give, by resource name. */
  readonly allocatable: () => ReadonlyMap<string, Quantity>;
}

// A healthy disk answers in milliseconds.
const HOST_PATH_LIMIT_MS = 3000;

const VOLUME_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

// Upstream: the names of the plugins, with "~" for "/".
const EMPTY_DIR_PLUGIN = "kubernetes.io~empty-dir";
const PAYLOAD_PLUGINS: Readonly<Record<PayloadKind, string>> = {
  configMap: "kubernetes.io~configmap",
  secret: "kubernetes.io~secret",
  downwardAPI: "kubernetes.io~downward-api",
  projected: "kubernetes.io~projected",
};

/**
 * Makes what pods mount; with the directories of the pods it goes.
 *
 * Calls for one pod must not overlap, but for `usage`; those for several pods may.
 * Holds nothing in memory: what is on disk is what there is, also after a restart
 * of the agent.
 */
export class PodVolumes {
  readonly #options: VolumeOptions;
  readonly #deps: VolumeDeps;
  readonly #log: Logger;
  readonly #directories: PodDirectories;
  readonly #claims: Claims;
  readonly #clusterClaims: ClusterClaims;
  readonly #hostPathLimit: TimeLimit;
  #isWarned = false;

  constructor(options: VolumeOptions, deps: VolumeDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#log = deps.log.named("volume");
    this.#directories = deps.directories;
    this.#claims = new Claims(options, deps);
    this.#hostPathLimit = new TimeLimit(deps.clock, {
      limitMs: HOST_PATH_LIMIT_MS,
      asksAgain: true,
    });
    this.#clusterClaims = new ClusterClaims(options, {
      objects: deps.objects,
      limit: this.#hostPathLimit,
    });
  }

  /**
   * Makes every volume ready that a container of the pod uses, and brings the
   * content of those that are up to date. The others are tried even if one fails.
   *
   * A volume whose content cannot be brought up to date (its configMap is gone)
   * keeps what it has, with a warning, as upstream. A volume of an image has no
   * source: the runtime makes it.
   *
   * Upstream: pkg/kubelet/volumemanager, which too passes over unused volumes.
   *
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async setUp(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<VolumeSetup> {
    const warnings: VolumeWarning[] = [];
    const result = await forUsed(pod, options, async (volume) => {
      const { signal } = options;
      return await this.#source(pod, volume, { warnings, signal });
    });
    return warnings.length > 0 ? { ...result, warnings } : result;
  }

  /**
   * Rewrites what has changed in the content of a running pod's volumes: configMap,
   * secret, downwardAPI and projected. What is as it should be is only read.
   *
   * @returns the sources of these volumes alone; `failed` when one could not be
   * brought up to date (it then keeps what it has)
   */
  async refresh(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<VolumeSetup> {
    return await forUsed(pod, options, async (volume) => {
      if (payloadKind(volume) === undefined) return undefined;
      const path = await this.#payloadPath(pod, volume);
      await this.#writePayload(pod, volume, path);
      return { hostPath: path, readOnly: true };
    });
  }

  /**
   * What each emptyDir of the pod takes, on disk or in memory, by the
   * name of the volume. One that is not there yet takes nothing.
   */
  async usage(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ReadonlyMap<string, DirectoryUsage>> {
    const usage = new Map<string, DirectoryUsage>();
    for (const { name, emptyDir } of pod.spec.volumes ?? []) {
      if (emptyDir === undefined || !VOLUME_NAME.test(name)) continue;
      const { uid } = pod.metadata;
      const directory = emptyDir.medium === "Memory"
        ? this.#directories.inMemory(uid)
        : this.#directories.onDisk(uid);
      const path = volumePath(directory, EMPTY_DIR_PLUGIN, name);
      usage.set(name, await directoryUsage(path, options.signal));
    }
    return usage;
  }

  async #source(
    pod: Pod,
    volume: Volume,
    options: {
      readonly warnings: VolumeWarning[];
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<VolumeSource | undefined> {
    const { hostPath, emptyDir } = volume;
    if (hostPath !== undefined) {
      const { hostPathRoots } = this.#options;
      const { signal } = options;
      const limit = this.#hostPathLimit;
      const given = { limit, signal };
      const path = await hostPathSource(hostPath, hostPathRoots, given);
      return { hostPath: path, readOnly: false };
    }
    if (emptyDir !== undefined) {
      const directory = isInMemory(emptyDir)
        ? await this.#memoryDirectory(pod)
        : this.#directories.onDisk(pod.metadata.uid);
      const path = volumePath(directory, EMPTY_DIR_PLUGIN, volume.name);
      await ensureEmptyDir(path, pod, this.#deps.files);
      return { hostPath: path, readOnly: false };
    }
    if (payloadKind(volume) !== undefined) {
      return await this.#payloadSource(pod, volume, options.warnings);
    }
    const claim = claimOfVolume(pod, volume);
    // Who makes claims of templates is a controller of a cluster.
    if (claim !== undefined && (!claim.isEphemeral || isOfCluster(pod))) {
      return await this.#claimSource(pod, { volume, claim }, options);
    }
    if (volume.image !== undefined) return undefined;
    throw new VolumeFailure(refusedKind(volumeKind(volume)));
  }

  async #claimSource(
    pod: Pod,
    { volume, claim }: {
      readonly volume: Volume;
      readonly claim: VolumeClaim;
    },
    options: {
      readonly warnings: VolumeWarning[];
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<VolumeSource> {
    if (deviceNames(pod).has(volume.name)) {
      // Upstream's words: pkg/kubelet/volumemanager/populator.
      throw new VolumeFailure(
        `volume ${volume.name} has volumeMode Filesystem, but is specified in volumeDevices`,
      );
    }
    const claims = isOfCluster(pod) ? this.#clusterClaims : this.#claims;
    const { path, warning } = await claims.source(pod, claim, options);
    if (warning !== undefined) {
      const reason = "AlreadyMountedVolume";
      options.warnings.push({ reason, message: warning });
    }
    return { hostPath: path, readOnly: claim.readOnly };
  }

  async #payloadSource(
    pod: Pod,
    volume: Volume,
    warnings: VolumeWarning[],
  ): Promise<VolumeSource> {
    const path = await this.#payloadPath(pod, volume);
    try {
      await this.#writePayload(pod, volume, path);
    } catch (error) {
      // It is there as a whole or not at all.
      if (!await isDirectoryThere(path)) throw error;
      const { message } = faultOf(volume, error);
      warnings.push({ reason: "FailedMount", message });
    }
    return { hostPath: path, readOnly: true };
  }

  async #writePayload(pod: Pod, volume: Volume, path: string): Promise<void> {
    const { objects, files } = this.#deps;
    const named = namedObjects(pod, volume);
    const mayReplace = named.every((id) => objects.isCertain(id, pod)) ||
      named.some((id) => objects.isRenewed(id, pod));
    // What a source may have given that has not spoken yet stays.
    if (!mayReplace && await isDirectoryThere(path)) return;
    const payload = volumePayload(pod, volume, {
      objects: objects.seenBy(pod),
      allocatable: this.#deps.allocatable(),
    });
    const isChanged = await writePayload(payload, {
      path,
      group: pod.spec.securityContext?.fsGroup,
      nested: nestedMountPoints(pod, volume.name),
    }, files);
    if (!isChanged) return;
    this.#log.debug("volume_written", {
      podUid: pod.metadata.uid,
      volume: volume.name,
      files: payload.size,
    });
  }

  /** Where the volume lies: a configMap on disk, and whatever may be secret in memory. */
  async #payloadPath(pod: Pod, volume: Volume): Promise<string> {
    const kind = payloadKind(volume) ?? "projected";
    const directory = kind === "configMap"
      ? this.#directories.onDisk(pod.metadata.uid)
      : await this.#memoryDirectory(pod);
    return volumePath(directory, PAYLOAD_PLUGINS[kind], volume.name);
  }

  async #memoryDirectory(pod: Pod): Promise<string> {
    const directory = this.#directories.inMemory(pod.metadata.uid);
    await Deno.mkdir(directory, { mode: POD_DIRECTORY_MODE, recursive: true });
    await this.#warnOfDisk(directory);
    return directory;
  }

  /** A directory on the same device as the disk's is no tmpfs. */
  async #warnOfDisk(directory: string): Promise<void> {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const { rootDir, runDir } = this.#options;
    const [disk, memory] = await Promise.all(
      [rootDir, directory].map((path) => Deno.stat(path)),
    );
    if (disk?.dev !== memory?.dev) return;
    // Secrets that it holds may then be read from the disk afterwards.
    this.#log.warn("run_directory_on_disk", { runDir });
  }
}

/** Does something for every volume that a container uses and collects what failed. */
async function forUsed(
  pod: Pod,
  options: { readonly signal?: AbortSignal },
  task: (volume: Volume) => Promise<VolumeSource | undefined>,
): Promise<VolumeSetup> {
  const { signal } = options;
  const used = usedNames(pod);
  const sources = new Map<string, VolumeSource>();
  const failures = new Map<string, UnreadyVolume>();
  for (const volume of pod.spec.volumes ?? []) {
    if (!used.has(volume.name)) continue;
    signal?.throwIfAborted();
    try {
      if (!VOLUME_NAME.test(volume.name)) {
        throw new VolumeFailure("its name is not a DNS label");
      }
      const source = await task(volume);
      if (source !== undefined) sources.set(volume.name, source);
    } catch (error) {
      if (signal !== undefined && isAbort(error, signal)) throw error;
      failures.set(volume.name, faultOf(volume, error));
    }
  }
  if (failures.size === 0) return { kind: "ok", sources };
  return { kind: "failed", failures, sources };
}

function faultOf({ name: volume }: Volume, error: unknown): UnreadyVolume {
  const words = describeError(error);
  const missing = error instanceof VolumeFailure ? error.missing : undefined;
  return {
    volume,
    cause: missing ?? { kind: "said", words },
    message: `Cannot set up volume "${volume}": ${words}`,
  };
}

function volumePath(
  podDirectory: string,
  plugin: string,
  name: string,
): string {
  return `${podDirectory}/volumes/${plugin}/${name}`;
}
