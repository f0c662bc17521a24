/**
 * Why something could not be done for a pod, in sentences.
 *
 * They are made of the facts of a failure. If only the status of a container is known,
 * as after a restart of the agent, the sentence of its reason holds the whole message.
 *
 * @module
 */

import type {
  ContainerFailureReason,
  FailureCause,
  Missing,
  PodFailureReason,
} from "../pod/lifecycle/mod.ts";
import { cut, innermost } from "./innermost.ts";
import {
  endWords,
  type ExplainedContainer,
  latestEnd,
  type Scope,
} from "./explanation.ts";
import type { FailureFact } from "./facts.ts";
import type { ExplainSentence } from "./finding.ts";

/** What is known of a failure. */
type Known = Pick<FailureFact, "message" | "cause" | "retryMs">;

/** A failure of the pod as a whole, or of one container, and what else there is to say of it. */
interface OfPod extends Scope {
  readonly failure: Known;
}

type OfContainer = Omit<ExplainedContainer, "failure"> & OfPod;

/** Says why a container waits. */
export function containerFailure(
  container: ExplainedContainer,
  failure: Known & { readonly reason: string },
): ExplainSentence {
  const { reason } = failure;
  const of = { ...container, failure };
  const text = isKnown(reason)
    ? CONTAINER_SENTENCES[reason](of)
    : `${of.label} waits (${reason})${rest(of)}`;
  return { kind: "waiting", reason, text };
}

/** Says why the pod as a whole cannot go on. */
export function podFailure(
  failure: Known & { readonly reason: PodFailureReason },
  { facts, time }: Scope,
): ExplainSentence {
  const { reason } = failure;
  const text = POD_SENTENCES[reason]({ failure, facts, time });
  return { kind: "failing", reason, text };
}

/** What a container waits for before anything was tried, and of its own accord. */
type PlainWaiting =
  | "ContainerCreating"
  | "PodInitializing"
  | "RestartingAllContainers";

function isKnown(
  reason: string,
): reason is ContainerFailureReason | PlainWaiting {
  return Object.hasOwn(CONTAINER_SENTENCES, reason);
}

const CONTAINER_SENTENCES: Readonly<
  Record<
    ContainerFailureReason | PlainWaiting,
    (of: OfContainer) => string
  >
> = {
  CrashLoopBackOff: crashLoop,
  ErrImagePull: (of) => ofImage("could not be pulled (ErrImagePull)", of),
  ImagePullBackOff: (of) => ofImage("cannot be pulled (ImagePullBackOff)", of),
  RegistryUnavailable: (of) =>
    ofImage("could not be pulled, its registry cannot be reached", of),
  SignatureValidationFailed: (of) =>
    ofImage("is not used, its signature is not valid", of),
  ErrImageNeverPull: (of) =>
    `${
      imageOf(of)
    } is not on this node and may not be pulled (imagePullPolicy Never)${
      again(of)
    }`,
  // Only another manifest helps, whenever it is tried again.
  InvalidImageName: ({ spec, failure }) =>
    `The image name "${
      cut(spec.image ?? "")
    }" of container "${spec.name}" is not valid${tail(failure)}`,
  ImageInspectError: (of) =>
    `The runtime cannot tell whether it has the image "${of.spec.image ?? ""}"${
      rest(of)
    }`,
  FailedMount: (of) => volumeFailure(of, `${of.label} waits, its`),
  CreateContainerConfigError: configError,
  CreateContainerError: (of) => ofContainer("cannot be created", of),
  RunContainerError: (of) => ofContainer("cannot be started", of),
  PostStartHookError: (of) =>
    ofContainer("was stopped because its postStart hook failed", of),
  RestartingAllContainers: ({ label }) =>
    `${label} is being restarted with all others of the pod, because of the exit code of one of them`,
  ContainerCreating: notStarted,
  PodInitializing: notStarted,
};

const POD_SENTENCES: Readonly<
  Record<PodFailureReason, (of: OfPod) => string>
> = {
  FailedSync: (of) => `It could not be looked after${rest(of)}`,
  FailedMount: (of) => volumeFailure(of, "Its"),
  CreatePodSandboxError: sandboxFailure,
  CreateContainerConfigError: (of) =>
    `Its containers cannot be configured${rest(of)}`,
  FailedToCreatePodContainer: (of) =>
    `The cgroup of the pod cannot be made${rest(of)}`,
  KillContainerError: (of) =>
    `A container that has to end first cannot be stopped${rest(of)}`,
  KillPodSandboxError: (of) => `What ran before cannot be stopped${rest(of)}`,
  ResizePodInPlaceError: (of) =>
    `Its containers cannot be given the changed resources${rest(of)}`,
  SandboxChanged: () =>
    "A sandbox that was begun earlier has been finished meanwhile: it is looked at again",
  RestartingAllContainers: () =>
    "All its containers are being restarted, because of the exit code of one of them",
};

function ofContainer(what: string, of: OfContainer): string {
  return `${of.label} ${what}${rest(of)}`;
}

function ofImage(what: string, of: OfContainer): string {
  return `${imageOf(of)} ${what}${rest(of)}`;
}

/** What a container shows before anything was tried. */
export function notStarted(
  { label }: Pick<ExplainedContainer, "label">,
): string {
  return `${label} has not been started yet`;
}

function crashLoop(of: OfContainer): string {
  const { label, status, time } = of;
  const end = latestEnd(of);
  const count = (status?.restartCount ?? 0) + 1;
  const times = count === 1 ? "once" : `${count} times`;
  const ended = end === undefined
    ? `it ended ${times}`
    : `it ended ${times}, last with ${endWords(of, end)}`;
  const retryMs = retryOf(of);
  if (retryMs === undefined) {
    return `${label} waits to start again (CrashLoopBackOff): ${ended}`;
  }
  if (!time.isAhead(retryMs)) {
    return `${label} is started again now (CrashLoopBackOff): ${ended}`;
  }
  const distance = time.isSane ? `, in ${time.away(retryMs)}` : "";
  return `${label} waits to start again ${
    time.until(retryMs)
  } (CrashLoopBackOff${distance}): ${ended}`;
}

function imageOf({ spec }: OfContainer): string {
  const { name, image = "" } = spec;
  return `The image "${image}" of container "${name}"`;
}

/** Without an object that it names, a container is not at fault itself. */
function configError(of: OfContainer): string {
  const { label, spec, failure: { cause } } = of;
  return cause !== undefined && isMissing(cause)
    ? `${missingWords(cause, of)} (wanted by container "${spec.name}")${
      again(of)
    }`
    : `${label} cannot be configured${rest(of)}`;
}

/** @param whose how a sentence about a volume begins */
function volumeFailure(of: OfPod, whose: string): string {
  const { cause } = of.failure;
  if (cause?.kind !== "volumes") {
    return `${whose} volumes cannot be made ready${rest(of)}`;
  }
  const shown = cause.volumes.slice(0, MAX_VOLUMES);
  const causes = shown.map(({ volume, cause: why }) =>
    isMissing(why)
      ? `${missingWords(why, of)} (wanted by volume "${volume}")`
      : `${whose} volume "${volume}" cannot be made ready${
        tail({ cause: why })
      }`
  );
  const left = cause.volumes.length - shown.length;
  const more = left > 0 ? [`and ${left} more`] : [];
  return `${[...causes, ...more].join("; ")}${again(of)}`;
}

/** A manifest may have thousands of volumes; the message of the failure names all. */
const MAX_VOLUMES = 10;

function sandboxFailure(of: OfPod): string {
  return of.failure.cause?.kind === "sandboxes_broke"
    ? `Waits before it makes another sandbox${rest(of)}`
    : `Its sandbox cannot be made${rest(of)}`;
}

function isMissing(cause: FailureCause): cause is Missing {
  return cause.kind === "missing_object" || cause.kind === "missing_key";
}

/** `ConfigMap default/settings is missing`, or that it has no such key. */
function missingWords(missing: Missing, { facts }: Scope): string {
  const { namespace } = facts.pod.metadata;
  const object = `${missing.object} ${namespace}/${missing.name}`;
  return missing.kind === "missing_object"
    ? `${object} is missing${
      missing.why === undefined ? "" : `: ${missing.why}`
    }`
    : `${object} has no key "${missing.key}"`;
}

function rest(of: OfPod): string {
  return `${again(of)}${tail(of.failure)}`;
}

function tail({ cause, message = "" }: Partial<Known>): string {
  const said = saidOf(cause) ?? innermost(message);
  return said === "" ? "" : `: ${said}`;
}

/** What is said of a cause where its place says nothing of its own. */
function saidOf(cause: FailureCause | undefined): string | undefined {
  switch (cause?.kind) {
    case "said":
    case "no_runtime":
      return innermost(cause.brief ?? cause.words);
    case "sandboxes_broke":
      return "the last ones broke soon after they were made";
    default:
      return undefined;
  }
}

function again(of: OfPod): string {
  const dueMs = retryOf(of);
  if (dueMs !== undefined) return `, next try ${of.time.due(dueMs)}`;
  const { next } = of.facts.decision ?? {};
  return next?.kind === "retry" ? ", tried again soon" : "";
}

/** When it is tried again; a failure that does not say goes with the pod's next look. */
function retryOf({ failure, facts }: OfPod): number | undefined {
  const { next } = facts.decision ?? {};
  return failure.retryMs ?? (next?.kind === "retry" ? next.dueMs : undefined);
}
