/**
 * What could not be done for a pod, as facts: messages and explanations are made of them.
 *
 * @module
 */

import type { KeyedObject, ObjectGetter } from "../../api/objects/mod.ts";

/** Why a container could not be started, as its status spells it. */
export type ContainerFailureReason =
  | ImageFailureReason
  | "CrashLoopBackOff"
  | "FailedMount"
  | "CreateContainerConfigError"
  | "CreateContainerError"
  | "RunContainerError"
  | "PostStartHookError";

/** Why a container has no image. */
export type ImageFailureReason =
  | "ErrImagePull"
  | "ImagePullBackOff"
  | "RegistryUnavailable"
  | "SignatureValidationFailed"
  | "ErrImageNeverPull"
  | "InvalidImageName"
  | "ImageInspectError";

/** Why the pod as a whole cannot go on. */
export type PodFailureReason =
  | "FailedSync"
  | "FailedMount"
  | "CreatePodSandboxError"
  | "CreateContainerConfigError"
  | "FailedToCreatePodContainer"
  | "KillContainerError"
  | "KillPodSandboxError"
  | "ResizePodInPlaceError"
  | "SandboxChanged"
  | "RestartingAllContainers";

/** What stands behind a failure. */
export type FailureCause =
  | SaidCause
  | Missing
  | { readonly kind: "volumes"; readonly volumes: readonly VolumeFault[] }
  /** The pod's last sandboxes broke soon after they were made. */
  | { readonly kind: "sandboxes_broke" };

/** The words of the part that failed, without those of the parts that passed them on. */
export type SaidCause = {
  /** `no_runtime` where the runtime was not there. */
  readonly kind: "said" | "no_runtime";
  readonly words: string;
  /** The words without what was wanted instead; absent where they are all. */
  readonly brief?: string;
};

/** An object that a pod names and that is not there, or has not the key. */
export type Missing =
  | {
    readonly kind: "missing_object";
    readonly object: KeyedObject["kind"] | "PersistentVolumeClaim";
    readonly name: string;
    /** Why it may exist all the same, as a part of a sentence. */
    readonly why?: string;
  }
  | {
    readonly kind: "missing_key";
    readonly object: KeyedObject["kind"];
    readonly namespace: string;
    readonly name: string;
    readonly key: string;
  };

/** Why one volume is not ready. */
export interface VolumeFault {
  /** Its name in the pod. */
  readonly volume: string;
  readonly cause: FailureCause;
}

interface FailureOf<Reason> {
  readonly reason: Reason;
  /** For statuses and events, in the kubelet's words. */
  readonly message: string;
  /** Absent where the message is all that is known. */
  readonly cause?: FailureCause;
  /** When to try again, on the monotonic clock in milliseconds; absent when it is not known. */
  readonly retryAtMs?: number;
}

/** Why a container could not be started. */
export type StartFailure = FailureOf<ContainerFailureReason>;

/** A container that could not be started. */
export type ContainerFailure = StartFailure & { readonly container: string };

/** Why the pod as a whole cannot go on. */
export type PodFailure = FailureOf<PodFailureReason> & {
  readonly container?: never;
};

/** One thing that did not work. */
export type SyncFailure = ContainerFailure | PodFailure;

/** Names an object that is missing. */
export function missingObject(
  kind: Missing["object"],
  { name, absence }: {
    readonly name: string;
    readonly absence: ObjectGetter["absence"];
  },
): Missing {
  const why = kind === "Secret" ? absence?.secrets : absence?.others;
  const missing = { kind: "missing_object", object: kind, name } as const;
  return why === undefined ? missing : { ...missing, why };
}

/** Says what is missing, in upstream's words, which operators search for. */
export function missingText(missing: Missing): string {
  const { object, name } = missing;
  return missing.kind === "missing_object"
    ? `${object.toLowerCase()} "${name}" not found${
      missing.why === undefined ? "" : `: ${missing.why}`
    }`
    : `couldn't find key ${missing.key} in ${object} ${missing.namespace}/${name}`;
}

/**
 * Says that a server does not tell whether an object is there, with upstream's words before
 * the server's own (pkg/kubelet/util/manager).
 */
export function unsyncedText(object: KeyedObject["kind"], why: string): string {
  return `failed to sync ${object.toLowerCase()} cache: ${why}`;
}
