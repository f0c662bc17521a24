/**
 * The security settings of sandboxes and containers.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/mod.ts";
import type {
  ContainerSecurityContext,
  NamespaceOptions,
  SandboxSecurityContext,
  SecurityProfile,
  SeLinuxOptions,
  SupplementalGroupsPolicy,
} from "../cri/mod.ts";
import type { ContainerSpecInput, NodeFacts } from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** What the security settings of one container depend on. */
export type ContainerSecurityInput =
  & Pick<
    ContainerSpecInput,
    "pod" | "container" | "imageUser" | "targetContainerId"
  >
  & {
    readonly node: Pick<NodeFacts, "seccompDefault" | "seccompProfileRoot">;
  };

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
const APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/";

/**
 * The namespaces of a pod's processes.
 *
 * Upstream: pkg/kubelet/kuberuntime/util NamespacesForPod.
 *
 * @throws {SpecRefusal} when the pod wants a user namespace
 */
export function namespaceOptions(
  pod: Pod,
  targetContainerId?: string,
): NamespaceOptions {
  const { spec } = pod;
  if (spec.hostUsers === false) {
    throw new SpecRefusal(
      `Cannot run pod "${pod.metadata.name}": "hostUsers" is "false", and user namespaces are not supported yet`,
    );
  }
  const shared = {
    network: spec.hostNetwork === true ? "node" : "pod",
    ipc: spec.hostIPC === true ? "node" : "pod",
    userns: { mode: "node" },
  } as const;
  if (spec.hostPID === true) return { ...shared, pid: "node" };
  if (spec.shareProcessNamespace === true) return { ...shared, pid: "pod" };
  if (targetContainerId !== undefined) {
    return { ...shared, pid: "target", targetId: targetContainerId };
  }
  return { ...shared, pid: "container" };
}

/**
 * The security settings of a pod's sandbox.
 *
 * Upstream: pkg/kubelet/kuberuntime generatePodSandboxLinuxConfig. The sandbox's
 * own process always gets the runtime's seccomp profile.
 *
 * @throws {SpecRefusal} when the pod wants a user namespace
 */
export function sandboxSecurity(pod: Pod): SandboxSecurityContext {
  const { initContainers = [], containers, ephemeralContainers = [] } =
    pod.spec;
  const privileged = [...initContainers, ...containers, ...ephemeralContainers]
    .some((container) => container.securityContext?.privileged === true);
  return {
    namespaceOptions: namespaceOptions(pod),
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
  input: ContainerSecurityInput,
): ContainerSecurityContext {
  const { pod, container, imageUser } = input;
  const own = container.securityContext ?? {};
  const effective = { ...pod.spec.securityContext, ...withoutAbsent(own) };
  if (effective.runAsNonRoot === true) {
    refuseRoot(container.name, effective.runAsUser, imageUser);
  }
  const appArmor = appArmorProfile(pod, container);
  return {
    ...(own.capabilities === undefined ? {} : {
      capabilities: {
        add: own.capabilities.add ?? [],
        drop: own.capabilities.drop ?? [],
      },
    }),
    ...(own.privileged === true ? { privileged: true } : {}),
    namespaceOptions: namespaceOptions(pod, input.targetContainerId),
    ...(effective.runAsUser === undefined ? runAs(imageUser) : {}),
    ...identity(effective),
    ...(own.readOnlyRootFilesystem === true ? { readonlyRootfs: true } : {}),
    ...groups(pod),
    ...(own.allowPrivilegeEscalation === false ? { noNewPrivs: true } : {}),
    ...procPaths(own.procMount),
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

function refuseRoot(
  container: string,
  runAsUser: number | undefined,
  imageUser: ImageUser,
): void {
  const wanted = `"runAsNonRoot" wants a user other than root`;
  const refuse = (found: string) =>
    new SpecRefusal(`Cannot run container "${container}": ${found}, ${wanted}`);
  if (runAsUser === 0) throw refuse(`"runAsUser" is "0"`);
  if (runAsUser !== undefined) return;
  if (imageUser.uid === undefined && imageUser.username !== "") {
    throw refuse(
      `the image's user is the name "${imageUser.username}", which may be root's`,
    );
  }
  if ((imageUser.uid ?? 0n) === 0n) throw refuse("the image runs as root");
}

/** Whom a container runs as when only its image has a say; root when it has none. */
function runAs(
  imageUser: ImageUser,
): Pick<ContainerSecurityContext, "runAsUser" | "runAsUsername"> {
  if (imageUser.uid !== undefined) return { runAsUser: imageUser.uid };
  return imageUser.username === ""
    ? { runAsUser: 0n }
    : { runAsUsername: imageUser.username };
}

interface Identity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly seLinuxOptions?: SeLinuxOptions;
}

function identity(
  wanted: Identity,
): Pick<SandboxSecurityContext, "runAsUser" | "runAsGroup" | "seLinuxOptions"> {
  const { runAsUser, runAsGroup, seLinuxOptions } = wanted;
  return {
    ...(runAsUser === undefined ? {} : { runAsUser: BigInt(runAsUser) }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: BigInt(runAsGroup) }),
    ...(seLinuxOptions === undefined ? {} : { seLinuxOptions }),
  };
}

interface Groups {
  readonly supplementalGroups?: readonly bigint[];
  readonly supplementalGroupsPolicy?: SupplementalGroupsPolicy;
}

function groups(pod: Pod): Groups {
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
): Pick<ContainerSecurityContext, "maskedPaths" | "readonlyPaths"> {
  if (procMount === "Unmasked") return { maskedPaths: [], readonlyPaths: [] };
  return { maskedPaths: MASKED_PATHS, readonlyPaths: READONLY_PATHS };
}

interface WrittenProfile {
  readonly type: string;
  readonly localhostProfile?: string;
}

function seccompProfile(input: ContainerSecurityInput): SecurityProfile {
  const { pod, container, node } = input;
  const written: WrittenProfile | undefined =
    container.securityContext?.seccompProfile ??
      pod.spec.securityContext?.seccompProfile;
  switch (written?.type) {
    case "RuntimeDefault":
      return { kind: "runtime_default" };
    case "Localhost":
      return {
        kind: "localhost",
        localhostRef: `${node.seccompProfileRoot}/${localhostProfile(written)}`,
      };
    case undefined:
      return { kind: node.seccompDefault ? "runtime_default" : "unconfined" };
    default:
      return { kind: "unconfined" };
  }
}

/** The profile's path, which may not lead out of the profile directory. */
function localhostProfile(written: WrittenProfile): string {
  const path = written.localhostProfile ?? "";
  if (path === "" || path.startsWith("/") || path.split("/").includes("..")) {
    throw new SpecRefusal(
      `Cannot use seccomp profile "${path}": wanted a relative path without ".."`,
    );
  }
  return path;
}

/** The container's own field, then its annotation, then the pod's field. */
function appArmorProfile(
  pod: Pod,
  container: ContainerSpec,
): SecurityProfile | undefined {
  const own: WrittenProfile | undefined = container.securityContext
    ?.appArmorProfile;
  if (own !== undefined) return appArmorField(own);
  const annotations = pod.metadata.annotations ?? {};
  const key = `${APPARMOR_ANNOTATION}${container.name}`;
  const annotated = Object.hasOwn(annotations, key)
    ? appArmorAnnotation(annotations[key] ?? "")
    : undefined;
  if (annotated !== undefined) return annotated;
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  return ofPod === undefined ? undefined : appArmorField(ofPod);
}

function appArmorField(written: WrittenProfile): SecurityProfile {
  switch (written.type) {
    case "RuntimeDefault":
      return { kind: "runtime_default" };
    case "Localhost":
      return {
        kind: "localhost",
        localhostRef: written.localhostProfile ?? "",
      };
    default:
      return { kind: "unconfined" };
  }
}

function appArmorAnnotation(value: string): SecurityProfile | undefined {
  if (value === "") return undefined;
  if (value === "runtime/default") return { kind: "runtime_default" };
  if (value === "unconfined") return { kind: "unconfined" };
  if (value.startsWith("localhost/") && value !== "localhost/") {
    return {
      kind: "localhost",
      localhostRef: value.slice("localhost/".length),
    };
  }
  throw new SpecRefusal(
    `Cannot use AppArmor profile "${value}": wanted "runtime/default", "unconfined" or "localhost/" and a name`,
  );
}
