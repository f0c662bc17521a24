/**
 * The configurations of sandboxes and containers in the agent's own types. Sets that are
 * closed on the wire are unions of string literals; an absent field is not sent.
 *
 * @example A container that may use half a processor
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import type { ContainerConfig } from "./mod.ts";
 *
 * const config: ContainerConfig = {
 *   metadata: { name: "server", attempt: 0 },
 *   image: { image: "busybox" },
 *   labels: {},
 *   annotations: {},
 *   linux: { resources: { cpuPeriod: 100_000n, cpuQuota: 50_000n } },
 * };
 * strictEqual(config.linux?.securityContext, undefined);
 * ```
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
  SupplementalGroupsPolicy,
} from "./pod_config.ts";
