/**
 * Checks raw values against the generated table of Pod fields, and turns them into
 * typed data.
 *
 * Follows Go's JSON decoding, except that unknown fields are faults, or warnings if
 * the list of faults was made so: names match exactly, `null` is the same as absent,
 * a number is no string.
 *
 * @module
 */

import { suggest, trimEndOf } from "../../base/text/mod.ts";
import { POD_SCHEMA } from "./gen/pod_schema.ts";
import { type Place, showValue } from "../fault/mod.ts";
import { parseQuantity } from "../objects/mod.ts";
import { isRawObject, type RawValue, setOwn } from "../text/mod.ts";

/**
 * Reads a raw value as the type of that name in the schema, such as `Pod`.
 *
 * What is wrong is reported and left out of the result, so that the rest
 * can still be checked. The result is a new object and shares nothing with `value`.
 */
export function readTyped(
  value: RawValue,
  typeName: string,
  at: Place,
): unknown {
  return read(value, typeOf(typeName), at);
}

type FieldType =
  | { readonly kind: "scalar"; readonly name: string }
  | { readonly kind: "list"; readonly of: FieldType }
  | { readonly kind: "map"; readonly of: FieldType }
  | { readonly kind: "object"; readonly name: string };

const types = new Map<string, FieldType>();
const fieldTables = new Map<string, ReadonlyMap<string, FieldType>>();

function typeOf(text: string): FieldType {
  const known = types.get(text);
  if (known !== undefined) return known;
  const made: FieldType = text.startsWith("[]")
    ? { kind: "list", of: typeOf(text.slice(2)) }
    : text.startsWith("{}")
    ? { kind: "map", of: typeOf(text.slice(2)) }
    : { kind: /^[A-Z]/.test(text) ? "object" : "scalar", name: text };
  types.set(text, made);
  return made;
}

function fieldsOf(typeName: string): ReadonlyMap<string, FieldType> {
  const known = fieldTables.get(typeName);
  if (known !== undefined) return known;
  const table = new Map<string, FieldType>();
  for (const field of (POD_SCHEMA[typeName] ?? "").split(",")) {
    const [name = "", type = ""] = field.split(" ");
    table.set(name, typeOf(type));
  }
  fieldTables.set(typeName, table);
  return table;
}

/** `undefined` means absent, or faulty and reported. */
function read(
  value: RawValue,
  type: FieldType,
  at: Place,
): unknown {
  if (value === null) return undefined;
  switch (type.kind) {
    case "scalar":
      return SCALARS[type.name]?.(value, at);
    case "list":
      return readList(value, type.of, at);
    case "map":
      return readMap(value, type.of, at);
    case "object":
      return readObject(value, type.name, at);
  }
}

function readObject(
  value: RawValue,
  typeName: string,
  at: Place,
): unknown {
  if (!isRawObject(value)) return wrongType(value, "an object", at);
  const fields = fieldsOf(typeName);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const type = fields.get(key);
    const raw = value[key];
    if (type === undefined) {
      const near = at.isHeard ? suggest(key, fields.keys()) : undefined;
      const hint = near === undefined ? "" : `, did you mean "${near}"?`;
      const shown = showValue(key);
      const message = `Unknown field: ${typeName} has no field ${shown}${hint}`;
      // Without its source a volume would be an empty directory, and what is
      // written into it would be lost (SRC-32).
      if (typeName === "Volume") at.child(key).fault(message);
      else at.child(key).unknownField(message);
    } else if (raw !== undefined && raw !== null) {
      const typed = read(raw, type, at.child(key));
      // Only names from the table come here, so none is `__proto__`.
      if (typed !== undefined) result[key] = typed;
    }
  }
  return result;
}

function readList(
  value: RawValue,
  of: FieldType,
  at: Place,
): unknown {
  if (!Array.isArray(value)) return wrongType(value, "a list", at);
  const items: unknown[] = [];
  for (const [position, item] of value.entries()) {
    const place = at.index(position);
    if (item === null) {
      place.invalid(null, `wanted ${nameOf(of)}, found nothing`);
    }
    const one = read(item, of, place);
    // A faulty item keeps its place, so that later positions are named rightly.
    items.push(one ?? (of.kind === "object" ? {} : ""));
  }
  return items;
}

function readMap(
  value: RawValue,
  of: FieldType,
  at: Place,
): unknown {
  if (!isRawObject(value)) return wrongType(value, "a mapping", at);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const raw = value[key];
    if (raw === undefined) continue;
    // Go keeps the key of a null entry, with the type's zero.
    const one = raw === null ? zeroOf(of) : read(raw, of, at.key(key));
    if (one !== undefined) setOwn(result, key, one);
  }
  return result;
}

function zeroOf(type: FieldType): unknown {
  return type.kind === "scalar" && type.name === "quantity" ? "0" : "";
}

/** Reads what has no parts; `undefined` when it is faulty and reported. */
type ScalarReader = (value: RawValue, at: Place) => unknown;

const SCALARS: Readonly<Record<string, ScalarReader>> = {
  string: readString,
  boolean: (value, at) =>
    typeof value === "boolean" ? value : wrongType(value, "true or false", at),
  int32: (value, at) => readInteger(value, at, "int32"),
  int64: (value, at) => readInteger(value, at, "int64"),
  "int-or-string": (value, at) =>
    typeof value === "string"
      ? readString(value, at)
      : readInteger(value, at, "int32"),
  quantity: readQuantity,
  time: (value, at) =>
    typeof value === "string" && TIME.test(value)
      ? value
      : wrongType(value, "a time such as 2006-01-02T15:04:05Z", at),
  any: (value) => value,
};

const TIME =
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function readString(value: RawValue, at: Place): unknown {
  if (typeof value !== "string") return wrongType(value, "a string", at);
  if (value.isWellFormed()) return value;
  return at.invalid(value.toWellFormed(), "it holds half a surrogate pair");
}

function readInteger(
  value: RawValue,
  at: Place,
  name: "int32" | "int64",
): unknown {
  if (typeof value !== "number" && typeof value !== "bigint") {
    return wrongType(value, "an integer", at);
  }
  const limit = name === "int32" ? 2 ** 31 : 2 ** 63;
  if (typeof value === "number" && !Number.isInteger(value)) {
    return at.invalid(value, "wanted an integer, found a fraction");
  }
  if (value < -limit || value >= limit) {
    return at.invalid(value, `out of the range of a ${name}`);
  }
  if (Number.isSafeInteger(Number(value))) return Number(value);
  // It would have to be rounded to be held, and a rounded number is another one.
  return at.invalid(value, "must be between -(2^53-1) and 2^53-1");
}

function readQuantity(value: RawValue, at: Place): unknown {
  if (!["string", "number", "bigint"].includes(typeof value)) {
    return wrongType(value, "a quantity", at);
  }
  // Upstream's UnmarshalJSON takes blanks off.
  const text = trimBlanks(String(value));
  try {
    parseQuantity(text);
    return text;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) {
      throw error;
    }
    const detail = error instanceof RangeError
      ? "a quantity must be less than 2^63"
      : "wanted a quantity such as 250m, 1.5 or 64Mi";
    return at.invalid(value, detail);
  }
}

function trimBlanks(text: string): string {
  let start = 0;
  while (text[start] === " ") start++;
  return trimEndOf(text.slice(start), " ");
}

function wrongType(
  value: RawValue,
  wanted: string,
  at: Place,
): undefined {
  const isBare = wanted === "a string" && typeof value !== "object";
  const hint = isBare ? "; write it in quotes" : "";
  const detail = `wanted ${wanted}, found ${typeName(value)}${hint}`;
  at.invalid(value, detail);
}

function typeName(value: RawValue): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a string";
    case "boolean":
      return "a boolean";
    case "object":
      return "a mapping";
    default:
      return "a number";
  }
}

function nameOf(type: FieldType): string {
  switch (type.kind) {
    case "list":
      return "a list";
    case "map":
      return "a mapping";
    case "object":
      return `an object (${type.name})`;
    case "scalar":
      return type.name === "string" ? "a string" : type.name;
  }
}
