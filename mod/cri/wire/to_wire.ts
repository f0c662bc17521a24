/**
 * From the agent's types to the messages of the wire.
 *
 * On the wire nothing is absent but messages: what the agent leaves out becomes
 * the zero value, which a runtime takes for its default.
 *
 * @module
 */

import type * as wire from "../../../proto/gen/runtime/v1/api.ts";
import {
  type ContainerFilter,
  type RuntimeContainerState,
  type SandboxFilter,
  type SandboxState,
  stopSignalToWire,
} from "../model/mod.ts";
import type {
  ContainerConfig,
  ContainerSecurityContext,
  ImageSpec,
  LinuxResources,
  Mount,
  MountPropagation,
  NamespaceMode,
  NamespaceOptions,
  PortMapping,
  SandboxConfig,
  SandboxSecurityContext,
  SecurityProfile,
  SeLinuxOptions,
  SupplementalGroupsPolicy,
} from "../config/mod.ts";

const NAMESPACE_MODE: Readonly<Record<NamespaceMode, wire.NamespaceMode>> = {
  pod: 0,
  container: 1,
  node: 2,
  target: 3,
};

const PROTOCOL: Readonly<Record<PortMapping["protocol"], wire.Protocol>> = {
  TCP: 0,
  UDP: 1,
  SCTP: 2,
};

const PROPAGATION: Readonly<Record<MountPropagation, wire.MountPropagation>> = {
  private: 0,
  host_to_container: 1,
  bidirectional: 2,
};

const GROUPS_POLICY: Readonly<
  Record<SupplementalGroupsPolicy, wire.SupplementalGroupsPolicy>
> = { merge: 0, strict: 1 };

const PROFILE_TYPE: Readonly<
  Record<SecurityProfile["kind"], wire.SecurityProfile_ProfileType>
> = { runtime_default: 0, unconfined: 1, localhost: 2 };

const SANDBOX_STATE: Readonly<Record<SandboxState, wire.PodSandboxState>> = {
  ready: 0,
  not_ready: 1,
};

const CONTAINER_STATE: Readonly<
  Record<RuntimeContainerState, wire.ContainerState>
> = {
  created: 0,
  running: 1,
  exited: 2,
  unknown: 3,
};

const NO_ENTRIES: Readonly<Record<string, string>> = {};

const utf8 = new TextEncoder();

/** The message for a sandbox config, which every CreateContainer repeats. */
export function sandboxConfigToWire(
  config: SandboxConfig,
): wire.PodSandboxConfig {
  const { linux } = config;
  return {
    metadata: config.metadata,
    hostname: config.hostname ?? "",
    logDirectory: config.logDirectory ?? "",
    dnsConfig: config.dnsConfig,
    portMappings: config.portMappings?.map(portMapping) ?? [],
    labels: config.labels,
    annotations: config.annotations,
    linux: linux && {
      cgroupParent: linux.cgroupParent ?? "",
      securityContext: linux.securityContext &&
        sandboxSecurity(linux.securityContext),
      sysctls: linux.sysctls ?? NO_ENTRIES,
      overhead: linux.overhead && resourcesToWire(linux.overhead),
      resources: linux.resources && resourcesToWire(linux.resources),
    },
  };
}

/** The message for a container config. */
export function containerConfigToWire(
  config: ContainerConfig,
): wire.ContainerConfig {
  const { linux } = config;
  return {
    metadata: config.metadata,
    image: imageSpecToWire(config.image),
    command: config.command ?? [],
    args: config.args ?? [],
    workingDir: config.workingDir ?? "",
    envs: config.envs?.map(environmentVariable) ?? [],
    mounts: config.mounts?.map(mount) ?? [],
    devices: config.devices ?? [],
    labels: config.labels,
    annotations: config.annotations,
    logPath: config.logPath ?? "",
    stdin: config.stdin ?? false,
    stdinOnce: config.stdinOnce ?? false,
    tty: config.tty ?? false,
    linux: linux && {
      resources: linux.resources && resourcesToWire(linux.resources),
      securityContext: linux.securityContext &&
        containerSecurity(linux.securityContext),
    },
    stopSignal: stopSignalToWire(config.stopSignal),
  };
}

/** The message for the name of an image. */
export function imageSpecToWire(spec: ImageSpec): wire.ImageSpec {
  return {
    image: spec.image,
    annotations: spec.annotations ?? NO_ENTRIES,
    userSpecifiedImage: spec.userSpecifiedImage ?? "",
    runtimeHandler: spec.runtimeHandler ?? "",
  };
}

/** The message for cgroup settings. */
export function resourcesToWire(
  resources: LinuxResources,
): wire.LinuxContainerResources {
  return {
    cpuPeriod: resources.cpuPeriod ?? 0n,
    cpuQuota: resources.cpuQuota ?? 0n,
    cpuShares: resources.cpuShares ?? 0n,
    memoryLimitInBytes: resources.memoryLimitInBytes ?? 0n,
    oomScoreAdj: resources.oomScoreAdj ?? 0n,
    cpusetCpus: resources.cpusetCpus ?? "",
    cpusetMems: resources.cpusetMems ?? "",
    hugepageLimits: resources.hugepageLimits ?? [],
    unified: resources.unified ?? NO_ENTRIES,
    memorySwapLimitInBytes: resources.memorySwapLimitInBytes ?? 0n,
  };
}

/** The message for a filter of sandboxes. */
export function sandboxFilterToWire(
  filter: SandboxFilter,
): wire.PodSandboxFilter {
  return {
    id: filter.id ?? "",
    state: filter.state && { state: SANDBOX_STATE[filter.state] },
    labelSelector: filter.labels ?? NO_ENTRIES,
  };
}

/** The message for a filter of containers. */
export function containerFilterToWire(
  filter: ContainerFilter,
): wire.ContainerFilter {
  return {
    id: filter.id ?? "",
    state: filter.state && { state: CONTAINER_STATE[filter.state] },
    podSandboxId: filter.sandboxId ?? "",
    labelSelector: filter.labels ?? NO_ENTRIES,
  };
}

function portMapping(mapping: PortMapping): wire.PortMapping {
  return { ...mapping, protocol: PROTOCOL[mapping.protocol] };
}

function environmentVariable(
  variable: { readonly key: string; readonly value: string },
): wire.KeyValue {
  return { key: variable.key, value: utf8.encode(variable.value) };
}

function mount(mount: Mount): wire.Mount {
  return {
    containerPath: mount.containerPath,
    hostPath: mount.hostPath,
    readonly: mount.readonly ?? false,
    selinuxRelabel: mount.seLinuxRelabel ?? false,
    propagation: PROPAGATION[mount.propagation ?? "private"],
    uidMappings: mount.idMappings ?? [],
    gidMappings: mount.idMappings ?? [],
    recursiveReadOnly: mount.recursiveReadOnly ?? false,
    image: mount.image && imageSpecToWire(mount.image),
    imageSubPath: mount.imageSubPath ?? "",
  };
}

function sandboxSecurity(
  context: SandboxSecurityContext,
): wire.LinuxSandboxSecurityContext {
  return {
    ...commonSecurity(context),
    privileged: context.privileged ?? false,
  };
}

function containerSecurity(
  context: ContainerSecurityContext,
): wire.LinuxContainerSecurityContext {
  const { capabilities } = context;
  return {
    ...commonSecurity(context),
    capabilities: capabilities && {
      addCapabilities: capabilities.add,
      dropCapabilities: capabilities.drop,
    },
    privileged: context.privileged ?? false,
    runAsUsername: context.runAsUsername ?? "",
    // Deprecated, but all that a runtime before CRI v1.1 reads; upstream sends both.
    apparmorProfile: context.appArmor === undefined
      ? ""
      : appArmorText(context.appArmor),
    noNewPrivs: context.noNewPrivs ?? false,
    maskedPaths: context.maskedPaths ?? [],
    readonlyPaths: context.readonlyPaths ?? [],
  };
}

type CommonSecurity = Omit<wire.LinuxSandboxSecurityContext, "privileged">;

function commonSecurity(
  context: SandboxSecurityContext | ContainerSecurityContext,
): CommonSecurity {
  const policy = context.supplementalGroupsPolicy ?? "merge";
  return {
    namespaceOptions: context.namespaceOptions &&
      namespaces(context.namespaceOptions),
    selinuxOptions: context.seLinuxOptions && seLinux(context.seLinuxOptions),
    runAsUser: int64(context.runAsUser),
    runAsGroup: int64(context.runAsGroup),
    readonlyRootfs: context.readonlyRootfs ?? false,
    supplementalGroups: context.supplementalGroups ?? [],
    supplementalGroupsPolicy: GROUPS_POLICY[policy],
    seccomp: context.seccomp && profile(context.seccomp),
    apparmor: context.appArmor && profile(context.appArmor),
  };
}

function namespaces(options: NamespaceOptions): wire.NamespaceOption {
  const { userns } = options;
  return {
    network: NAMESPACE_MODE[options.network ?? "pod"],
    pid: NAMESPACE_MODE[options.pid ?? "pod"],
    ipc: NAMESPACE_MODE[options.ipc ?? "pod"],
    targetId: options.targetId ?? "",
    usernsOptions: userns && {
      mode: NAMESPACE_MODE[userns.mode],
      uids: userns.uids ?? [],
      gids: userns.gids ?? [],
    },
  };
}

function seLinux(options: SeLinuxOptions): wire.SELinuxOption {
  return {
    user: options.user ?? "",
    role: options.role ?? "",
    type: options.type ?? "",
    level: options.level ?? "",
  };
}

function profile(profile: SecurityProfile): wire.SecurityProfile {
  return {
    profileType: PROFILE_TYPE[profile.kind],
    localhostRef: profile.kind === "localhost" ? profile.localhostRef : "",
  };
}

function appArmorText(profile: SecurityProfile): string {
  switch (profile.kind) {
    case "runtime_default":
      return "runtime/default";
    case "unconfined":
      return "unconfined";
    case "localhost":
      return `localhost/${profile.localhostRef}`;
  }
}

function int64(value: bigint | undefined): wire.Int64Value | undefined {
  return value === undefined ? undefined : { value };
}
