/**
 * What is told of a pod of which next to nothing is known yet.
 *
 * @module
 */

import type { PodCondition } from "../../../mod/api/types/mod.ts";
import {
  CREATING,
  facts,
  pending,
  type Row,
  status,
  tellsOf,
  web,
} from "./rows.ts";

const ACCEPTED = ["It was just accepted: nothing has been done for it yet"];

/** A pod whose containers are all well, and which is not ready all the same. */
function unready(...conditions: readonly PodCondition[]) {
  return facts({ pod: web(pending([status("web")], { conditions })) });
}

const NOT_READY = { type: "Ready", status: "False" };

const ROWS: readonly Row[] = [
  [
    "a pod that nobody works on yet, although it has a status",
    facts({ pod: web(CREATING), stage: undefined }),
    ACCEPTED,
  ],
  ["a pod without a phase", facts({ pod: web({}) }), ACCEPTED],
  ["a pod without a condition", unready(), ACCEPTED],
  ["a pod whose condition says nothing", unready(NOT_READY), ACCEPTED],
  [
    "a pod that is not ready for a reason of its own",
    unready({ ...NOT_READY, reason: "Cordoned", message: "the node rests" }),
    ["It is not ready: the node rests"],
  ],
  [
    "a pod that is not ready for a reason in one word",
    unready({ ...NOT_READY, reason: "Cordoned" }),
    ["It is not ready: Cordoned"],
  ],
];

tellsOf(ROWS);
