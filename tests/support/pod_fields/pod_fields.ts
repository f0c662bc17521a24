/**
 * Finds and changes single fields of manifests by the types of the schema.
 *
 * @module
 */

import type { Draft } from "../../../scripts/pod_fields/row.ts";
import { fieldsOf } from "../../../scripts/pod_fields/schema.ts";

/** Steps from the document down to a field. */
export type FieldPath = readonly (string | number)[];

/** Every place of a manifest at which an object of `type` has a field `field`. */
export function placesOf(
  draft: Draft,
  type: string,
  field: string,
): readonly FieldPath[] {
  const found: FieldPath[] = [];
  visit(draft, "Pod", [], (object, itsType, path) => {
    if (itsType === type && Object.hasOwn(object, field)) {
      found.push([...path, field]);
    }
  });
  return found;
}

type Visitor = (object: Draft, type: string, path: FieldPath) => void;

function visit(
  value: unknown,
  type: string,
  path: FieldPath,
  visitor: Visitor,
): void {
  if (!isObject(value)) return;
  visitor(value, type, path);
  for (const { name, type: text, element } of fieldsOf(type)) {
    const child = value[name];
    if (element === undefined || child === undefined) continue;
    if (!text.startsWith("[]")) {
      visit(child, element, [...path, name], visitor);
    } else if (Array.isArray(child)) {
      for (const [i, item] of child.entries()) {
        visit(item, element, [...path, name, i], visitor);
      }
    }
  }
}

/** The manifest with another value at one place; `undefined` takes the field away. */
export function changed(draft: Draft, path: FieldPath, value: unknown): Draft {
  const copy: unknown = structuredClone(draft);
  let at: unknown = copy;
  for (const step of path.slice(0, -1)) at = child(at, step);
  const last = path.at(-1);
  if (!isObject(at) || typeof last !== "string") {
    throw new Error(
      `Cannot change "${path.join(".")}": there is no such field`,
    );
  }
  // A fresh copy, which nobody else has seen.
  const object = at as Record<string, unknown>;
  if (value === undefined) delete object[last];
  else object[last] = value;
  if (!isObject(copy)) throw new Error("Cannot change a manifest into a list");
  return copy;
}

function child(value: unknown, step: string | number): unknown {
  if (Array.isArray(value) && typeof step === "number") return value[step];
  return isObject(value) ? value[step] : undefined;
}

function isObject(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Some value of a type of the schema, with all of its fields down to a depth. */
export function sampleOf(text: string, depth = 4): unknown {
  if (text.startsWith("[]")) return [sampleOf(text.slice(2), depth)];
  if (text.startsWith("{}")) return { a: sampleOf(text.slice(2), depth) };
  switch (text) {
    case "string":
      return "x";
    case "boolean":
      return true;
    case "int32":
    case "int64":
    case "int-or-string":
      return 1;
    case "quantity":
      return "1";
    case "time":
      return "2026-01-02T03:04:05Z";
    case "any":
      return {};
    default: {
      if (depth === 0) return {};
      return Object.fromEntries(
        fieldsOf(text).map(({ name, type }) => [
          name,
          sampleOf(type, depth - 1),
        ]),
      );
    }
  }
}
