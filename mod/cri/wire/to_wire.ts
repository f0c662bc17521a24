/**
 * From the agent's types to the messages of the wire.
 *
 * On the wire nothing is absent but messages: what the agent leaves out becomes
 * the zero value, which a runtime takes for its default.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";
import {
  type ContainerFilter,
  type RegistryAuth,
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

const utf8 = new TextEncoder();

/** The message for a sandbox config, which every CreateContainer repeats. */
export function sandboxConfigToWire(
  config: SandboxConfig,
): wire.PodSandboxConfig {
  const { linux, portMappings = [] } = config;
  return filled(wire.PodSandboxConfig, {
    ...config,
    portMappings: portMappings.map((each) => ({
      ...each,
      protocol: PROTOCOL[each.protocol],
    })),
    linux: linux && filled(wire.LinuxPodSandboxConfig, {
      ...linux,
      securityContext: linux.securityContext &&
        filled(
          wire.LinuxSandboxSecurityContext,
          security(linux.securityContext),
        ),
      overhead: linux.overhead && resourcesToWire(linux.overhead),
      resources: linux.resources && resourcesToWire(linux.resources),
    }),
  });
}

/** The message for a container config. */
export function containerConfigToWire(
  config: ContainerConfig,
): wire.ContainerConfig {
  const { linux, envs = [], mounts = [] } = config;
  return filled(wire.ContainerConfig, {
    ...config,
    image: imageSpecToWire(config.image),
    envs: envs.map(({ key, value }) => ({ key, value: utf8.encode(value) })),
    mounts: mounts.map(mount),
    linux: linux && {
      resources: linux.resources && resourcesToWire(linux.resources),
      securityContext: linux.securityContext &&
        containerSecurity(linux.securityContext),
    },
    stopSignal: stopSignalToWire(config.stopSignal),
  });
}

/** The message for the name of an image. */
export function imageSpecToWire(spec: ImageSpec): wire.ImageSpec {
  return filled(wire.ImageSpec, spec);
}

/** The message for what a registry is shown. */
export function authToWire(auth: RegistryAuth): wire.AuthConfig {
  return filled(wire.AuthConfig, auth);
}

/** The message for cgroup settings. */
export function resourcesToWire(
  resources: LinuxResources,
): wire.LinuxContainerResources {
  return filled(wire.LinuxContainerResources, resources);
}

/** The message for a filter of sandboxes. */
export function sandboxFilterToWire(
  { state, labels = {} }: SandboxFilter,
): wire.PodSandboxFilter {
  return filled(wire.PodSandboxFilter, {
    state: state && { state: SANDBOX_STATE[state] },
    labelSelector: labels,
  });
}

/** The message for a filter of containers. */
export function containerFilterToWire(
  { state, sandboxId = "", labels = {} }: ContainerFilter,
): wire.ContainerFilter {
  return filled(wire.ContainerFilter, {
    state: state && { state: CONTAINER_STATE[state] },
    podSandboxId: sandboxId,
    labelSelector: labels,
  });
}

/**
 * A message with these fields, all others zero. A field that the message does not have
 * does not compile.
 */
function filled<T, Given extends Partial<T>>(
  type: wire.MessageFns<T>,
  given: Given & Readonly<Record<Exclude<keyof Given, keyof T>, never>>,
): T {
  return { ...type.decode(NOTHING), ...given };
}

const NOTHING = new Uint8Array();

function mount(
  { propagation = "private", idMappings = [], image, ...same }: Mount,
): wire.Mount {
  return filled(wire.Mount, {
    ...same,
    propagation: PROPAGATION[propagation],
    uidMappings: idMappings,
    gidMappings: idMappings,
    image: image && imageSpecToWire(image),
  });
}

function containerSecurity(
  context: ContainerSecurityContext,
): wire.LinuxContainerSecurityContext {
  const { capabilities, appArmor } = context;
  const { noNewPrivs = false, runAsUsername = "" } = context;
  const { maskedPaths = [], readonlyPaths = [] } = context;
  return filled(wire.LinuxContainerSecurityContext, {
    ...security(context),
    capabilities: capabilities && {
      addCapabilities: capabilities.add,
      dropCapabilities: capabilities.drop,
    },
    // Deprecated, but all that a runtime before CRI v1.1 reads; upstream sends both.
    apparmorProfile: appArmor === undefined ? "" : appArmorText(appArmor),
    runAsUsername,
    noNewPrivs,
    maskedPaths,
    readonlyPaths,
  });
}

/** What sandboxes and containers say in the same way. */
function security(context: SandboxSecurityContext) {
  const { namespaceOptions, seLinuxOptions, seccomp, appArmor, ...same } =
    context;
  const { supplementalGroupsPolicy = "merge" } = context;
  return {
    ...same,
    namespaceOptions: namespaceOptions && namespaces(namespaceOptions),
    selinuxOptions: seLinuxOptions &&
      filled(wire.SELinuxOption, seLinuxOptions),
    runAsUser: int64(context.runAsUser),
    runAsGroup: int64(context.runAsGroup),
    supplementalGroupsPolicy: GROUPS_POLICY[supplementalGroupsPolicy],
    seccomp: seccomp && profile(seccomp),
    apparmor: appArmor && profile(appArmor),
  };
}

function namespaces(
  { network = "pod", pid = "pod", ipc = "pod", targetId = "", userns }:
    NamespaceOptions,
): wire.NamespaceOption {
  return {
    network: NAMESPACE_MODE[network],
    pid: NAMESPACE_MODE[pid],
    ipc: NAMESPACE_MODE[ipc],
    targetId,
    usernsOptions: userns && filled(wire.UserNamespace, {
      ...userns,
      mode: NAMESPACE_MODE[userns.mode],
    }),
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
