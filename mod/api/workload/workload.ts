/**
 * The objects that make pods, as they are read from an API: decoded, with their defaults.
 *
 * Like the types of pods they are the published client's, with dates as strings.
 *
 * @module
 */

import type {
  V1ControllerRevision,
  V1CronJobSpec,
  V1CronJobStatus,
  V1DaemonSetSpec,
  V1DaemonSetStatus,
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1JobSpec,
  V1JobStatus,
  V1LabelSelector,
  V1OwnerReference,
  V1PersistentVolumeClaim,
  V1ReplicaSetSpec,
  V1ReplicaSetStatus,
  V1ReplicationControllerSpec,
  V1ReplicationControllerStatus,
  V1StatefulSetSpec,
  V1StatefulSetStatus,
} from "@kubernetes/client-node";
import type { ObjectMeta, PodSpec, Wire } from "../types/mod.ts";

/** `metadata` of an object that a store has taken. */
export type StoredMeta = ObjectMeta & {
  readonly name: string;
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly uid: string;
};

/** Any object that a store holds. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

/** Which labels are meant. */
export type LabelSelector = Wire<V1LabelSelector>;
/** Who an object belongs to. */
export type OwnerReference = Wire<V1OwnerReference>;

/** What the pods of a controller look like. */
export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

/** The fields of `T` that defaulting has filled. */
type Filled<T, Keys extends keyof T> =
  & Omit<T, Keys>
  & {
    readonly [Key in Keys]-?: NonNullable<T[Key]>;
  };

interface OfKind<Kind extends string, Version extends string, Spec, Status>
  extends ApiObject {
  readonly apiVersion: Version;
  readonly kind: Kind;
  readonly spec: Spec;
  /** Absent until its controller has seen the object. */
  readonly status?: Status;
}

/** With a template and a selector in the place of the client's, which may miss parts. */
type WithPods<T> = Omit<T, "template" | "selector"> & {
  readonly template: PodTemplate;
  readonly selector: LabelSelector;
};

/** `v1` ReplicationController. */
export type ReplicationController = OfKind<
  "ReplicationController",
  "v1",
  & Omit<
    Filled<Wire<V1ReplicationControllerSpec>, "replicas" | "selector">,
    "template"
  >
  & { readonly template: PodTemplate },
  Wire<V1ReplicationControllerStatus>
>;
/** `apps/v1` ReplicaSet. */
export type ReplicaSet = OfKind<
  "ReplicaSet",
  "apps/v1",
  WithPods<Filled<Wire<V1ReplicaSetSpec>, "replicas">>,
  Wire<V1ReplicaSetStatus>
>;
/** `apps/v1` Deployment. */
export type Deployment = OfKind<
  "Deployment",
  "apps/v1",
  WithPods<
    Filled<
      Wire<V1DeploymentSpec>,
      | "replicas"
      | "strategy"
      | "revisionHistoryLimit"
      | "progressDeadlineSeconds"
    >
  >,
  Wire<V1DeploymentStatus>
>;
/** `apps/v1` DaemonSet. */
export type DaemonSet = OfKind<
  "DaemonSet",
  "apps/v1",
  WithPods<
    Filled<Wire<V1DaemonSetSpec>, "updateStrategy" | "revisionHistoryLimit">
  >,
  Wire<V1DaemonSetStatus>
>;
/** `apps/v1` StatefulSet. */
export type StatefulSet = OfKind<
  "StatefulSet",
  "apps/v1",
  WithPods<
    Filled<
      Wire<V1StatefulSetSpec>,
      | "replicas"
      | "podManagementPolicy"
      | "updateStrategy"
      | "revisionHistoryLimit"
    >
  >,
  Wire<V1StatefulSetStatus>
>;
/** `batch/v1` Job. */
export type Job = OfKind<
  "Job",
  "batch/v1",
  & Omit<
    Filled<
      Wire<V1JobSpec>,
      "parallelism" | "backoffLimit" | "completionMode" | "suspend" | "selector"
    >,
    "template"
  >
  & { readonly template: PodTemplate },
  Wire<V1JobStatus>
>;
/** What a CronJob makes. */
export interface JobTemplate {
  readonly metadata?: ObjectMeta;
  /** Without a selector: each Job gets its own. */
  readonly spec: Omit<Job["spec"], "selector">;
}
/** `batch/v1` CronJob. */
export type CronJob = OfKind<
  "CronJob",
  "batch/v1",
  & Omit<
    Filled<
      Wire<V1CronJobSpec>,
      | "concurrencyPolicy"
      | "suspend"
      | "successfulJobsHistoryLimit"
      | "failedJobsHistoryLimit"
    >,
    "jobTemplate"
  >
  & { readonly jobTemplate: JobTemplate },
  Wire<V1CronJobStatus>
>;
/** `apps/v1` ControllerRevision: an earlier template of a DaemonSet or StatefulSet. */
export type ControllerRevision =
  & OfKind<
    "ControllerRevision",
    "apps/v1",
    unknown,
    unknown
  >
  & Pick<Wire<V1ControllerRevision>, "data" | "revision">;
/** `v1` PersistentVolumeClaim, as a StatefulSet makes it. */
export type PersistentVolumeClaim = OfKind<
  "PersistentVolumeClaim",
  "v1",
  NonNullable<Wire<V1PersistentVolumeClaim>["spec"]>,
  Wire<V1PersistentVolumeClaim>["status"]
>;

/** Whatever makes pods, or makes what makes them, and can stand in a manifest. */
export type Workload =
  | ReplicationController
  | ReplicaSet
  | Deployment
  | DaemonSet
  | StatefulSet
  | Job
  | CronJob;

/** The name of one of those kinds. */
export type WorkloadKind = Workload["kind"];

/** `metadata` of what a manifest gives: named, and of a namespace. */
export type ManifestMeta = ObjectMeta & {
  readonly name: string;
  readonly namespace: string;
};

/**
 * What a manifest gives of it: decoded, with its defaults and valid, but without what a
 * store adds. A Job has a selector only if the manifest says which.
 */
export type WorkloadManifest = ManifestOf<Workload>;

type ManifestOf<Kind extends Workload> = Kind extends Workload ? {
    readonly apiVersion: Kind["apiVersion"];
    readonly kind: Kind["kind"];
    readonly metadata: ManifestMeta;
    /**
     * Names the spec as the manifest has it, without defaults: an agent with other ones
     * knows by it that nobody has changed the manifest.
     */
    readonly writtenHash?: string;
    readonly spec: Kind extends Job
      ? JobTemplate["spec"] & { readonly selector?: LabelSelector }
      : Kind["spec"];
  }
  : never;
