/**
 * An object as it is kept on disk.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import { sameJson } from "./changed_object.ts";
import { kindFacts } from "./kept_kinds.ts";
import type { KeptObject, ManifestNote, Origin } from "./object_table.ts";
import { type AnyObject, isApiObject, withStatus } from "./parts.ts";

/** What is written of an object; `undefined` for one that is not kept. */
export function storedObject({ object, origin }: KeptObject): unknown {
  if (origin.kind === "shown") return undefined;
  return { object: lasting(object), origin };
}

/** What a record says; `undefined` when it is none that this version writes. */
export function openObject(value: unknown): KeptObject | undefined {
  if (!isRecord(value)) return undefined;
  const { object, origin } = value;
  if (!isApiObject(object) || kindFacts(object) === undefined) return undefined;
  const revision = Number(object.metadata.resourceVersion);
  if (!Number.isSafeInteger(revision) || !isKeptOrigin(origin)) {
    return undefined;
  }
  // A Pod has a phase from its beginning.
  const whole = object.kind === "Pod"
    ? withStatus(object, { phase: "Pending" })
    : object;
  return { object: whole, origin, revision };
}

/** How soon a change has to be on disk. */
export type Urgency =
  /** Nothing that is kept has changed. */
  | "none"
  /** It may be found out again. */
  | "later"
  | "now";

/** Judges a change. */
export function urgencyOf(
  before: KeptObject | undefined,
  after: KeptObject | undefined,
): Urgency {
  const isKept = [before, after].some((each) =>
    each !== undefined && each.origin.kind !== "shown"
  );
  if (!isKept) return "none";
  if (before === undefined || after === undefined) return "now";
  if (!sameJson(before.origin, after.origin)) return "now";
  const was = silent(before.object);
  const is = silent(after.object);
  if (!sameJson(was, is)) return "now";
  return hasLastingStatus(after.object) ? "later" : "none";
}

/** Without what changes by itself. */
function silent(object: AnyObject): AnyObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return withStatus({ ...object, metadata }, undefined);
}

function lasting(object: AnyObject): AnyObject {
  return hasLastingStatus(object) ? object : withStatus(object, undefined);
}

function hasLastingStatus(object: AnyObject): boolean {
  return kindFacts(object)?.hasLastingStatus === true;
}

function isKeptOrigin(value: unknown): value is Origin {
  if (!isRecord(value)) return false;
  if (value["kind"] === "owned") return true;
  return value["kind"] === "manifest" && isNote(value["note"]);
}

function isNote(value: unknown): value is ManifestNote {
  return isRecord(value) && typeof value["source"] === "string" &&
    typeof value["hash"] === "string" && Array.isArray(value["labels"]) &&
    Array.isArray(value["annotations"]);
}
