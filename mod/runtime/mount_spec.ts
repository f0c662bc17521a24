/**
 * The mounts of a container.
 *
 * @module
 */

import type { ContainerSpec, VolumeMount } from "../api/mod.ts";
import type { Mount } from "../cri/mod.ts";
import { HOSTS_PATH } from "./hosts_file.ts";
import type { ContainerSpecInput, VolumeSource } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** Where a container writes its last words unless it says otherwise. */
export const DEFAULT_TERMINATION_LOG_PATH = "/dev/termination-log";

/** Where the container writes its last words; empty when it wants no such file. */
export function terminationLogPath(
  container: Pick<ContainerSpec, "terminationMessagePath">,
): string {
  return container.terminationMessagePath ?? DEFAULT_TERMINATION_LOG_PATH;
}

/** What the mounts of one container depend on. */
export type ContainerMountsInput = Pick<
  ContainerSpecInput,
  "container" | "volumes" | "hostsFile" | "terminationLog"
>;

/**
 * The mounts of one container: its volumes in the order of the spec, then the
 * managed hosts file unless it mounts its own, then the termination log.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeMounts.
 *
 * @throws {SpecRefusal} when a mount names no volume of the pod or wants what is not supported
 */
export function containerMounts(input: ContainerMountsInput): readonly Mount[] {
  const { container, volumes, hostsFile, terminationLog } = input;
  const device = container.volumeDevices?.[0];
  if (device !== undefined) {
    throw new SpecRefusal(
      `Cannot give device "${device.devicePath}": block volumes are not supported yet`,
    );
  }
  const mounts = (container.volumeMounts ?? []).map((mount) =>
    volumeMount(mount, volumes.get(mount.name))
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

function volumeMount(
  mount: VolumeMount,
  source: VolumeSource | undefined,
): Mount {
  if (source === undefined) {
    throw refused(mount, "the pod has no such volume, or it is not set up");
  }
  // Without mount(2) a path below the volume cannot be pinned: a container could
  // exchange a part of it for a link to the node's files before the runtime
  // follows it (CVE-2017-1002101).
  if ((mount.subPath ?? "") !== "" || (mount.subPathExpr ?? "") !== "") {
    throw refused(mount, '"subPath" is not supported yet');
  }
  // `IfPossible` is satisfied by an ordinary read-only mount.
  if (mount.recursiveReadOnly === "Enabled") {
    throw refused(mount, '"recursiveReadOnly" is not supported yet');
  }
  const propagation = mountPropagation(mount);
  return {
    containerPath: mount.mountPath.startsWith("/")
      ? mount.mountPath
      : `/${mount.mountPath}`,
    hostPath: source.hostPath,
    ...(mount.readOnly === true || source.readOnly ? { readonly: true } : {}),
    ...(propagation === undefined ? {} : { propagation }),
  };
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
