/**
 * The keys of annotations and labels that the agent reads or writes, and the facts of a
 * pod that follow from them: static, critical, restartable init. Pure.
 *
 * @example A static pod
 * ```ts
 * import { strictEqual } from "node:assert/strict";
 * import { ANNOTATION_CONFIG_SOURCE, isStaticPod, podFullName } from "./mod.ts";
 *
 * const annotations = { [ANNOTATION_CONFIG_SOURCE]: "file" };
 * const metadata = { name: "web", namespace: "default", uid: "u", annotations };
 * strictEqual(isStaticPod({ metadata }), true);
 * strictEqual(podFullName({ metadata }), "web_default");
 * ```
 *
 * @module
 */

export {
  AGENT_ANNOTATIONS,
  ANNOTATION_APPARMOR_PREFIX,
  ANNOTATION_CONFIG_HASH,
  ANNOTATION_CONFIG_MIRROR,
  ANNOTATION_CONFIG_SEEN,
  ANNOTATION_CONFIG_SOURCE,
  ANNOTATION_CONTAINER_HASH,
  ANNOTATION_CONTAINER_PORTS,
  ANNOTATION_CONTAINER_RESTART_COUNT,
  ANNOTATION_DELETION_GRACE_PERIOD,
  ANNOTATION_PRE_STOP_HANDLER,
  ANNOTATION_ROLLBACK_AFTER,
  ANNOTATION_TERMINATION_GRACE_PERIOD,
  ANNOTATION_TERMINATION_MESSAGE_PATH,
  ANNOTATION_TERMINATION_MESSAGE_POLICY,
  ANNOTATIONS_SECCOMP,
  LABEL_CONTAINER_NAME,
  LABEL_POD_NAME,
  LABEL_POD_NAMESPACE,
  LABEL_POD_UID,
} from "./keys.ts";
export {
  CRITICAL_PRIORITY,
  findContainer,
  isCriticalPod,
  isLocalPod,
  isRestartableInit,
  isStaticPod,
  lastingPod,
  logDirectoryName,
  podFullName,
  servingContainers,
} from "./pod_facts.ts";
