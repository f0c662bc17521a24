/**
 * Events about pods and the node, and the port through which every part reports them.
 *
 * @module
 */

/** Says which pod is meant, without its spec, or that the node or another object is. */
export interface PodRef {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Absent for a pod. */
  readonly kind?: string;
  /** @default "v1" */
  readonly apiVersion?: string;
  /** Set for a pod that a controller of this node made: no cluster knows of it. */
  readonly isLocal?: true;
}

/** One thing about a pod, or about the node, that an operator should know. */
export interface PodEvent {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase, as the kubelet spells it: `Started`, `BackOff`. */
  readonly reason: string;
  readonly message: string;
  /** The part of the pod that is meant, such as `spec.containers{web}`. */
  readonly fieldPath?: string;
  readonly facts?: EventFacts;
  /** Who says so. @default "kubelet" */
  readonly component?: string;
}

/** What the words of an event stand for; pods are explained by it, and it is not on the wire. */
export type EventFacts =
  /** A container is stopped; the reason is that of a plan. */
  | {
    readonly kind: "stop";
    readonly container: string;
    readonly reason: string;
  }
  | {
    readonly kind: "probe_failure";
    readonly container: string;
    readonly probe: string;
    /** What the probe answered. */
    readonly found: string;
  }
  | { readonly kind: "broken_manifest"; readonly file: string };

/**
 * Takes events. Recording never fails and never waits: a sink that is full
 * drops and counts.
 */
export interface EventSink {
  /** Records one event about a pod or the node. */
  record(pod: PodRef, event: PodEvent): void;
}

/** A `v1` Event as it goes over the wire. */
export interface WireEvent {
  readonly apiVersion: "v1";
  readonly kind: "Event";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    /** Rises with every recorded event, through restarts of the agent too. */
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    /** Empty for the node. */
    readonly namespace: string;
    readonly name: string;
    /** Absent for a pod that never got one, such as that of a refused manifest. */
    readonly uid?: string;
    /** As an API server counts; absent for what came from elsewhere. */
    readonly resourceVersion?: string;
    readonly fieldPath?: string;
  };
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host: string };
  /** RFC 3339, whole seconds. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly type: PodEvent["type"];
  /** For events of another API group; the kubelet sends none. */
  readonly eventTime: null;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}
