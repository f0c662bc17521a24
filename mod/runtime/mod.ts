/**
 * One pod against a container runtime: look at it, execute its plan, end it, clear it
 * away.
 *
 * The builders of configurations are pure and know no runtime; everything else asks
 * it through the CRI ports and reports in the agent's own words.
 *
 * @module
 */

export { Activities } from "./activity.ts";
export { type CacheWatcher, PodCache, unseenPod } from "./cache.ts";
export { PodRemover } from "./collect.ts";
export { findLeftovers, type Leftovers } from "./collect_decision.ts";
export { ContainerEvents } from "./container_event.ts";
export { ContainerFiles, type PodPaths } from "./container_files.ts";
export { ContainerNotes } from "./container_notes.ts";
export { diskFiles } from "./disk_files.ts";
export { parseResolvConf, type ResolverConfig } from "./dns.ts";
export {
  type Execution,
  type ExecutorDeps,
  type ExecutorOptions,
  type PodEnding,
  PodExecutor,
} from "./execute.ts";
export { expandAll } from "./expansion.ts";
export { type ImageReference, parseImageReference } from "./image_reference.ts";
export { PodObserver } from "./look.ts";
export {
  KnownExits,
  type KnownExitsDeps,
  type LookService,
  type ToldStatus,
} from "./known_exits.ts";
export {
  type ForeignItem,
  groupByPod,
  listPod,
  listPods,
  type ListService,
  nothingListed,
  type PodListing,
  type RuntimeListing,
} from "./list_pods.ts";
export {
  type InspectOptions,
  inspectPod,
  type ObserveDeps,
} from "./observe.ts";
export type { SyncFailure, SyncOutcome } from "./outcome.ts";
export type {
  PinnedPath,
  RuntimeFiles,
  SpecBuilder,
  SpecWarning,
  SubPaths,
} from "./ports.ts";
export { PodLister, type PodListerDeps } from "./list_pieces.ts";
export type { PodPart } from "./pod_part.ts";
export { PodResources, type PodResourcesDeps } from "./pod_resources.ts";
export {
  NO_POD_CGROUPS,
  NodePodCgroups,
  type PodCgroups,
  type PodCgroupsOptions,
} from "./pod_cgroups.ts";
export { restorePod } from "./restore_pod.ts";
export { NodeSpecBuilder, type SpecBuilderOptions } from "./spec_builder.ts";
export type {
  CgroupLayout,
  ContainerKind,
  ContainerSpecInput,
  NodeFacts,
  SandboxDns,
  SandboxSpecInput,
  SpecResult,
  VolumeSource,
} from "./spec_input.ts";
export { lastLogText } from "./termination_message.ts";
export { thermalThrottlePaths } from "./security_spec.ts";
export { type UserNamespaceDeps, UserNamespaces } from "./user_namespaces.ts";
export { realPathOf } from "./real_path.ts";
