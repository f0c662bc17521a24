/**
 * What an edit makes of an object, and what a deletion.
 *
 * @module
 */

import { ApiFailure, type DeleteOptions } from "../api/access/mod.ts";
import type { Fault } from "../api/fault/mod.ts";
import { defined, isRecord } from "../base/mod.ts";
import { formatTime, isTerminalPhase, parseTime } from "../pod/status/mod.ts";
import { accessRef, type KindFacts, objectWords } from "./kept_kinds.ts";
import { clientMeta, invalid } from "./new_object.ts";
import {
  type AnyObject,
  finalizersOf,
  FOREGROUND,
  isDeleted,
  ORPHAN,
  withFinalizers,
  withMeta,
  withStatus,
} from "./parts.ts";

/** Says what of an edit cannot change while an object lives. */
export type ImmutableCheck = (
  before: AnyObject,
  after: AnyObject,
) => readonly Fault[];

/**
 * The object with all of the wish but its status and what only a store may change; the
 * very same object when the wish says nothing new.
 *
 * @throws {ApiFailure} `Conflict` when the wish was made for another object or another
 * version of it, `Invalid` when it changes what cannot change.
 */
export function edited(
  before: AnyObject,
  wish: AnyObject,
  rules: { readonly facts: KindFacts; readonly isFixed: ImmutableCheck },
): AnyObject {
  checkVersion(before, wish.metadata);
  const merged = withStatus({
    ...wish,
    apiVersion: before.apiVersion,
    kind: before.kind,
    metadata: mergedMeta(before, wish.metadata),
  }, before.status);
  if (sameJson(before, merged)) return before;
  const added = finalizersOf(merged)
    .filter((each) => !finalizersOf(before).includes(each));
  const faults = [
    ...rules.isFixed(before, merged),
    ...(isDeleted(before) ? added : []).map((each): Fault => ({
      field: "metadata.finalizers",
      message: `Forbidden: "${each}" cannot be added to what is being deleted`,
    })),
  ];
  if (faults.length > 0) throw invalid(accessRef(before), faults);
  const isNewSpec = rules.facts.hasGeneration &&
    !sameJson(before.spec, merged.spec);
  return isNewSpec ? nextGeneration(merged) : merged;
}

/**
 * The object with another status; the very same one if it is no other.
 *
 * @throws {ApiFailure} `Conflict` when it was made for another object or version.
 */
export function restated(before: AnyObject, wish: AnyObject): AnyObject {
  checkVersion(before, wish.metadata);
  return sameJson(before.status, wish.status)
    ? before
    : withStatus(before, wish.status);
}

/** Refuses what was made for another object of that name, or for an older version. */
function checkVersion(
  before: AnyObject,
  wish: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const { uid, resourceVersion } = before.metadata;
  checkUid(before, wish.uid);
  const wanted = wish.resourceVersion;
  if (wanted === undefined || wanted === "" || wanted === resourceVersion) {
    return;
  }
  throw new ApiFailure(
    "Conflict",
    `Cannot change ${objectWords(accessRef(before))} (${uid}): ` +
      `it is at version "${resourceVersion}", wanted "${wanted}"`,
  );
}

/**
 * Refuses another object of the same name.
 *
 * @throws {ApiFailure} `Conflict`
 */
export function checkUid(object: AnyObject, wanted: string | undefined): void {
  const { uid } = object.metadata;
  if (wanted === undefined || wanted === uid) return;
  throw new ApiFailure(
    "Conflict",
    `Cannot change ${objectWords(accessRef(object))}: ` +
      `its UID is "${uid}", wanted "${wanted}"`,
  );
}

/** What the wish says, and what of metadata is the store's own. */
function mergedMeta(
  { metadata }: AnyObject,
  wish: AnyObject["metadata"],
): AnyObject["metadata"] {
  const { name, namespace, uid } = metadata;
  const { resourceVersion, generation, creationTimestamp } = metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  return {
    ...clientMeta(wish),
    name,
    namespace,
    uid,
    ...defined({
      resourceVersion,
      generation,
      creationTimestamp,
      deletionTimestamp,
      deletionGracePeriodSeconds,
    }),
  };
}

function nextGeneration(object: AnyObject): AnyObject {
  const { generation } = object.metadata;
  return generation === undefined
    ? object
    : withMeta(object, { generation: generation + 1 });
}

/** What a deletion makes of an object: it is gone at once, or waits for something. */
export type Deletion =
  | { readonly kind: "gone" }
  | { readonly kind: "waits"; readonly object: AnyObject };

/**
 * Deletes an object as the API server does: what has finalizers waits for them, and a Pod
 * for its end, unless it has ended already or is given no time.
 */
export function deleted(
  object: AnyObject,
  options: DeleteOptions,
  nowMs: number,
): Deletion {
  const finalizers = finalizersAfter(object, options);
  const graceSeconds = graceOf(object, options);
  if (finalizers.length === 0 && graceSeconds === 0) return { kind: "gone" };
  const kept = withFinalizers(object, finalizers);
  return { kind: "waits", object: marked(kept, graceSeconds, nowMs) };
}

/** A Pod that has ended: it is gone, but for finalizers. */
export function ended(object: AnyObject, nowMs: number): Deletion {
  return finalizersOf(object).length === 0
    ? { kind: "gone" }
    : { kind: "waits", object: marked(object, 0, nowMs) };
}

/** Whether nothing keeps an object any more that was deleted. */
export function isFinished(object: AnyObject): boolean {
  return isDeleted(object) && finalizersOf(object).length === 0 &&
    (object.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function finalizersAfter(
  object: AnyObject,
  { propagation }: DeleteOptions,
): readonly string[] {
  const before = finalizersOf(object);
  if (propagation === undefined) return before;
  const others = before.filter((each) =>
    each !== FOREGROUND && each !== ORPHAN
  );
  switch (propagation) {
    case "Background":
      return others;
    case "Foreground":
      return [...others, FOREGROUND];
    case "Orphan":
      return [...others, ORPHAN];
  }
}

/** How long the end of a Pod may take; nothing else takes any time. */
function graceOf(
  { kind, spec, status }: AnyObject,
  { gracePeriodSeconds }: DeleteOptions,
): number {
  if (kind !== "Pod" || hasPodEnded(status)) return 0;
  const own = isRecord(spec)
    ? spec["terminationGracePeriodSeconds"]
    : undefined;
  const wanted = gracePeriodSeconds ?? own;
  // A negative one means the shortest (upstream's CheckGracefulDelete).
  return typeof wanted !== "number" ? 0 : wanted < 0 ? 1 : wanted;
}

/** Whether a Pod has ended, by its status. */
export function hasPodEnded(status: unknown): boolean {
  const phase = isRecord(status) ? status["phase"] : undefined;
  return typeof phase === "string" && isTerminalPhase(phase);
}

/** The object with the time of its end; a second deletion may shorten it only. */
function marked(
  object: AnyObject,
  graceSeconds: number,
  nowMs: number,
): AnyObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  const beforeMs = parseTime(deletionTimestamp);
  if (beforeMs === undefined) {
    return nextGeneration(withMeta(object, {
      deletionTimestamp: formatTime(nowMs + graceSeconds * 1000),
      deletionGracePeriodSeconds: graceSeconds,
    }));
  }
  if (graceSeconds >= deletionGracePeriodSeconds) return object;
  const sooner = (deletionGracePeriodSeconds - graceSeconds) * 1000;
  return withMeta(object, {
    deletionTimestamp: formatTime(beforeMs - sooner),
    deletionGracePeriodSeconds: graceSeconds,
  });
}

/** Whether two values are the same as JSON: what is `undefined` is not there. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length &&
      a.every((each, at) => sameJson(each, b[at]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const left = entriesOf(a);
  const right = new Map(entriesOf(b));
  return left.length === right.size &&
    left.every(([key, value]) =>
      right.has(key) && sameJson(value, right.get(key))
    );
}

function entriesOf(
  value: Readonly<Record<string, unknown>>,
): readonly [string, unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
