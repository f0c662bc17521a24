/**
 * The wire types of Kubernetes objects, as plain read-only data.
 *
 * They are the published client's types with dates as the strings they are on
 * the wire; nothing of that client exists at run time.
 *
 * @module
 */

import type {
  V1Container,
  V1ContainerPort,
  V1ContainerState,
  V1ContainerStatus,
  V1EnvVar,
  V1EnvVarSource,
  V1Lifecycle,
  V1LifecycleHandler,
  V1ObjectMeta,
  V1PodCondition,
  V1PodSecurityContext,
  V1PodSpec,
  V1PodStatus,
  V1Probe,
  V1ResourceRequirements,
  V1SecurityContext,
  V1Volume,
  V1VolumeMount,
} from "@kubernetes/client-node";

/** A client type as it is on the wire: dates are strings, all is read-only. */
export type Wire<T> = T extends Date ? string
  : T extends readonly (infer Item)[] ? readonly Wire<Item>[]
  : T extends object ? { readonly [Key in keyof T]: Wire<T[Key]> }
  : T;

/** What names and describes an object. */
export type ObjectMeta = Wire<V1ObjectMeta>;
/** What a pod is to be. */
export type PodSpec = Wire<V1PodSpec>;
/** What a pod is. */
export type PodStatus = Wire<V1PodStatus>;
/** One condition in a pod's status, such as `Ready`. */
export type PodCondition = Wire<V1PodCondition>;
/** What an app or init container is to be. */
export type ContainerSpec = Wire<V1Container>;
/** A port that a container listens on. */
export type ContainerPort = Wire<V1ContainerPort>;
/** What a container is. */
export type ContainerStatus = Wire<V1ContainerStatus>;
/** Waiting, running or terminated, with the details. */
export type ContainerState = Wire<V1ContainerState>;
/** One environment variable of a container. */
export type EnvVar = Wire<V1EnvVar>;
/** Where the value of an environment variable comes from. */
export type EnvVarSource = Wire<V1EnvVarSource>;
/** A container's hooks and stop signal. */
export type Lifecycle = Wire<V1Lifecycle>;
/** What a hook does. */
export type LifecycleHandler = Wire<V1LifecycleHandler>;
/** How a container is asked for its health. */
export type Probe = Wire<V1Probe>;
/** Requests and limits. */
export type ResourceRequirements = Wire<V1ResourceRequirements>;
/** Security settings of a pod. */
export type PodSecurityContext = Wire<V1PodSecurityContext>;
/** Security settings of a container. */
export type SecurityContext = Wire<V1SecurityContext>;
/** A volume of a pod. */
export type Volume = Wire<V1Volume>;
/** One of the sources of a projected volume. */
export type ProjectedSource = NonNullable<
  NonNullable<Volume["projected"]>["sources"]
>[number];
/** Where a container sees a volume. */
export type VolumeMount = Wire<V1VolumeMount>;

/** Which of a pod's three lists a container stands in. */
export type ContainerKind = "init" | "app" | "ephemeral";

/** What writes cgroups, and so how a cgroup parent is spelled. */
export type CgroupDriver = "cgroupfs" | "systemd";

/** Where a pod is in its life, in one word. */
export type PodPhase =
  | "Pending"
  | "Running"
  | "Succeeded"
  | "Failed"
  | "Unknown";

/**
 * A pod that was decoded, defaulted, validated and given its identity.
 *
 * Everything past the sources works on this type only.
 */
export interface Pod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
  };
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/**
 * A pod as a manifest gives it, before it has an identity: the name has no node
 * suffix, namespace and UID may be absent.
 */
export interface PodBody {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}
