/**
 * What cannot change while an object lives.
 *
 * @module
 */

import type { Fault } from "../api/fault/mod.ts";
import type { PodSpec } from "../api/types/mod.ts";
import { immutableChanges } from "../api/validate/mod.ts";
import { isRecord } from "../base/mod.ts";
import { sameJson } from "./changed_object.ts";
import type { AnyObject } from "./parts.ts";

/** The fields in which an edit differs and may not, as the API server has it. */
export function immutableFaults(
  before: AnyObject,
  after: AnyObject,
): readonly Fault[] {
  if (sameJson(before.spec, after.spec)) return [];
  switch (before.kind) {
    case "Pod":
      return isPodSpec(before.spec) && isPodSpec(after.spec)
        ? immutableChanges(before.spec, after.spec)
        : [{ field: "spec.containers", message: "Required value" }];
    default:
      return [];
  }
}

function isPodSpec(value: unknown): value is PodSpec {
  return isRecord(value) && Array.isArray(value["containers"]);
}
