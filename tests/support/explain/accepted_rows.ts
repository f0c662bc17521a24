/**
 * What is told of a pod of which next to nothing is known yet.
 *
 * @module
 */

import type { PodCondition } from "../../../mod/api/types/mod.ts";
import {
  CREATING,
  explainedPod,
  facts,
  pending,
  type Rows,
  runs,
} from "./rows.ts";

/** A pod whose containers are all well, and which is not ready all the same. */
function unready(...conditions: readonly PodCondition[]) {
  return facts({ pod: explainedPod(pending([runs("web")], { conditions })) });
}

const NOT_READY = { type: "Ready", status: "False" };

/** Pods of which next to nothing is known yet. */
export const ACCEPTED_ROWS: Rows = {
  "a pod that nobody works on yet, although it has a status": facts({
    pod: explainedPod(CREATING),
    stage: undefined,
  }),
  "a pod without a phase": facts({ pod: explainedPod({}) }),
  "a pod without a condition": unready(),
  "a pod whose condition says nothing": unready(NOT_READY),
  "a pod that is not ready for a reason of its own": unready({
    ...NOT_READY,
    reason: "Cordoned",
    message: "the node rests",
  }),
  "a pod that is not ready for a reason in one word": unready({
    ...NOT_READY,
    reason: "Cordoned",
  }),
};
