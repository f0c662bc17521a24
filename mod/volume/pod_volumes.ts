/**
 * The directories of pods and the volumes in them.
 *
 * @module
 */

import {
  type Clock,
  describeError,
  isAbort,
  type Logger,
} from "../base/mod.ts";
import {
  isPodUid,
  type ObjectGetter,
  type Pod,
  type Quantity,
  type Volume,
} from "../api/mod.ts";
import { type Removal, REMOVING_PREFIX } from "../host/mod.ts";
import { Claims } from "./claims.ts";
import { isDirectoryThere } from "./volume_directory.ts";
import { entriesOf, pathsBelow } from "./directory_listing.ts";
import { directoryUsage } from "./directory_usage.ts";
import { ensureEmptyDir, isInMemory } from "./empty_dir.ts";
import { hostPathSource } from "./host_path.ts";
import { deviceNames, usedNames } from "./used_volumes.ts";
import type {
  Materialisation,
  VolumeSource,
  VolumeWarning,
} from "./materialisation.ts";
import { nestedMountPoints } from "./nested_mounts.ts";
import { type PayloadKind, payloadKind, volumePayload } from "./payload.ts";
import { writePayload } from "./payload_writer.ts";
import type { VolumeFiles } from "./ports.ts";
import { refusedKind, volumeKind } from "./refused_kinds.ts";
import { VolumeFailure } from "./volume_failure.ts";

/** Where the volumes of pods live. */
export interface VolumeOptions {
  /** The agent's root directory; `pods/<uid>` and `claims` lie below it. */
  readonly rootDir: string;
  /**
   * A directory that does not outlive the machine's uptime, for what must not touch
   * the disk: secrets and emptyDirs in memory. It should be a tmpfs.
   */
  readonly runDir: string;
  /** Directories below which hostPaths may be checked and made. */
  readonly hostPathRoots: readonly string[];
}

/** What the volumes work with. */
export interface VolumeDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly files: VolumeFiles;
  /** Finds what volumes name: configMaps, secrets and claims. */
  readonly objects: ObjectGetter;
  /** What the node can give, by resource name. */
  readonly allocatable: () => ReadonlyMap<string, Quantity>;
}

// Upstream: pkg/kubelet/kubelet.go makePodDataDirs.
const POD_MODE = 0o750;
const PARENT_MODE = 0o755;
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
 * Makes, finds and removes what pods mount.
 *
 * Calls for one pod must not overlap, but for `usage`; those for several pods may.
 * Holds nothing in memory: what is on disk is what there is, also after a restart
 * of the agent.
 */
export class PodVolumes {
  readonly #options: VolumeOptions;
  readonly #deps: VolumeDeps;
  readonly #log: Logger;
  readonly #claims: Claims;
  #isWarned = false;

  constructor(options: VolumeOptions, deps: VolumeDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#log = deps.log.named("volume");
    this.#claims = new Claims(options, deps);
  }

  /**
   * The directory of one pod.
   *
   * @throws {RangeError} when the UID is not fit to be part of a path
   */
  podDirectory(uid: string): string {
    return `${this.#options.rootDir}/pods/${checked(uid)}`;
  }

  /**
   * Makes the pod's directory unless it is there. It marks the pod as ours, so
   * this comes before anything of the pod is made in the runtime.
   */
  async prepare(pod: Pod): Promise<void> {
    const directory = this.podDirectory(pod.metadata.uid);
    await Deno.mkdir(directory, { mode: POD_MODE, recursive: true });
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
  async materialise(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Materialisation> {
    const warnings: VolumeWarning[] = [];
    const result = await forUsed(pod, options, async (volume) => {
      const { signal } = options;
      return await this.#source(pod, volume, { warnings, signal });
    });
    return result.kind === "ok" && warnings.length > 0
      ? { ...result, warnings }
      : result;
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
  ): Promise<Materialisation> {
    return await forUsed(pod, options, async (volume) => {
      if (payloadKind(volume) === undefined) return undefined;
      const path = await this.#payloadPath(pod, volume);
      await this.#writePayload(pod, volume, path);
      return { hostPath: path, readOnly: true };
    });
  }

  /**
   * The bytes that each emptyDir of the pod takes, on disk or in memory, by the
   * name of the volume. One that is not there yet takes none.
   */
  async usage(
    pod: Pod,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ReadonlyMap<string, number>> {
    const usage = new Map<string, number>();
    for (const { name, emptyDir } of pod.spec.volumes ?? []) {
      if (emptyDir === undefined || !VOLUME_NAME.test(name)) continue;
      const { uid } = pod.metadata;
      const directory = emptyDir.medium === "Memory"
        ? this.#runDirectory(uid)
        : this.podDirectory(uid);
      const path = `${directory}/volumes/${EMPTY_DIR_PLUGIN}/${name}`;
      usage.set(name, await directoryUsage(path, options.signal));
    }
    return usage;
  }

  /**
   * Removes the pod's directories with all volumes in them. What lies behind a
   * mount is not touched: the directory is then left and the mounts are named.
   *
   * @param options.keep a name in the pod's directory that stays, and with it the
   * directory, so that a crash finds it at every moment
   */
  async remove(
    uid: string,
    options: { readonly keep?: string } = {},
  ): Promise<Removal> {
    const { files } = this.#deps;
    const results = await Promise.allSettled(
      [
        this.#runDirectory(uid),
        ...await pathsBelow(this.podDirectory(uid), options.keep),
      ].map((path) => files.removeTree(path)),
    );
    const mounts: string[] = [];
    for (const result of results) {
      // The other directory is gone as far as it could be.
      if (result.status === "rejected") throw result.reason;
      if (result.value.kind === "left") mounts.push(...result.value.mounts);
    }
    const removal: Removal = mounts.length === 0
      ? { kind: "removed" }
      : { kind: "left", mounts };
    // The caller tells the operator, who must unmount what is left.
    this.#log.debug("pod_directory_removal", {
      podUid: uid,
      outcome: removal.kind,
    });
    return removal;
  }

  /** The UIDs of all pods that have a directory of any kind, in no order. */
  async list(): Promise<readonly string[]> {
    const uids = new Set<string>();
    for (const parent of [this.#options.rootDir, this.#options.runDir]) {
      for await (const entry of entriesOf(`${parent}/pods`)) {
        // One whose removal a crash cut short bears another name.
        const uid = entry.name.replace(REMOVING_PREFIX, "");
        if (entry.isDirectory && isPodUid(uid)) uids.add(uid);
      }
    }
    return [...uids];
  }

  async #source(
    pod: Pod,
    volume: Volume,
    options: {
      readonly warnings: VolumeWarning[];
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<VolumeSource | undefined> {
    const { hostPath, emptyDir, persistentVolumeClaim: claim } = volume;
    if (hostPath !== undefined) {
      const path = await hostPathSource(hostPath, this.#options.hostPathRoots);
      return { hostPath: path, readOnly: false };
    }
    if (emptyDir !== undefined) {
      const directory = isInMemory(emptyDir)
        ? await this.#memoryDirectory(pod)
        : this.podDirectory(pod.metadata.uid);
      const path = await volumePath(directory, EMPTY_DIR_PLUGIN, volume.name);
      await ensureEmptyDir(path, pod, this.#deps.files);
      return { hostPath: path, readOnly: false };
    }
    if (payloadKind(volume) !== undefined) {
      return await this.#payloadSource(pod, volume, options.warnings);
    }
    if (claim !== undefined) {
      refuseDevice(pod, volume);
      const { path, warning } = await this.#claims.source(pod, claim, options);
      if (warning !== undefined) {
        options.warnings.push({
          reason: "AlreadyMountedVolume",
          message: warning,
        });
      }
      return { hostPath: path, readOnly: claim.readOnly === true };
    }
    if (volume.image !== undefined) return undefined;
    throw new VolumeFailure(refusedKind(volumeKind(volume)));
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
      const message = failure(volume, error);
      warnings.push({ reason: "FailedMount", message });
    }
    return { hostPath: path, readOnly: true };
  }

  async #writePayload(pod: Pod, volume: Volume, path: string): Promise<void> {
    const { objects, files } = this.#deps;
    const payload = volumePayload(pod, volume, {
      objects,
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
      ? this.podDirectory(pod.metadata.uid)
      : await this.#memoryDirectory(pod);
    return await volumePath(directory, PAYLOAD_PLUGINS[kind], volume.name);
  }

  async #memoryDirectory(pod: Pod): Promise<string> {
    const directory = this.#runDirectory(pod.metadata.uid);
    await Deno.mkdir(directory, { mode: POD_MODE, recursive: true });
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

  #runDirectory(uid: string): string {
    return `${this.#options.runDir}/pods/${checked(uid)}`;
  }
}

/** Does something for every volume that a container uses and tells what failed. */
async function forUsed(
  pod: Pod,
  options: { readonly signal?: AbortSignal },
  task: (volume: Volume) => Promise<VolumeSource | undefined>,
): Promise<Materialisation> {
  const { signal } = options;
  const used = usedNames(pod);
  const sources = new Map<string, VolumeSource>();
  const failures: string[] = [];
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
      failures.push(failure(volume, error));
    }
  }
  if (failures.length === 0) return { kind: "ok", sources };
  return { kind: "failed", message: failures.join("; ") };
}

function failure(volume: Volume, error: unknown): string {
  return `Cannot set up volume "${volume.name}": ${describeError(error)}`;
}

/** A volume's path; the directory above it is made. */
async function volumePath(
  podDirectory: string,
  plugin: string,
  name: string,
): Promise<string> {
  const parent = `${podDirectory}/volumes/${plugin}`;
  await Deno.mkdir(parent, { recursive: true, mode: PARENT_MODE });
  return `${parent}/${name}`;
}

function refuseDevice(pod: Pod, volume: Volume): void {
  if (!deviceNames(pod).has(volume.name)) return;
  // Upstream's words: pkg/kubelet/volumemanager/populator.
  throw new VolumeFailure(
    `volume ${volume.name} has volumeMode Filesystem, but is specified in volumeDevices`,
  );
}

function checked(uid: string): string {
  if (isPodUid(uid)) return uid;
  throw new RangeError(
    `Cannot name the directory of pod "${uid}": wanted a UID of letters, digits and "-"`,
  );
}
