/**
 * An object as it is kept on disk.
 *
 * @module
 */

import {
  applyPodDefaults,
  applyWorkloadDefaults,
} from "../api/defaults/mod.ts";
import type { PodSpec } from "../api/types/mod.ts";
import { isRecord } from "../base/mod.ts";
import { sameJson } from "./changed_object.ts";
import { kindFacts } from "./kept_kinds.ts";
import type { KeptObject, ManifestNote, Origin } from "./object_table.ts";
import {
  type AnyObject,
  isApiObject,
  isPodSpec,
  isWorkload,
  withStatus,
} from "./parts.ts";

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
  const full = withCurrentDefaults(object);
  // A Pod has a phase from its beginning.
  const whole = full.kind === "Pod"
    ? withStatus(full, { phase: "Pending" })
    : full;
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

/**
 * Fills in what an object does not say because the agent that wrote it had fewer defaults,
 * as an API server does with what it reads. A template that is kept is then the same as
 * that which the same manifest gives now, so a new agent exchanges no pod.
 *
 * What does not have the shape of its kind stays as it is.
 */
function withCurrentDefaults(object: AnyObject): AnyObject {
  if (object.kind === "ControllerRevision") return fullRevision(object);
  if (object.kind === "Pod") {
    const { spec } = object;
    return isPodSpec(spec) ? { ...object, spec: podSpec(spec) } : object;
  }
  if (!isWorkload(object) || !hasTemplate(object)) return object;
  return { ...object, spec: applyWorkloadDefaults(object).spec };
}

function podSpec(spec: PodSpec): PodSpec {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec } as const;
  return applyPodDefaults(pod).spec;
}

/** A revision holds the template alone. */
function fullRevision(object: AnyObject): AnyObject {
  const data = "data" in object ? object.data : undefined;
  const spec = within(data, "spec");
  const template = within(spec, "template");
  const pod = within(template, "spec");
  const isWhole = isRecord(data) && isRecord(spec) && isRecord(template);
  if (!isWhole || !isPodSpec(pod)) return object;
  const full = { ...template, spec: podSpec(pod) };
  const next = { ...data, spec: { ...spec, template: full } };
  return { ...object, ...{ data: next } };
}

function hasTemplate({ kind, spec }: AnyObject): boolean {
  const job = kind === "CronJob" ? within(spec, "jobTemplate", "spec") : spec;
  return isPodSpec(within(job, "template", "spec"));
}

function within(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) => isRecord(found) ? found[name] : undefined,
    value,
  );
}
