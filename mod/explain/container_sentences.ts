/**
 * What the containers of a pod wait for, in sentences.
 *
 * @module
 */

import { activitySentences } from "./activity_sentences.ts";
import {
  endWords,
  type ExplainedContainer,
  type Explanation,
} from "./explanation.ts";
import { containerFailure, notStarted } from "./failure_sentences.ts";
import type { ExplainSentence } from "./finding.ts";
import { killWords } from "./explain_plan.ts";
import { readinessSentence, startupSentence } from "./probe_sentences.ts";

/**
 * Says what keeps the containers from being ready; nothing when they all are.
 *
 * @param options.terse to leave out the containers of which is only known that they have
 * not been started
 */
export function containerSentences(
  explanation: Explanation,
  options: { readonly terse: boolean },
): readonly ExplainSentence[] {
  const inits = explanation.inits;
  const next = inits.find((container) => !isDone(container));
  const sidecars = inits.filter((container) =>
    container.kind === "sidecar" && container !== next && !isReady(container)
  );
  // What comes later waits for this one, and for nothing of its own.
  const apps = next === undefined || hasStarted(explanation)
    ? explanation.apps.filter((container) => !isReady(container))
    : [];
  const ephemeral = explanation.ephemeral
    .filter(({ status }) => status?.state?.waiting !== undefined);
  return [next ?? [], sidecars, apps, ephemeral].flat()
    .filter((container) => !options.terse || hasNews(container))
    .map((each) => ({ ...containerSentence(each), container: each.spec.name }));
}

/** Whether more is known of a container than that it has not been started. */
function hasNews({ status, failure, activities }: ExplainedContainer): boolean {
  const { waiting, running, terminated } = status?.state ?? {};
  return failure !== undefined || activities.length > 0 ||
    running !== undefined || terminated !== undefined ||
    !INITIAL_REASONS.includes(waiting?.reason ?? "");
}

/** The reasons of a container before its first start. */
const INITIAL_REASONS = ["", "ContainerCreating", "PodInitializing"];

/** Says what one container waits for, or how it ended. */
function containerSentence(container: ExplainedContainer): ExplainSentence {
  const { label, status, failure, facts } = container;
  const [doing] = activitySentences(container.activities, container);
  if (doing !== undefined) {
    return { ...doing, text: `${doing.text}${whyStopped(container)}` };
  }
  const { waiting, running, terminated } = status?.state ?? {};
  if (running !== undefined) {
    const { kind, runs: text } = container;
    const running = { kind: "running", text } as const;
    if (kind === "init") return running;
    const starting = startupSentence(container);
    if (starting !== undefined) return { kind: "starting", text: starting };
    const unready = readinessSentence(container);
    return unready === undefined ? running : { kind: "unready", text: unready };
  }
  if (terminated !== undefined) {
    const text = `${label} ended with ${endWords(container, terminated)}`;
    return { kind: "exited", text };
  }
  const { reason = "", message = "" } = waiting ?? {};
  if (failure !== undefined) return containerFailure(container, failure);
  if (reason === "") return { kind: "waiting", text: notStarted(container) };
  const { cause } =
    facts.decision?.earlier?.find((each) =>
      each.container === container.spec.name && each.message === message
    ) ?? {};
  return containerFailure(container, {
    reason,
    message,
    ...cause && { cause },
  });
}

/** Why a container is being stopped while its pod runs; the plan has the reason. */
function whyStopped({ spec, activities, facts }: ExplainedContainer): string {
  const isStopping = activities.some(({ kind }) =>
    kind === "stopping_container"
  );
  const step = facts.decision?.plan?.kill
    .find(({ containerName }) => containerName === spec.name);
  return isStopping && step !== undefined ? `: ${killWords(step)}` : "";
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
  return explanation.apps.some(({ status }) =>
    status?.state?.running !== undefined ||
    status?.state?.terminated !== undefined ||
    status?.lastState?.terminated !== undefined
  );
}
