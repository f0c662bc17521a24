/**
 * Checks what names and describes a pod.
 *
 * @module
 */

import { checkShape, requireShape } from "./checks.ts";
import { isPodUid } from "../objects/mod.ts";
import {
  labelProblem,
  labelValueProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { ObjectMeta } from "../types/mod.ts";

/** As the API server's TotalAnnotationSizeLimitB. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** Reports what is wrong with a pod's metadata. */
export function validateMetadata(metadata: ObjectMeta, at: Place): void {
  const { name, namespace, uid } = metadata;
  requireName(metadata, at);
  // Empty is the same as absent and means the default namespace.
  if (namespace) checkShape(namespace, labelProblem, at.child("namespace"));
  if (uid && !isPodUid(uid)) {
    at.child("uid").invalid(
      uid,
      "must consist of 1 to 64 letters, digits and '-', and start with a " +
        "letter or digit",
    );
  }
  if (name !== undefined && metadata.generateName !== undefined) {
    const place = at.child("generateName");
    // A prefix may end as no name may.
    const prefix = metadata.generateName.replace(/-$/, "");
    if (prefix !== "") checkShape(prefix, subdomainProblem, place);
  }
  validateLabels(metadata.labels ?? {}, at.child("labels"));
  validateAnnotations(metadata.annotations ?? {}, at.child("annotations"));
  refuseServerStates(metadata, at);
}

/**
 * What is wrong with the name of a pod; the same with and without the suffix that
 * a source adds.
 */
export function podNameProblem(name: string): string | undefined {
  return subdomainProblem(name);
}

/** Reports labels whose keys or values have not the right shape. */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  at: Place,
): void {
  for (const [key, value] of Object.entries(labels)) {
    checkShape(key, qualifiedNameProblem, at.key(key));
    checkShape(value, labelValueProblem, at.key(key));
  }
}

function requireName(metadata: ObjectMeta, at: Place): void {
  if (!metadata.name && metadata.generateName) {
    at.child("name").required("an object from a file has no generated name");
    return;
  }
  requireShape(metadata.name, podNameProblem, at.child("name"));
}

function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  at: Place,
): void {
  const entries = Object.entries(annotations);
  for (const [key] of entries) {
    const place = at.key(key);
    // Upstream checks annotation keys in lower case.
    checkShape(key.toLowerCase(), qualifiedNameProblem, place);
  }
  if (utf8Length(entries.flat()) > MAX_ANNOTATION_BYTES) {
    at.tooLong(`may not be more than ${MAX_ANNOTATION_BYTES} bytes in total`);
  }
}

function refuseServerStates(metadata: ObjectMeta, at: Place): void {
  for (const name of DELETION_FIELDS) {
    if (metadata[name] === undefined) continue;
    at.child(name).forbidden(
      "what is in a file is deleted by removing it from the file",
    );
  }
  for (const name of OWNER_FIELDS) {
    if ((metadata[name]?.length ?? 0) === 0) continue;
    at.child(name).forbidden("has no effect on what is in a file; remove it");
  }
}

const DELETION_FIELDS = [
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;
const OWNER_FIELDS = ["ownerReferences", "finalizers"] as const;

const encoder = new TextEncoder();

function utf8Length(texts: readonly string[]): number {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // Three bytes a unit is the most there can be: nearly always far below the limit.
  if (units * 3 <= MAX_ANNOTATION_BYTES) return units;
  return encoder.encode(texts.join("")).length;
}
