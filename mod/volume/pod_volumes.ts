/**
 * The directories of pods and the volumes in them.
 *
 * @module
 */

import { type Clock, describeError, type Logger } from "../base/mod.ts";
import {
  type ContainerSpec,
  isPodUid,
  type Pod,
  type Volume,
} from "../api/mod.ts";
import { fileErrorKind, type Removal } from "../host/mod.ts";
import { EMPTY_DIR_PLUGIN, emptyDirSource } from "./empty_dir.ts";
import { hostPathSource } from "./host_path.ts";
import type { VolumeFiles } from "./ports.ts";
import { VolumeFailure } from "./volume_failure.ts";

/** Where the volumes of pods live. */
export interface VolumeOptions {
  /** The agent's root directory; `pods/<uid>` lies below it. */
  readonly rootDir: string;
  /** A directory that does not outlive the machine's uptime, for what must not touch the disk. */
  readonly runDir: string;
}

/** What the volumes work with. */
export interface VolumeDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly files: VolumeFiles;
}

/** Where the content of one volume lies on the node. */
export interface VolumeSource {
  /** Absolute path of the directory or file that is mounted. */
  readonly hostPath: string;
  /** True when the volume may not be written, whatever the mount says. */
  readonly readOnly: boolean;
}

/** All volumes of a pod, or why they are not ready. */
export type Materialisation =
  | {
    readonly kind: "ok";
    /** By volume name. */
    readonly sources: ReadonlyMap<string, VolumeSource>;
  }
  | {
    readonly kind: "failed";
    /** For the FailedMount event: every volume that failed and why. */
    readonly message: string;
  };

// Upstream: pkg/kubelet/kubelet.go makePodDataDirs.
const POD_MODE = 0o750;
const VOLUME_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Makes, finds and removes what pods mount.
 *
 * Calls for one pod must not overlap; those for several pods may. Holds nothing in
 * memory: what is on disk is what there is, also after a restart of the agent.
 */
export class PodVolumes {
  readonly #podsDir: string;
  readonly #log: Logger;
  readonly #files: VolumeFiles;

  constructor(options: VolumeOptions, deps: VolumeDeps) {
    this.#podsDir = `${options.rootDir}/pods`;
    this.#log = deps.log.named("volume");
    this.#files = deps.files;
  }

  /**
   * The directory of one pod.
   *
   * @throws {RangeError} when the UID is not fit to be part of a path
   */
  podDirectory(uid: string): string {
    if (isPodUid(uid)) return `${this.#podsDir}/${uid}`;
    throw new RangeError(
      `Cannot name the directory of pod "${uid}": wanted a UID of letters, digits and "-"`,
    );
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
   * Makes every volume ready that a container of the pod mounts. Volumes that are
   * ready are left as they are; the others are tried even if one fails.
   *
   * Upstream: pkg/kubelet/volumemanager, which too passes over unused volumes.
   */
  async materialise(pod: Pod): Promise<Materialisation> {
    const used = mountedNames(pod);
    const sources = new Map<string, VolumeSource>();
    const failures: string[] = [];
    for (const volume of pod.spec.volumes ?? []) {
      if (!used.has(volume.name)) continue;
      try {
        sources.set(volume.name, await this.#source(pod, volume));
      } catch (error) {
        failures.push(
          `Cannot set up volume "${volume.name}": ${describeError(error)}`,
        );
      }
    }
    if (failures.length === 0) return { kind: "ok", sources };
    return { kind: "failed", message: failures.join("; ") };
  }

  /**
   * Removes the pod's directory with all volumes in it. What lies behind a mount
   * is not touched: the directory is then left and the mounts are named.
   */
  async remove(uid: string): Promise<Removal> {
    const removal = await this.#files.removeTree(this.podDirectory(uid));
    // The caller tells the operator, who must unmount what is left.
    this.#log.debug("pod_directory_removal", {
      podUid: uid,
      outcome: removal.kind,
    });
    return removal;
  }

  /** The UIDs of all pods that have a directory, in no order. */
  async list(): Promise<readonly string[]> {
    const uids: string[] = [];
    try {
      for await (const entry of Deno.readDir(this.#podsDir)) {
        if (entry.isDirectory && isPodUid(entry.name)) uids.push(entry.name);
      }
    } catch (error) {
      // Before the first pod there is no such directory.
      if (fileErrorKind(error) !== "missing") throw error;
    }
    return uids;
  }

  async #source(pod: Pod, volume: Volume): Promise<VolumeSource> {
    const { name, emptyDir, hostPath } = volume;
    if (!VOLUME_NAME.test(name)) {
      throw new VolumeFailure("its name is not a DNS label");
    }
    if (hostPath !== undefined) {
      return { hostPath: await hostPathSource(hostPath), readOnly: false };
    }
    if (emptyDir !== undefined) {
      const directory = this.podDirectory(pod.metadata.uid);
      const parent = `${directory}/volumes/${EMPTY_DIR_PLUGIN}`;
      return {
        hostPath: await emptyDirSource(parent, { name, emptyDir }, pod),
        readOnly: false,
      };
    }
    throw new VolumeFailure(
      `volumes of kind "${kindOf(volume)}" are not supported yet`,
    );
  }
}

function mountedNames(pod: Pod): ReadonlySet<string> {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const all: readonly Pick<ContainerSpec, "volumeMounts" | "volumeDevices">[] =
    [...initContainers, ...containers, ...ephemeralContainers];
  return new Set(
    all.flatMap((container) => [
      ...(container.volumeMounts ?? []),
      ...(container.volumeDevices ?? []),
    ]).map((use) => use.name),
  );
}

function kindOf(volume: Volume): string {
  return Object.entries(volume).find(([key, value]) =>
    key !== "name" && value !== undefined
  )?.[0] ?? "none";
}
