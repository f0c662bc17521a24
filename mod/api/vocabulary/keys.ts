/**
 * The labels and annotations by which Kubernetes parts find each other's work.
 *
 * They are spelled as the kubelet spells them, so that crictl, log shippers and a
 * restarted agent recognise what runs.
 *
 * @module
 */

/** Pod annotation: the hash of the manifest, which is the pod's UID unless the manifest names one. */
export const ANNOTATION_CONFIG_HASH = "kubernetes.io/config.hash";
/** Pod annotation: `file`, `http`, `api` or `local`; from the first two come static pods. */
export const ANNOTATION_CONFIG_SOURCE = "kubernetes.io/config.source";
/** Pod annotation: when the agent first saw the pod, RFC 3339 with nine digits of a second. */
export const ANNOTATION_CONFIG_SEEN = "kubernetes.io/config.seen";
/** Pod annotation: set on the API server's copy of a static pod only. */
export const ANNOTATION_CONFIG_MIRROR = "kubernetes.io/config.mirror";
/** The pod annotations that nodes and API servers set to say how a pod came to be. */
export const AGENT_ANNOTATIONS: ReadonlySet<string> = new Set([
  ANNOTATION_CONFIG_HASH,
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
  ANNOTATION_CONFIG_SOURCE,
]);
/** Pod annotation before a container's name: its AppArmor profile, where the field is absent. */
export const ANNOTATION_APPARMOR_PREFIX =
  "container.apparmor.security.beta.kubernetes.io/";
/** Pod annotations: the seccomp profile of all containers, and of one, before its name; without effect since Kubernetes 1.27. */
export const ANNOTATIONS_SECCOMP = {
  pod: "seccomp.security.alpha.kubernetes.io/pod",
  prefix: "container.seccomp.security.alpha.kubernetes.io/",
} as const;
/** Pod annotation: how long an update may take to become ready, such as `2m`, before it is rolled back. */
export const ANNOTATION_ROLLBACK_AFTER = "skerry.dev/rollback-after";

/** Runtime label of sandboxes and containers: the pod's name. */
export const LABEL_POD_NAME = "io.kubernetes.pod.name";
/** Runtime label of sandboxes and containers: the pod's namespace. */
export const LABEL_POD_NAMESPACE = "io.kubernetes.pod.namespace";
/** Runtime label of sandboxes and containers: the pod's UID. */
export const LABEL_POD_UID = "io.kubernetes.pod.uid";
/** Runtime label of containers: the container's name in the pod. */
export const LABEL_CONTAINER_NAME = "io.kubernetes.container.name";

/** Container annotation: {@linkcode containerHash} of what it was started from. */
export const ANNOTATION_CONTAINER_HASH = "io.kubernetes.container.hash";
/** Container annotation: how often it was restarted before, in decimal. */
export const ANNOTATION_CONTAINER_RESTART_COUNT =
  "io.kubernetes.container.restartCount";
/** Container annotation: where it writes its last words. */
export const ANNOTATION_TERMINATION_MESSAGE_PATH =
  "io.kubernetes.container.terminationMessagePath";
/** Container annotation: `File` or `FallbackToLogsOnError`. */
export const ANNOTATION_TERMINATION_MESSAGE_POLICY =
  "io.kubernetes.container.terminationMessagePolicy";
/** Container annotation: its preStop hook as JSON, for an agent that lost the manifest. */
export const ANNOTATION_PRE_STOP_HANDLER =
  "io.kubernetes.container.preStopHandler";
/** Container annotation: its ports as JSON, for hooks that name a port. */
export const ANNOTATION_CONTAINER_PORTS = "io.kubernetes.container.ports";
/** Container annotation: the pod's `metadata.deletionGracePeriodSeconds`. */
export const ANNOTATION_DELETION_GRACE_PERIOD =
  "io.kubernetes.pod.deletionGracePeriod";
/** Container annotation: the pod's `spec.terminationGracePeriodSeconds`. */
export const ANNOTATION_TERMINATION_GRACE_PERIOD =
  "io.kubernetes.pod.terminationGracePeriod";
