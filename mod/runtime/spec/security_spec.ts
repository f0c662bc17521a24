/**
 * The security settings of sandboxes and containers.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import type {
  ContainerSecurityContext,
  NamespaceOptions,
  SandboxSecurityContext,
} from "../../cri/config/mod.ts";
import { appArmorProfile, seccompProfile } from "./profile_spec.ts";
import type { ContainerSpecInput, SpecNode } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

type ImageUser = ContainerSpecInput["imageUser"];

// What a container must not read or write below /proc and /sys, as the kubelet
// and all runtimes have it; upstream pkg/securitycontext/util.go.
const MASKED_PATHS: readonly string[] = [
  "/proc/asound",
  "/proc/acpi",
  "/proc/interrupts",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/sys/firmware",
  "/sys/devices/virtual/powercap",
];
const READONLY_PATHS: readonly string[] = [
  "/proc/bus",
  "/proc/fs",
  "/proc/irq",
  "/proc/sys",
  "/proc/sysrq-trigger",
];

/**
 * Where processors show their temperature, by which one container could spy on the others.
 * Runtimes pass over a path that is not there, so the agent does not look which there are;
 * upstream does.
 *
 * @param processors how many processors the node has
 */
export function thermalThrottlePaths(processors: number): readonly string[] {
  return Array.from(
    { length: processors },
    (_, index) => `/sys/devices/system/cpu/cpu${index}/thermal_throttle`,
  );
}

/**
 * The namespaces of a pod's processes.
 *
 * Upstream: pkg/kubelet/kuberuntime/util NamespacesForPod.
 *
 * @throws {SpecRefusal} when the pod wants a user namespace and has no ids
 */
export function namespaceOptions(
  pod: Pod,
  options: {
    readonly targetContainerId?: string | undefined;
    readonly idMapping: SpecNode["idMapping"];
  },
): NamespaceOptions {
  const { spec } = pod;
  const { targetContainerId: targetId } = options;
  const target = targetId === undefined
    ? { pid: "container" } as const
    : { pid: "target", targetId } as const;
  return {
    network: spec.hostNetwork === true ? "node" : "pod",
    ipc: spec.hostIPC === true ? "node" : "pod",
    userns: userNamespace(pod, options.idMapping),
    ...spec.hostPID === true
      ? { pid: "node" }
      : spec.shareProcessNamespace === true
      ? { pid: "pod" }
      : target,
  };
}

function userNamespace(
  pod: Pod,
  idMapping: SpecNode["idMapping"],
): NonNullable<NamespaceOptions["userns"]> {
  if (pod.spec.hostUsers !== false) return { mode: "node" };
  const mapping = idMapping(pod.metadata.uid);
  if (mapping === undefined) {
    throw new SpecRefusal(
      `Cannot give pod "${pod.metadata.name}" a user namespace ("hostUsers: false"): it has no ids`,
      { reason: "PodFeatureUnsupported" },
    );
  }
  return { mode: "pod", uids: [mapping], gids: [mapping] };
}

/**
 * The security settings of a pod's sandbox.
 *
 * Upstream: pkg/kubelet/kuberuntime generatePodSandboxLinuxConfig. The sandbox's
 * own process always gets the runtime's seccomp profile.
 *
 * @throws {SpecRefusal} when the pod wants a user namespace and has no ids
 */
export function sandboxSecurity(
  pod: Pod,
  node: Pick<SpecNode, "idMapping">,
): SandboxSecurityContext {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const privileged = [...initContainers, ...containers, ...ephemeralContainers]
    .some((container) => container.securityContext?.privileged === true);
  return {
    namespaceOptions: namespaceOptions(pod, node),
    ...(privileged ? { privileged } : {}),
    ...identity(pod.spec.securityContext ?? {}),
    ...groups(pod),
    seccomp: { kind: "runtime_default" },
  };
}

/**
 * The security settings of one container: those of the pod, overridden by its own.
 *
 * Upstream: pkg/kubelet/kuberuntime determineEffectiveSecurityContext.
 *
 * @throws {SpecRefusal} when it must not run as root and would, or cannot be shown not to
 */
export function containerSecurity(
  input: ContainerSpecInput,
): ContainerSecurityContext {
  const { pod, container, imageUser } = input;
  const own = container.securityContext ?? {};
  const effective = { ...pod.spec.securityContext, ...withoutAbsent(own) };
  if (effective.runAsNonRoot === true) {
    refuseRoot(input, effective.runAsUser);
  }
  const appArmor = appArmorProfile(pod, container);
  return {
    ...(own.capabilities === undefined ? {} : {
      capabilities: {
        add: (own.capabilities.add ?? []).map(capabilityName),
        drop: (own.capabilities.drop ?? []).map(capabilityName),
      },
    }),
    ...(own.privileged === true ? { privileged: true } : {}),
    namespaceOptions: namespaceOptions(pod, {
      targetContainerId: input.targetContainerId,
      idMapping: input.node.idMapping,
    }),
    ...(effective.runAsUser === undefined ? runAs(imageUser) : {}),
    ...identity(effective),
    ...(own.readOnlyRootFilesystem === true ? { readonlyRootfs: true } : {}),
    ...groups(pod),
    ...(own.allowPrivilegeEscalation === false ? { noNewPrivs: true } : {}),
    ...procPaths(own.procMount, input.node),
    seccomp: seccompProfile(input),
    ...(appArmor === undefined ? {} : { appArmor }),
  };
}

/** Leaves out what is present but says nothing, so that it overrides nothing. */
function withoutAbsent<T extends object>(value: T): Partial<T> {
  const entries = Object.entries(value).filter(([, field]) =>
    field !== undefined && field !== null
  );
  // Object.fromEntries forgets the field names, which are those of T.
  return Object.fromEntries(entries) as Partial<T>;
}

/**
 * A capability as runtimes want it, without the `CAP_` of the manual. Upstream sends
 * names as they are written; runc passes over the `CAP_CAP_NET_RAW` that comes of it,
 * and a container that was to lose a capability would keep it.
 */
function capabilityName(name: string): string {
  return name.replace(/^CAP_/i, "");
}

/** The highest user id that the API takes. */
const MAX_UID = 2_147_483_647n;

/** Upstream: pkg/kubelet/kuberuntime verifyRunAsNonRoot, whose words people look for. */
function refuseRoot(
  { pod, container, imageUser }: ContainerSpecInput,
  runAsUser: number | undefined,
): void {
  const who = `pod: "${
    podFullName(pod)
  }(${pod.metadata.uid})", container: ${container.name}`;
  const refusal = (words: string): SpecRefusal =>
    new SpecRefusal(`${words} (${who})`, { cause: { kind: "said", words } });
  if (runAsUser === 0) {
    throw refusal("container's runAsUser breaks non-root policy");
  }
  if (runAsUser !== undefined) return;
  if (imageUser.uid === undefined && imageUser.username !== "") {
    throw refusal(
      `container has runAsNonRoot and image has non-numeric user (${imageUser.username}), cannot verify user is non-root`,
    );
  }
  const imageUid = imageUser.uid ?? 0n;
  // Runtimes have cut off what is above, and run the image as root (CVE-2024-40635).
  if (imageUid < 0n || imageUid > MAX_UID) {
    throw refusal(
      `container has runAsNonRoot and image has user ${imageUid}, wanted 1 to ${MAX_UID}, cannot verify user is non-root`,
    );
  }
  if (imageUid === 0n) {
    throw refusal("container has runAsNonRoot and image will run as root");
  }
}

/** The user of a container when only its image names one; root when it names none. */
function runAs(
  imageUser: ImageUser,
): Pick<ContainerSecurityContext, "runAsUser" | "runAsUsername"> {
  if (imageUser.uid !== undefined) return { runAsUser: imageUser.uid };
  return imageUser.username === ""
    ? { runAsUser: 0n }
    : { runAsUsername: imageUser.username };
}

type PodSecurity = NonNullable<Pod["spec"]["securityContext"]>;

function identity(
  wanted: Pick<PodSecurity, "runAsUser" | "runAsGroup" | "seLinuxOptions">,
): Pick<SandboxSecurityContext, "runAsUser" | "runAsGroup" | "seLinuxOptions"> {
  const { runAsUser, runAsGroup, seLinuxOptions } = wanted;
  return {
    ...(runAsUser === undefined ? {} : { runAsUser: BigInt(runAsUser) }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: BigInt(runAsGroup) }),
    ...(seLinuxOptions === undefined ? {} : { seLinuxOptions }),
  };
}

function groups(
  pod: Pod,
): Pick<
  SandboxSecurityContext,
  "supplementalGroups" | "supplementalGroupsPolicy"
> {
  const { fsGroup, supplementalGroups = [], supplementalGroupsPolicy } =
    pod.spec.securityContext ?? {};
  const all = fsGroup === undefined
    ? supplementalGroups
    : [fsGroup, ...supplementalGroups];
  return {
    ...(all.length === 0 ? {} : { supplementalGroups: all.map(BigInt) }),
    ...(supplementalGroupsPolicy === undefined ? {} : {
      supplementalGroupsPolicy: supplementalGroupsPolicy === "Strict"
        ? "strict"
        : "merge",
    }),
  };
}

function procPaths(
  procMount: string | undefined,
  node: SpecNode,
): Pick<ContainerSecurityContext, "maskedPaths" | "readonlyPaths"> {
  if (procMount === "Unmasked") return { maskedPaths: [], readonlyPaths: [] };
  return {
    maskedPaths: [...MASKED_PATHS, ...node.maskedPaths],
    readonlyPaths: READONLY_PATHS,
  };
}
