/**
 * What is being done for a pod at present, in sentences.
 *
 * @module
 */

import type { ActivityFact } from "../pod/lifecycle/mod.ts";
import { byteWords } from "./byte_words.ts";
import type { Scope } from "./explanation.ts";
import type { ExplainSentence } from "./finding.ts";
import { RUNS } from "./time_words.ts";

/** Says what goes on; an activity that is part of another one is not said again. */
export function activitySentences(
  activities: readonly ActivityFact[],
  scope: Scope,
): readonly ExplainSentence[] {
  const { stops = [], rest = [] } = Object.groupBy(
    activities.filter((each) => !isPartOf(each, activities)),
    ({ kind }) => kind === "stopping_container" ? "stops" : "rest",
  );
  return [...rest, ...stops].map((each) => ({
    kind: each.kind,
    container: "container" in each ? each.container : undefined,
    text: wordsOf(each, { ...scope, activities }),
  }));
}

/** Whether another activity says more about the same. */
function isPartOf(
  activity: ActivityFact,
  all: readonly ActivityFact[],
): boolean {
  if (!("container" in activity)) return false;
  const { container, kind } = activity;
  const same = all.filter((each) =>
    "container" in each && each.container === container && each !== activity
  );
  switch (kind) {
    case "starting_container":
      return same.length > 0;
    case "pre_stop_hook":
    case "waiting_for_others_to_end":
      return same.some((each) => each.kind === "stopping_container");
    default:
      return false;
  }
}

/** All that goes on, and whose it is. */
interface Doings extends Scope {
  readonly activities: readonly ActivityFact[];
}

function wordsOf(activity: ActivityFact, doings: Doings): string {
  const since = doings.time.lasting(activity.forMs);
  switch (activity.kind) {
    case "waiting_for_start_place":
      return `Waiting for its turn to start ${since}: ${
        turnWords(activity.places, "pod starts", "pods start")
      } at a time`;
    case "waiting_for_late_sandbox":
      return `Waiting for a sandbox that was begun earlier ${since}`;
    case "making_volumes":
      return `Making its volumes ready ${since}`;
    case "creating_sandbox":
      return `Making its sandbox ${since}`;
    case "stopping_sandboxes":
      return `Stopping its sandbox ${since}`;
    case "looking_for_image":
      return `Asking the runtime for the image "${activity.image}" ${since}`;
    case "waiting_for_pull_place":
      return `Waiting for its turn to pull the image "${activity.image}" ${since}: ${
        turnWords(activity.places, "image is pulled", "images are pulled")
      } at a time`;
    case "pulling_image":
      return `Pulling the image "${activity.image}" for container "${activity.container}" ${since}${
        activity.bytes === undefined
          ? ""
          : `; ${byteWords(activity.bytes)} bytes have come`
      }`;
    case "starting_container":
      return `Starting container "${activity.container}" ${since}`;
    case "post_start_hook":
      return `Running the postStart hook of container "${activity.container}" ${since}`;
    case "pre_stop_hook":
      return `Running the preStop hook of container "${activity.container}" ${since}`;
    case "waiting_for_others_to_end":
      return `Container "${activity.container}" ends after the others, which have not ended yet`;
    case "stopping_container":
      return stoppingSentence(activity, doings);
  }
}

function turnWords(places: number, one: string, several: string): string {
  return places === 1 ? `one ${one}` : `${places} ${several}`;
}

function stoppingSentence(
  stopping: Extract<ActivityFact, { readonly kind: "stopping_container" }>,
  { activities, facts, time }: Doings,
): string {
  const { container, graceSeconds, forMs } = stopping;
  const endMs = facts.nowMs - forMs + graceSeconds * 1000;
  const label = `Container "${container}"`;
  const first = graceSeconds === 0
    ? `${label} is being killed, it has no time to stop`
    : time.isAhead(endMs)
    ? `${label} has ${time.until(endMs)} to stop`
    : `${label} has had its ${graceSeconds} s to stop and is being killed`;
  const details = activities.flatMap((each) => {
    if (!("container" in each) || each.container !== container) return [];
    switch (each.kind) {
      case "pre_stop_hook":
        return [time.lasts("its preStop hook", RUNS, facts.nowMs - each.forMs)];
      case "waiting_for_others_to_end":
        return ["it waits for the others to end first"];
      default:
        return [];
    }
  });
  return [first, ...details].join("; ");
}
