/**
 * What cannot change while an object lives.
 *
 * @module
 */

import type { Fault } from "../api/fault/mod.ts";
import {
  immutableChanges,
  immutableWorkloadChanges,
} from "../api/validate/mod.ts";
import { isRecord } from "../base/mod.ts";
import { sameJson } from "./changed_object.ts";
import { type AnyObject, isPodSpec, isWorkload } from "./parts.ts";

/** The fields in which an edit differs and may not, as the API server has it. */
export function immutableFaults(
  before: AnyObject,
  after: AnyObject,
): readonly Fault[] {
  if (before.kind === "ControllerRevision") {
    return sameJson(dataOf(before), dataOf(after)) ? [] : [FIXED_DATA];
  }
  if (sameJson(before.spec, after.spec)) return [];
  if (before.kind === "Pod") {
    return isPodSpec(before.spec) && isPodSpec(after.spec)
      ? immutableChanges(before.spec, after.spec)
      : [{ field: "spec.containers", message: "Required value" }];
  }
  if (!isWorkload(before)) return [];
  return isWorkload(after)
    ? immutableWorkloadChanges(before, after, {
      hasStarted: hasStarted(before),
    })
    : [{ field: "spec", message: "Required value" }];
}

const FIXED_DATA: Fault = {
  field: "data",
  message: "Forbidden: cannot change in a ControllerRevision",
};

function dataOf(object: AnyObject): unknown {
  return "data" in object ? object.data : undefined;
}

/** Whether a Job has ever had pods. */
function hasStarted({ status }: AnyObject): boolean {
  return isRecord(status) && status["startTime"] !== undefined;
}
