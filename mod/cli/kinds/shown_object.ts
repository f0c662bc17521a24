/**
 * Fields of objects as an agent shows them, whatever their kind.
 *
 * @module
 */

import type { ApiObject } from "../../api/workload/mod.ts";
import { isRecord } from "../../base/mod.ts";

/** An object as it came from an agent. */
export type ShownObject = ApiObject & Readonly<Record<string, unknown>>;

/** What stands at the end of a path such as `status.readyReplicas`. */
export function fieldAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    found = isRecord(found) && Object.hasOwn(found, name)
      ? found[name]
      : undefined;
  }
  return found;
}

/** A number; 0 where none stands. */
export function numberAt(value: unknown, path: string): number {
  const found = fieldAt(value, path);
  return typeof found === "number" ? found : 0;
}

/** A text, number or switch as text; `undefined` where none stands. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = fieldAt(value, path);
  switch (typeof found) {
    case "string":
      return found;
    case "number":
    case "boolean":
      return String(found);
    default:
      return undefined;
  }
}

/** The entries of a list; nothing where none stands. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = fieldAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** The entries of a map of texts, by their keys. */
export function mapAt(
  value: unknown,
  path: string,
): readonly (readonly [string, string])[] {
  const found = fieldAt(value, path);
  if (!isRecord(found)) return [];
  return Object.entries(found)
    .map(([key, each]) => [key, String(each)] as const)
    .sort(([a], [b]) => a < b ? -1 : 1);
}

/** Whether a condition of the object is true. */
export function hasShownCondition(object: ShownObject, type: string): boolean {
  return shownCondition(object, type)?.["status"] === "True";
}

/** A condition of an object's status. */
export function shownCondition(
  object: ShownObject,
  type: string,
): Readonly<Record<string, unknown>> | undefined {
  return listAt(object, "status.conditions").filter(isRecord)
    .find((each) => each["type"] === type);
}

/** The way to what objects of a kind make pods from; of a Pod there is none. */
export function templatePath(kind: string): readonly string[] {
  switch (kind) {
    case "Pod":
      return [];
    case "CronJob":
      return ["spec", "jobTemplate", "spec", "template"];
    default:
      return ["spec", "template"];
  }
}

/** What an object makes pods from. */
export function templateOf(object: ShownObject): unknown {
  return fieldAt(object, templatePath(object.kind).join("."));
}

/** Whether an owner rules an object, and does not only keep it. */
export function isControlledBy(
  { metadata }: Pick<ApiObject, "metadata">,
  owner: Pick<ApiObject, "metadata">,
): boolean {
  return metadata.ownerReferences?.some(({ controller = false, uid }) =>
    controller && uid === owner.metadata.uid
  ) ?? false;
}

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** The access modes of a claim, those that it has and those that it wants. */
export function accessModesText(claim: unknown): string {
  const given = [
    ...listAt(claim, "status.accessModes"),
    ...listAt(claim, "spec.accessModes"),
  ].map(String);
  return Object.entries(MODES)
    .filter(([mode]) => given.includes(mode)).map(([_, short]) => short)
    .join(",");
}

/** Keys with their values, or `<none>`. */
export function labelsText(
  labels: readonly (readonly [string, string])[],
): string {
  return labels.map((each) => each.join("=")).join(",") || "<none>";
}

/** A selector as a person would write it, or `<none>`. */
export function selectorText(object: ShownObject): string {
  if (object.kind === "ReplicationController" || object.kind === "Service") {
    return labelsText(mapAt(object, "spec.selector"));
  }
  const labels = mapAt(object, "spec.selector.matchLabels")
    .map((each) => each.join("="));
  const terms = listAt(object, "spec.selector.matchExpressions").map(termText);
  return [...labels, ...terms].join(",") || "<none>";
}

function termText(term: unknown): string {
  const key = textAt(term, "key") ?? "";
  const values = listAt(term, "values").map(String).sort().join(",");
  switch (textAt(term, "operator")) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}
