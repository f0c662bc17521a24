/**
 * The configurations of sandboxes and containers in the agent's own types. Sets that are
 * closed on the wire are unions of string literals; an absent field is not sent.
 *
 * @module
 */

export type {
  ContainerConfig,
  ContainerSecurityContext,
  IdMapping,
  ImageSpec,
  LinuxResources,
  Mount,
  MountPropagation,
  NamespaceMode,
  NamespaceOptions,
  PortMapping,
  SandboxConfig,
  SandboxMetadata,
  SandboxSecurityContext,
  SecurityProfile,
  SeLinuxOptions,
  SupplementalGroupsPolicy,
} from "./pod_config.ts";
