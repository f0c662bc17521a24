/**
 * Events about pods, and the port through which every part reports them.
 *
 * @module
 */

/** Says which pod is meant, without its spec. */
export interface PodRef {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** One thing worth telling an operator about a pod. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase, as the kubelet spells it: `Started`, `BackOff`. */
  readonly reason: string;
  readonly message: string;
  /** The part of the pod that is meant, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/**
 * Takes events. Recording never fails and never waits: a sink that is full
 * drops and counts.
 */
export interface EventSink {
  /** Records one event about a pod. */
  record(pod: PodRef, event: PodEvent): void;
}
