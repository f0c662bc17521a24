/**
 * The objects that make pods (Deployment, Job and their like), as types: decoded and with
 * their defaults, as a manifest or a store gives them; and what they are called.
 *
 * @example A template of pods
 * ```ts
 * import type { PodTemplate } from "./mod.ts";
 *
 * const template: PodTemplate = {
 *   metadata: { labels: { app: "web" } },
 *   spec: { containers: [{ name: "server", image: "busybox" }] },
 * };
 * template satisfies { readonly spec: object };
 * ```
 *
 * @module
 */

export type {
  ApiObject,
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  JobTemplate,
  LabelSelector,
  ManifestMeta,
  OwnerReference,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  StoredMeta,
  Workload,
  WorkloadKind,
  WorkloadManifest,
} from "./workload.ts";
export {
  isWorkloadKind,
  WORKLOAD_VERSIONS,
  workloadId,
  workloadTemplate,
} from "./workload_parts.ts";
