/**
 * The annotation by which a pod asks to be rolled back.
 *
 * @module
 */

import { parseDuration } from "../../base/text/mod.ts";
import { ANNOTATION_ROLLBACK_AFTER } from "../vocabulary/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { ObjectMeta } from "../types/mod.ts";

/** No pod is made, started and looked at in less. */
const LEAST_MS = 1_000;

/**
 * How long an update of the pod may take to become ready before it is rolled back,
 * in milliseconds; `undefined` when it never is.
 */
export function rollbackAfterMs(
  metadata: Pick<ObjectMeta, "annotations">,
): number | undefined {
  const text = textOf(metadata);
  const ms = text === undefined ? undefined : read(text);
  return ms !== undefined && ms >= LEAST_MS ? ms : undefined;
}

/** Reports a time that cannot be kept. */
export function validateRollbackAfter(metadata: ObjectMeta, at: Place): void {
  const text = textOf(metadata);
  if (text === undefined || rollbackAfterMs(metadata) !== undefined) return;
  at.child("annotations").key(ANNOTATION_ROLLBACK_AFTER).invalid(
    text,
    "must be a duration of at least 1s, such as `2m` or `1m30s`",
  );
}

function textOf(
  { annotations = {} }: Pick<ObjectMeta, "annotations">,
): string | undefined {
  return Object.hasOwn(annotations, ANNOTATION_ROLLBACK_AFTER)
    ? annotations[ANNOTATION_ROLLBACK_AFTER]
    : undefined;
}

function read(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    // It is no duration, which is all the caller asks.
    return undefined;
  }
}
