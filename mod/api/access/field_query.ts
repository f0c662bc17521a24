/**
 * Field selectors: `metadata.name=web,status.phase!=Running`.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { ApiObject } from "../workload/mod.ts";
import { ApiFailure } from "./access.ts";

/** What a field selector demands of one field. */
export interface FieldTerm {
  readonly field: string;
  readonly value: string;
  /** Whether it must have that value, or must not. */
  readonly isWanted: boolean;
}

/**
 * Reads a field selector (upstream's fields.ParseSelector): terms with `=`, `==` or `!=`
 * between commas; a backslash takes the meaning from a comma, an equals sign or itself.
 *
 * @throws {ApiFailure} `BadRequest` when it is none, or names a field by which objects of
 * the kind cannot be selected.
 */
export function parseFieldSelector(
  text: string,
  kind: string,
): readonly FieldTerm[] {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text)) {
    if (part === "") continue;
    const term = parseTerm(part);
    if (term === undefined) {
      throw new ApiFailure(
        "BadRequest",
        `Cannot read the field selector "${text}": found "${part}", wanted "field=value"`,
      );
    }
    const known = fieldsOf(kind);
    if (!known.includes(term.field)) {
      throw new ApiFailure(
        "BadRequest",
        `Cannot select by "${term.field}": a ${kind} can be selected by "${
          known.join('", "')
        }"`,
      );
    }
    terms.push(term);
  }
  return terms;
}

/** Whether an object has all that terms demand. */
export function matchesFields(
  terms: readonly FieldTerm[],
  object: ApiObject,
): boolean {
  return terms.every(({ field, value, isWanted }) =>
    (textAt(object, field) === value) === isWanted
  );
}

function fieldsOf(kind: string): readonly string[] {
  return [...COMMON, ...FIELDS[kind] ?? []];
}

const COMMON = ["metadata.name", "metadata.namespace"];

// As upstream registers them (pkg/apis/core/v1/conversion.go and its like).
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  Secret: ["type"],
  ReplicationController: ["status.replicas"],
  ReplicaSet: ["status.replicas"],
  Job: ["status.successful"],
};

/** What stands at the end of a path, as text; what is not there is empty or zero. */
function textAt(object: ApiObject, field: string): string {
  // The field of the API is called otherwise.
  const path = field === "status.successful" ? "status.succeeded" : field;
  let value: unknown = object;
  for (const name of path.split(".")) {
    value = isRecord(value) ? value[name] : undefined;
  }
  if (value === undefined || value === null) return SILENT[path] ?? "";
  return String(value);
}

const SILENT: Readonly<Record<string, string>> = {
  "spec.hostNetwork": "false",
  "status.replicas": "0",
  "status.succeeded": "0",
};

function parseTerm(text: string): FieldTerm | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "=" || text.startsWith("!=", at)) {
      const isWanted = text[at] === "=";
      const isLong = !isWanted || text[at + 1] === "=";
      const value = unescaped(text.slice(at + (isLong ? 2 : 1)));
      const field = text.slice(0, at).trim();
      return value === undefined ? undefined : { field, value, isWanted };
    }
  }
  return undefined;
}

/** The parts between commas that no backslash stands before. */
function splitTerms(text: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...parts, text.slice(begin)];
}

/** @returns `undefined` when a backslash stands before something else, or a sign alone */
function unescaped(text: string): string | undefined {
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    let char = text.charAt(at);
    if (char === "=") return undefined;
    if (char === "\\") {
      char = text.charAt(++at);
      if (char === "" || !"\\,=".includes(char)) return undefined;
    }
    plain += char;
  }
  return plain;
}
