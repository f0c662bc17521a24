/**
 * Why something could not be done for a pod, in sentences.
 *
 * They are made of the facts of a failure. Of a container of which only the status is
 * known, as after a restart of the agent, the sentence of its reason holds the whole
 * message.
 *
 * @module
 */

import type {
  ContainerFailureReason,
  FailureCause,
  Missing,
  PodFailureReason,
} from "../pod/lifecycle/mod.ts";
import { innermost } from "./innermost.ts";
import { stopOf, type Telling, type ToldContainer } from "./explanation.ts";
import { endWords, latestEnd } from "./end_words.ts";
import type { FailureFact } from "./facts.ts";
import { words } from "./time_words.ts";

/** What is known of a failure. */
type Known = Pick<FailureFact, "message" | "cause" | "retryMs">;

/** One failure and whom it concerns. */
interface Told {
  readonly failure: Known;
  readonly telling: Telling;
}

interface ToldOfContainer extends Told {
  readonly container: ToldContainer;
}

/** Says why a container waits. */
export function containerFailure(
  container: ToldContainer,
  failure: Known & { readonly reason: string },
  telling: Telling,
): string {
  const { reason } = failure;
  const told = { container, failure, telling };
  return isKnown(reason)
    ? CONTAINER_SENTENCES[reason](told)
    : `${container.label} waits (${reason})${rest(told)}`;
}

/** Says why the pod as a whole cannot go on. */
export function podFailure(
  failure: Known & { readonly reason: PodFailureReason },
  telling: Telling,
): string {
  return POD_SENTENCES[failure.reason]({ failure, telling });
}

/** What a container waits for before anything was tried, and of its own accord. */
type WaitingReason =
  | "ContainerCreating"
  | "PodInitializing"
  | "RestartingAllContainers";

function isKnown(
  reason: string,
): reason is ContainerFailureReason | WaitingReason {
  return Object.hasOwn(CONTAINER_SENTENCES, reason);
}

const CONTAINER_SENTENCES: Readonly<
  Record<
    ContainerFailureReason | WaitingReason,
    (told: ToldOfContainer) => string
  >
> = {
  CrashLoopBackOff: crashLoop,
  ErrImagePull: (told) =>
    `${imageOf(told)} could not be pulled (ErrImagePull)${rest(told)}`,
  ImagePullBackOff: (told) =>
    `${imageOf(told)} cannot be pulled (ImagePullBackOff)${rest(told)}`,
  RegistryUnavailable: (told) =>
    `${imageOf(told)} could not be pulled, its registry cannot be reached${
      rest(told)
    }`,
  SignatureValidationFailed: (told) =>
    `${imageOf(told)} is not used, its signature is not valid${rest(told)}`,
  ErrImageNeverPull: (told) =>
    `${
      imageOf(told)
    } is not on this node and may not be pulled (imagePullPolicy Never)${
      again(told)
    }`,
  // Only another manifest helps, whenever it is tried again.
  InvalidImageName: ({ container: { spec }, failure }) =>
    `The image name "${
      spec.image ?? ""
    }" of container "${spec.name}" is not valid${tail(failure)}`,
  ImageInspectError: (told) =>
    `The runtime cannot tell whether it has the image "${
      told.container.spec.image ?? ""
    }"${rest(told)}`,
  FailedMount: ({ container, ...told }) =>
    volumeFailure(told, `${container.label} waits, its`),
  CreateContainerConfigError: configError,
  CreateContainerError: (told) =>
    `${told.container.label} cannot be created${rest(told)}`,
  RunContainerError: (told) =>
    `${told.container.label} cannot be started${rest(told)}`,
  PostStartHookError: (told) =>
    `${told.container.label} was stopped because its postStart hook failed${
      rest(told)
    }`,
  RestartingAllContainers: ({ container }) =>
    `${container.label} is being restarted with all others of the pod, because of the exit code of one of them`,
  ContainerCreating: ({ container }) =>
    `${container.label} has not been started yet`,
  PodInitializing: ({ container }) =>
    `${container.label} has not been started yet`,
};

const POD_SENTENCES: Readonly<
  Record<PodFailureReason, (told: Told) => string>
> = {
  FailedSync: (told) => `It could not be looked after${rest(told)}`,
  FailedMount: (told) => volumeFailure(told, "Its"),
  CreatePodSandboxError: sandboxFailure,
  CreateContainerConfigError: (told) =>
    `Its containers cannot be configured${rest(told)}`,
  FailedToCreatePodContainer: (told) =>
    `The cgroup of the pod cannot be made${rest(told)}`,
  KillContainerError: (told) =>
    `A container that has to end first cannot be stopped${rest(told)}`,
  KillPodSandboxError: (told) =>
    `What ran before cannot be stopped${rest(told)}`,
  ResizePodInPlaceError: (told) =>
    `Its containers cannot be given the changed resources${rest(told)}`,
  SandboxChanged: () =>
    "A sandbox that was begun earlier has been finished meanwhile: it is looked at again",
  RestartingAllContainers: () =>
    "All its containers are being restarted, because of the exit code of one of them",
};

function crashLoop(told: ToldOfContainer): string {
  const { container, telling: { time } } = told;
  const { label, status } = container;
  const end = latestEnd(status);
  const count = (status?.restartCount ?? 0) + 1;
  const times = count === 1 ? "once" : `${count} times`;
  const ended = end === undefined
    ? `it ended ${times}`
    : `it ended ${times}, last with ${
      endWords(end, time, stopOf(container, end))
    }`;
  const retryMs = retryOf(told);
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

function imageOf({ container }: ToldOfContainer): string {
  const { name, image = "" } = container.spec;
  return `The image "${image}" of container "${name}"`;
}

/** Without an object that it names, a container is not at fault itself. */
function configError(told: ToldOfContainer): string {
  const { container, failure: { cause } } = told;
  return cause !== undefined && isMissing(cause)
    ? `${
      missingWords(cause, told)
    } (wanted by container "${container.spec.name}")${again(told)}`
    : `${container.label} cannot be configured${rest(told)}`;
}

/** @param whose how a sentence about a volume begins */
function volumeFailure(told: Told, whose: string): string {
  const { cause } = told.failure;
  if (cause?.kind !== "volumes") {
    return `${whose} volumes cannot be made ready${rest(told)}`;
  }
  const causes = cause.volumes.map(({ volume, cause: why }) =>
    isMissing(why)
      ? `${missingWords(why, told)} (wanted by volume "${volume}")`
      : `${whose} volume "${volume}" cannot be made ready${
        tail({ cause: why })
      }`
  );
  return `${causes.join("; ")}${again(told)}`;
}

function sandboxFailure(told: Told): string {
  return told.failure.cause?.kind === "sandboxes_broke"
    ? `Waits before it makes another sandbox${rest(told)}`
    : `Its sandbox cannot be made${rest(told)}`;
}

function isMissing(cause: FailureCause): cause is Missing {
  return cause.kind === "missing_object" || cause.kind === "missing_key";
}

/** `ConfigMap default/settings is missing`, or that it has no such key. */
function missingWords(missing: Missing, { telling }: Told): string {
  const { namespace } = telling.facts.pod.metadata;
  const object = `${missing.object} ${namespace}/${missing.name}`;
  return missing.kind === "missing_object"
    ? `${object} is missing`
    : `${object} has no key "${missing.key}"`;
}

function rest(told: Told): string {
  return `${again(told)}${tail(told.failure)}`;
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
      return innermost(cause.words);
    case "sandboxes_broke":
      return "the last ones broke soon after they were made";
    default:
      return undefined;
  }
}

function again(told: Told): string {
  const dueMs = retryOf(told);
  if (dueMs !== undefined) {
    return words(", next try", told.telling.time.due(dueMs));
  }
  const { next } = told.telling.facts.decision ?? {};
  return next?.kind === "retry" ? ", tried again soon" : "";
}

/** When it is tried again; a failure that does not say goes with the pod's next look. */
function retryOf({ failure, telling }: Told): number | undefined {
  const { next } = telling.facts.decision ?? {};
  return failure.retryMs ?? (next?.kind === "retry" ? next.dueMs : undefined);
}
