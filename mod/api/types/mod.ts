/**
 * The objects of the Kubernetes API that the agent works with, as types: pods, their
 * parts, and events. The pod types are those of @kubernetes/client-node made read-only,
 * with times as strings. Nothing here has code that runs.
 *
 * @example A pod of one container
 * ```ts
 * import type { Pod } from "./mod.ts";
 *
 * const pod: Pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "shop", uid: "u1" },
 *   spec: { containers: [{ name: "server", image: "busybox" }] },
 * };
 * pod satisfies { readonly kind: "Pod" };
 * ```
 *
 * @module
 */

export type {
  EventFacts,
  EventSink,
  PodEvent,
  PodRef,
  WireEvent,
} from "./event.ts";
export type {
  CgroupDriver,
  ContainerKind,
  ContainerPort,
  ContainerSpec,
  ContainerState,
  ContainerStatus,
  EnvVar,
  EnvVarSource,
  Lifecycle,
  LifecycleHandler,
  ObjectMeta,
  Pod,
  PodBody,
  PodCondition,
  PodPhase,
  PodSecurityContext,
  PodSpec,
  PodStatus,
  Probe,
  ProjectedSource,
  ResourceRequirements,
  SecurityContext,
  Volume,
  VolumeMount,
  Wire,
} from "./pod.ts";
