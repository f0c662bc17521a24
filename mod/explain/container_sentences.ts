/**
 * What the containers of a pod wait for, in sentences.
 *
 * @module
 */

import { activitySentences } from "./activity_sentences.ts";
import {
  appContainers,
  endWords,
  ephemeralContainers,
  type ExplainedContainer,
  type Explanation,
  initContainers,
  stopOf,
} from "./explanation.ts";
import { containerFailure } from "./failure_sentences.ts";
import { killWords } from "./explain_plan.ts";
import {
  readinessSentence,
  runningSince,
  startupSentence,
} from "./probe_sentences.ts";
import { lasts, RUNS } from "./time_words.ts";

/**
 * Says what keeps the containers from being ready; nothing when they all are.
 *
 * @param options.terse to leave out those of which there is nothing to tell but that
 * they have not been started
 */
export function containerSentences(
  explanation: Explanation,
  options: { readonly terse: boolean },
): readonly string[] {
  const inits = initContainers(explanation);
  const next = inits.find((container) => !isDone(container));
  const sidecars = inits.filter((container) =>
    container.kind === "sidecar" && container !== next && !isReady(container)
  );
  // What comes later waits for this one, and for nothing of its own.
  const apps = next === undefined || hasStarted(explanation)
    ? appContainers(explanation).filter((container) => !isReady(container))
    : [];
  const ephemeral = ephemeralContainers(explanation)
    .filter(({ status }) => status?.state?.waiting !== undefined);
  return [next ?? [], sidecars, apps, ephemeral].flat()
    .filter((container) => !options.terse || hasNews(container))
    .map((container) => containerSentence(container, explanation));
}

/** Whether there is more to tell of a container than that it has not been started. */
function hasNews({ status, failure, activities }: ExplainedContainer): boolean {
  const { waiting, running, terminated } = status?.state ?? {};
  return failure !== undefined || activities.length > 0 ||
    running !== undefined || terminated !== undefined ||
    !INITIAL_REASONS.includes(waiting?.reason ?? "");
}

/** What a container shows that nobody has tried to start. */
const INITIAL_REASONS = ["", "ContainerCreating", "PodInitializing"];

/** Says what one container waits for, or how it ended. */
export function containerSentence(
  container: ExplainedContainer,
  explanation: Explanation,
): string {
  const { label, status, failure } = container;
  const [doing] = activitySentences(container.activities, explanation);
  if (doing !== undefined) {
    return `${doing}${whyStopped(container, explanation)}`;
  }
  const { waiting, running, terminated } = status?.state ?? {};
  if (running !== undefined) return runningSentence(container, explanation);
  if (terminated !== undefined) {
    const why = stopOf(container, terminated);
    const end = endWords(terminated, explanation.time, why);
    return `${label} ended with ${end}`;
  }
  const { reason = "", message = "" } = waiting ?? {};
  if (failure !== undefined) {
    return containerFailure(container, failure, explanation);
  }
  if (reason === "") return `${label} has not been started yet`;
  const { cause } =
    explanation.facts.decision?.earlier?.find((each) =>
      each.container === container.spec.name && each.message === message
    ) ?? {};
  const known = { reason, message, ...cause && { cause } };
  return containerFailure(container, known, explanation);
}

/** Of one that is being stopped while the pod runs the plan knows why. */
function whyStopped(
  { spec, activities }: ExplainedContainer,
  { facts }: Explanation,
): string {
  const isStopping = activities.some(({ kind }) =>
    kind === "stopping_container"
  );
  const step = facts.decision?.plan?.kill
    .find(({ containerName }) => containerName === spec.name);
  return isStopping && step !== undefined ? `: ${killWords(step)}` : "";
}

function runningSentence(
  container: ExplainedContainer,
  explanation: Explanation,
): string {
  const { label, kind } = container;
  if (kind === "init" || kind === "ephemeral") {
    return lasts(label, {
      ...RUNS,
      since: runningSince(container, explanation),
    });
  }
  return startupSentence(container, explanation) ??
    readinessSentence(container, explanation) ??
    lasts(label, { ...RUNS, since: runningSince(container, explanation) });
}

/** Whether what comes after an init container need not wait for it. */
function isDone({ kind, status }: ExplainedContainer): boolean {
  return kind === "sidecar"
    ? status?.started === true
    : status?.state?.terminated?.exitCode === 0;
}

/** An app container that has done its work need not be ready. */
function isReady({ status, activities }: ExplainedContainer): boolean {
  if (activities.length > 0) return false;
  const isCompleted = status?.state?.terminated?.exitCode === 0;
  return isCompleted ||
    status?.ready === true && status.state?.running !== undefined;
}

/** The app was reached, whatever sidecars do now. */
function hasStarted(explanation: Explanation): boolean {
  return appContainers(explanation).some(({ status }) =>
    status?.state?.running !== undefined ||
    status?.state?.terminated !== undefined ||
    status?.lastState?.terminated !== undefined
  );
}
