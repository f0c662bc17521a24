/**
 * Objects as they come from an API server: checked before anybody trusts them.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import type { KindRef } from "../../api/access/mod.ts";
import type { ApiObject } from "../../api/workload/mod.ts";

/** What came of reading an object. */
export type WireReading =
  | { readonly kind: "read"; readonly object: ApiObject }
  | {
    readonly kind: "garbage";
    /** What is wrong: `it has no uid`. */
    readonly fault: string;
    /** What can be said of it all the same; it has no uid, so that nobody takes it. */
    readonly remains: ApiObject;
  };

/** How an object is read. */
export interface WireOptions {
  /** Items of a list do not say what they are. */
  readonly isItem?: boolean;
}

/** No object of the API comes near; what recurses over objects is safe from deeper ones. */
export const MAX_OBJECT_DEPTH = 100;

type MetadataFields = Readonly<Record<string, unknown>>;

/**
 * Checks what every object has: kind, name, uid and resourceVersion, and that its metadata
 * is of the right types. Its spec and status are the reader's to judge.
 *
 * `metadata.managedFields` is left out, which nobody here reads and which may be half of an
 * object; a server keeps it when it is not sent back.
 */
export function readWireObject(
  wire: unknown,
  wanted: KindRef,
  { isItem = false }: WireOptions = {},
): WireReading {
  const value = isRecord(wire) ? wire : {};
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  const said = {
    apiVersion: value["apiVersion"] ?? (isItem ? wanted.apiVersion : undefined),
    kind: value["kind"] ?? (isItem ? wanted.kind : undefined),
  };
  const fault = isRecord(wire)
    ? kindFault(said, wanted) ?? metadataFault(metadata) ??
      (isDeeper(wire, MAX_OBJECT_DEPTH) ? "it is nested too deeply" : undefined)
    : "it is no object";
  const { managedFields: _left, ...kept } = metadata;
  const identity = {
    namespace: textOf(metadata["namespace"]),
    name: textOf(metadata["name"]),
  };
  if (fault === undefined) {
    const uid = textOf(metadata["uid"]);
    return {
      kind: "read",
      object: {
        ...value,
        apiVersion: wanted.apiVersion,
        kind: wanted.kind,
        metadata: { ...kept, ...identity, uid },
      },
    };
  }
  const remains = {
    apiVersion: textOf(said.apiVersion),
    kind: textOf(said.kind),
    metadata: { ...identity, uid: "" },
  };
  return { kind: "garbage", fault, remains };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function kindFault(
  { apiVersion, kind }: {
    readonly apiVersion: unknown;
    readonly kind: unknown;
  },
  wanted: KindRef,
): string | undefined {
  if (kind === wanted.kind && apiVersion === wanted.apiVersion) {
    return undefined;
  }
  const found = kind === undefined ? "it has no kind" : "it is of another kind";
  return `${found}, wanted a ${wanted.apiVersion} ${wanted.kind}`;
}

function metadataFault(metadata: MetadataFields): string | undefined {
  for (const field of ["name", "uid", "resourceVersion"]) {
    if (textOf(metadata[field]) === "") return `it has no ${field}`;
  }
  for (const [field, isFit] of METADATA) {
    const value = metadata[field];
    if (value !== undefined && value !== null && !isFit(value)) {
      return `its ${field} is of the wrong type`;
    }
  }
  return undefined;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isTextMap = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every(isText);

/** What is read of metadata without another look. */
const METADATA: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ["namespace", isText],
  ["labels", isTextMap],
  ["annotations", isTextMap],
  ["creationTimestamp", isText],
  ["deletionTimestamp", isText],
  ["deletionGracePeriodSeconds", isNumber],
  ["generation", isNumber],
  ["finalizers", (value) => Array.isArray(value) && value.every(isText)],
  [
    "ownerReferences",
    (value) =>
      Array.isArray(value) &&
      value.every((each) =>
        isRecord(each) && isText(each["uid"]) && isText(each["name"]) &&
        isText(each["kind"]) && isText(each["apiVersion"])
      ),
  ],
];

/** Whether a value is nested deeper; looks no further than that. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 ||
    Object.values(value).some((each) => isDeeper(each, levels - 1));
}
