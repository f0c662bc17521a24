/**
 * Why something could not be done for a pod, in sentences.
 *
 * @module
 */

import { stopOf, type Telling, type ToldContainer } from "./explain_context.ts";
import { causeOf } from "./explain_cause.ts";
import { endWords, latestEnd } from "./explain_exit.ts";
import type { FailureFact } from "./explain_facts.ts";
import { words } from "./explain_time.ts";

/** One failure and whom it concerns. */
interface Told {
  readonly failure: FailureFact;
  readonly telling: Telling;
}

interface ToldOfContainer extends Told {
  readonly container: ToldContainer;
}

/** Says why a container waits. Every reason that the agent gives has a sentence. */
export function containerFailure(
  container: ToldContainer,
  failure: FailureFact,
  telling: Telling,
): string {
  const sentence = CONTAINER_SENTENCES[failure.reason];
  const told = { container, failure, telling };
  if (sentence !== undefined) return sentence(told);
  const { reason, message } = failure;
  return `${container.label} waits (${reason})${again(told)}${tail(message)}`;
}

/** Says why the pod as a whole cannot go on. */
export function podFailure(failure: FailureFact, telling: Telling): string {
  const sentence = POD_SENTENCES[failure.reason];
  const told = { failure, telling };
  if (sentence !== undefined) return sentence(told);
  return `It cannot go on (${failure.reason})${rest(told)}`;
}

/** The reasons of failures that have a sentence of their own. */
export function explainedReasons(): readonly string[] {
  return [...Object.keys(CONTAINER_SENTENCES), ...Object.keys(POD_SENTENCES)];
}

const CONTAINER_SENTENCES: Readonly<
  Record<string, (told: ToldOfContainer) => string>
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
  InvalidImageName: ({ container, failure }) =>
    `The image name "${
      container.spec.image ?? ""
    }" of container "${container.spec.name}" is not valid${
      tail(failure.message)
    }`,
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
  // What a container shows before anything was tried.
  ContainerCreating: ({ container }) =>
    `${container.label} has not been started yet`,
  PodInitializing: ({ container }) =>
    `${container.label} has not been started yet`,
};

const POD_SENTENCES: Readonly<Record<string, (told: Told) => string>> = {
  FailedSync: (told) => `It could not be looked after${rest(told)}`,
  FailedMount: (told) => volumeFailure(told, "Its"),
  CreatePodSandboxError: sandboxFailure,
  CreateContainerConfigError: (told) =>
    `Its containers cannot be configured${rest(told)}`,
  FailedToCreatePodContainer: (told) =>
    `The cgroup of the pod cannot be made${again(told)}${
      tail(told.failure.message.replace(NO_CGROUP, ""))
    }`,
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
  const { container, failure, telling } = told;
  const missing = missingObject(failure.message, telling);
  return missing === undefined
    ? `${container.label} cannot be configured${rest(told)}`
    : `${missing} (wanted by container "${container.spec.name}")${again(told)}`;
}

/** @param whose how a sentence about a volume begins */
function volumeFailure(told: Told, whose: string): string {
  const { failure, telling } = told;
  const parts = failure.message.split(/; (?=Cannot set up volume ")/);
  const causes = parts.map((part) => {
    const [, volume = "", why = ""] =
      /^Cannot set up volume "([^"]*)": (.*)$/s.exec(part) ?? [];
    const missing = missingObject(why, telling);
    if (missing !== undefined) {
      return `${missing} (wanted by volume "${volume}")`;
    }
    return why === ""
      ? `${whose} volumes cannot be made ready: ${causeOf(part)}`
      : `${whose} volume "${volume}" cannot be made ready: ${causeOf(why)}`;
  });
  return `${causes.join("; ")}${again(told)}`;
}

const NO_CGROUP = "unable to ensure pod container exists: ";
const BROKE_SOON = "Waiting to make another pod sandbox: ";

function sandboxFailure(told: Told): string {
  const { message } = told.failure;
  if (message.startsWith(BROKE_SOON)) {
    const why = message.slice(BROKE_SOON.length);
    return `Waits before it makes another sandbox${again(told)}${tail(why)}`;
  }
  const why = message.replace("Failed to create pod sandbox: ", "");
  return `Its sandbox cannot be made${again(told)}${tail(why)}`;
}

const KINDS: Readonly<Record<string, string>> = {
  configmap: "ConfigMap",
  secret: "Secret",
  persistentvolumeclaim: "PersistentVolumeClaim",
};

/** `ConfigMap default/settings is missing`, where that is what a message says. */
function missingObject(
  message: string,
  { facts }: Telling,
): string | undefined {
  const { namespace } = facts.pod.metadata;
  const [, kind, name] = MISSING_OBJECT.exec(message) ?? [];
  if (kind !== undefined && name !== undefined) {
    return `${KINDS[kind] ?? kind} ${namespace}/${name} is missing`;
  }
  return missingKey(message);
}

// The words of mod/volume/payload.ts, claims.ts and mod/runtime/spec/environment.ts.
const MISSING_OBJECT =
  /(?:^|: )(configmap|secret|persistentvolumeclaim) "([^"]+)" not found$/;
const MISSING_KEY = "couldn't find key ";

/** `ConfigMap default/settings has no key "a"`, where a message ends so. */
function missingKey(message: string): string | undefined {
  const start = message.lastIndexOf(MISSING_KEY);
  const isWhole = start === 0 || message.slice(0, start).endsWith(": ");
  if (start < 0 || !isWhole) return undefined;
  const words = message.slice(start + MISSING_KEY.length).split(" ");
  const [key, preposition, kind = "", object = ""] = words;
  const isKey = words.length === 4 && preposition === "in" &&
    (kind === "ConfigMap" || kind === "Secret") && object.includes("/");
  return isKey ? `${kind} ${object} has no key "${key}"` : undefined;
}

function rest(told: Told): string {
  return `${again(told)}${tail(told.failure.message)}`;
}

function tail(message: string): string {
  return message === "" ? "" : `: ${causeOf(message)}`;
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
