/**
 * Making and ending pods, and what is told of it: upstream's RealPodControl.
 *
 * @module
 */

import type { NewObject } from "../../api/access/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { exactRef } from "./owner.ts";
import type { Change, ChangeEvents } from "./step.ts";

/** Makes a pod. */
export function podCreation(object: NewObject): Change {
  return { verb: "create", object, events: CREATE_EVENTS };
}

/** Ends a pod. */
export function podDeletion(pod: Pod): Change {
  return { verb: "delete", ref: exactRef(pod), events: DELETE_EVENTS };
}

const CREATE_EVENTS: ChangeEvents = {
  done: {
    type: "Normal",
    reason: "SuccessfulCreate",
    message: "Created pod: {name}",
  },
  failed: {
    type: "Warning",
    reason: "FailedCreate",
    message: "Error creating: {error}",
  },
};

const DELETE_EVENTS: ChangeEvents = {
  done: {
    type: "Normal",
    reason: "SuccessfulDelete",
    message: "Deleted pod: {name}",
  },
  failed: {
    type: "Warning",
    reason: "FailedDelete",
    message: "Error deleting: {error}",
  },
};
