/**
 * The mounts of a container.
 *
 * @module
 */

import { containerMountPath } from "../../api/validate/mod.ts";
import type { ContainerSpec, Pod, VolumeMount } from "../../api/types/mod.ts";
import type { Mount } from "../../cri/config/mod.ts";
import type { VolumeSource } from "../../pod/inputs/mod.ts";
import { expand } from "./expansion.ts";
import { HOSTS_PATH } from "./hosts_file.ts";
import type {
  ContainerSpecInput,
  Environment,
  MountAbilities,
} from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** Where the container writes its last words; empty when it wants no such file. */
export function terminationLogPath(
  container: Pick<ContainerSpec, "terminationMessagePath">,
): string {
  return container.terminationMessagePath ?? "/dev/termination-log";
}

/** A path below a volume that a mount shows instead of the whole. */
export interface WantedSubPath {
  /** Names the mount: no two of a container have the same. */
  readonly mountPath: string;
  /** The volume's name. */
  readonly volume: string;
  /** Absolute path of the volume's content. */
  readonly volumeRoot: string;
  /** Relative and without `..`; nothing in it is left to be expanded. */
  readonly subPath: string;
  /** The path as it is written: what it expands to may be secret. */
  readonly written: string;
  /** True when nothing may be made in the volume. */
  readonly readOnly: boolean;
}

/** An image that a container mounts. */
export interface WantedImage {
  /** The volume's name. */
  readonly volume: string;
  readonly reference: string;
  readonly pullPolicy: string | undefined;
}

/**
 * The mounts of one container: its volumes in the order of the spec, then the
 * managed hosts file unless it mounts its own, then the termination log.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeMounts.
 *
 * @throws {SpecRefusal} when a mount names no volume of the pod or wants what cannot be had
 */
export function containerMounts(input: ContainerSpecInput): readonly Mount[] {
  const { container, hostsFile, terminationLog } = input;
  const device = container.volumeDevices?.[0];
  if (device !== undefined) {
    throw new SpecRefusal(
      `Cannot give device "${device.devicePath}": volume "${device.name}" is a directory, wanted a block device, which the node has none of to give`,
    );
  }
  const mounts = (container.volumeMounts ?? []).map((mount) =>
    input.imageVolumes?.has(mount.name) === true
      ? imageMount(mount, input)
      : volumeMount(mount, input)
  );
  if (
    hostsFile !== undefined &&
    !mounts.some((mount) => mount.containerPath === HOSTS_PATH)
  ) {
    mounts.push({ containerPath: HOSTS_PATH, hostPath: hostsFile });
  }
  const logPath = terminationLogPath(container);
  if (terminationLog !== undefined && logPath !== "") {
    mounts.push({ containerPath: logPath, hostPath: terminationLog });
  }
  return mounts;
}

/**
 * The paths below volumes that a container mounts, `subPathExpr` expanded.
 *
 * @throws {SpecRefusal} for a path that leaves its volume as it is written, names a
 * variable that the container has not, or a volume that is not there
 */
export function wantedSubPaths(
  container: Pick<ContainerSpec, "volumeMounts">,
  options: {
    readonly volumes: ReadonlyMap<string, VolumeSource>;
    readonly environment: Environment;
  },
): readonly WantedSubPath[] {
  const { volumes, environment } = options;
  return (container.volumeMounts ?? []).flatMap((mount) => {
    const subPath = subPathOf(mount, environment);
    const source = volumes.get(mount.name);
    if (subPath === "" || source === undefined) return [];
    const { name: volume, mountPath } = mount;
    const { hostPath: volumeRoot, readOnly } = source;
    const written = mount.subPathExpr || subPath;
    return [{ mountPath, volume, volumeRoot, subPath, written, readOnly }];
  });
}

/**
 * The images that a container mounts, each once.
 *
 * @throws {SpecRefusal} when the runtime cannot mount images
 */
export function wantedImages(
  pod: Pick<Pod, "spec">,
  container: Pick<ContainerSpec, "volumeMounts">,
  abilities: MountAbilities,
): readonly WantedImage[] {
  const { volumeMounts = [] } = container;
  return (pod.spec.volumes ?? []).flatMap(({ name, image }) => {
    const mount = volumeMounts.find((mount) => mount.name === name);
    if (image === undefined || mount === undefined) return [];
    if (!abilities.imageVolumes) {
      throw refused(
        mount,
        `it is an image, and ${abilities.runtime} mounts no images, wanted containerd 2.1 or CRI-O 1.31 at least`,
      );
    }
    const { reference = "", pullPolicy } = image;
    return [{ volume: name, reference, pullPolicy }];
  });
}

/**
 * What a mount shows of its volume; empty for all of it.
 *
 * @throws {SpecRefusal} for a path that leaves the volume as it is written, or names
 * a variable that is not known
 */
function subPathOf(mount: VolumeMount, environment: Environment): string {
  const { subPath = "", subPathExpr = "" } = mount;
  const get = (name: string): string => {
    const value = environment.get(name);
    if (value !== undefined) return value;
    throw refused(
      mount,
      `"subPathExpr" names variable "${name}", which the container has not`,
    );
  };
  const isWritten = subPathExpr === "";
  return checkSubPath(
    mount,
    isWritten ? subPath : expand(subPathExpr, { get }),
  );
}

/** The kernel takes no longer path (PATH_MAX). */
const MAX_SUB_PATH = 4095;

/** Validation has seen what was written, but not what it expands to. */
function checkSubPath(mount: VolumeMount, path: string): string {
  // What it expands to may be secret.
  const shown = `subpath "${mount.subPathExpr || path}"`;
  const fault = path.length > MAX_SUB_PATH
    ? `its subpath has ${path.length} characters, wanted at most ${MAX_SUB_PATH}`
    : path.startsWith("/")
    ? `${shown} is absolute, wanted a relative one`
    : path.split("/").includes("..")
    ? `${shown} is not within the volume, wanted one without ".."`
    : path.includes("\0")
    ? "its subpath holds a NUL byte"
    : undefined;
  if (fault !== undefined) throw refused(mount, fault);
  return path;
}

function volumeMount(mount: VolumeMount, input: ContainerSpecInput): Mount {
  const source = input.volumes.get(mount.name);
  if (source === undefined) {
    throw refused(mount, "the pod has no such volume, or it is not set up");
  }
  const propagation = mountPropagation(mount);
  const recursive = recursiveReadOnly(mount, input.abilities);
  return {
    containerPath: containerMountPath(mount.mountPath),
    hostPath: hostPath(mount, source, input),
    ...(mount.readOnly === true || source.readOnly ? { readonly: true } : {}),
    ...(propagation === undefined ? {} : { propagation }),
    ...(recursive ? { recursiveReadOnly: true } : {}),
  };
}

/** An image is read-only by nature, and a path in it is the runtime's to resolve. */
function imageMount(mount: VolumeMount, input: ContainerSpecInput): Mount {
  const image = input.imageVolumes?.get(mount.name);
  if (image === undefined) throw refused(mount, "its image is not there");
  const imageSubPath = subPathOf(mount, input.environment ?? new Map());
  return {
    containerPath: containerMountPath(mount.mountPath),
    hostPath: "",
    image,
    ...(imageSubPath === "" ? {} : { imageSubPath }),
  };
}

function hostPath(
  mount: VolumeMount,
  source: VolumeSource,
  { subPaths }: ContainerSpecInput,
): string {
  const { subPath = "", subPathExpr = "" } = mount;
  if (subPath === "" && subPathExpr === "") return source.hostPath;
  const path = subPaths?.get(mount.mountPath);
  if (path !== undefined) return path;
  throw refused(mount, "its subpath was not looked for in the volume");
}

/** Upstream: pkg/kubelet/kubelet_pods.go resolveRecursiveReadOnly. */
function recursiveReadOnly(
  mount: VolumeMount,
  { runtime, recursiveReadOnly: isPossible }: MountAbilities,
): boolean {
  const { recursiveReadOnly: wanted = "Disabled" } = mount;
  if (wanted === "Disabled") return false;
  const fault = mount.readOnly !== true
    ? `is "${wanted}" and "readOnly" is not true`
    : mountPropagation(mount) !== undefined
    ? `is "${wanted}" and "mountPropagation" is "${mount.mountPropagation}", wanted "None"`
    : wanted === "IfPossible" || isPossible
    ? undefined
    : wanted === "Enabled"
    ? `is "Enabled", and ${runtime} does not support it`
    : `is "${wanted}", wanted "Disabled", "IfPossible" or "Enabled"`;
  if (fault !== undefined) throw refused(mount, `"recursiveReadOnly" ${fault}`);
  return isPossible;
}

function mountPropagation(mount: VolumeMount): Mount["propagation"] {
  switch (mount.mountPropagation) {
    case undefined:
    case "None":
      return undefined;
    case "HostToContainer":
      return "host_to_container";
    case "Bidirectional":
      return "bidirectional";
    default:
      throw refused(
        mount,
        `"mountPropagation" is "${mount.mountPropagation}", wanted "None", "HostToContainer" or "Bidirectional"`,
      );
  }
}

function refused(mount: VolumeMount, found: string): SpecRefusal {
  return new SpecRefusal(
    `Cannot mount volume "${mount.name}" at "${mount.mountPath}": ${found}`,
  );
}
