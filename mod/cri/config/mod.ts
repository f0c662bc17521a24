/**
 * The configurations of sandboxes and containers in the agent's own types.
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
