/**
 * Checks what names and describes a pod.
 *
 * @module
 */

import {
  checkFields,
  type FieldChecks,
  required,
  shape,
  unlessEmpty,
} from "./checks.ts";
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

/** Reports what is wrong with the metadata of a pod or another object. */
export function validateMetadata(metadata: ObjectMeta, at: Place): void {
  checkFields(metadata, at, METADATA);
}

/** Reports what is wrong with the labels and annotations of what has no name yet. */
export function validateMarks(metadata: ObjectMeta, at: Place): void {
  checkFields(metadata, at, {
    labels: validateLabels,
    annotations: validateAnnotations,
  });
}

const NAME = required(shape(subdomainProblem));
const PREFIX = unlessEmpty(shape(subdomainProblem));
const QUALIFIED = shape(qualifiedNameProblem);
const LABEL_VALUE = shape(labelValueProblem);

const METADATA: FieldChecks<ObjectMeta> = {
  name: (name, at, { generateName }) => {
    if (!name && generateName) {
      at.required("an object from a file has no generated name");
    } else NAME(name, at);
  },
  // Empty is the same as absent and means the default namespace.
  namespace: unlessEmpty(shape(labelProblem)),
  uid: unlessEmpty(validatePodUid),
  generateName: (prefix, at, { name }) => {
    if (name === undefined) return;
    // A prefix may end as no name may.
    PREFIX(prefix?.replace(/-$/, ""), at);
  },
  labels: validateLabels,
  annotations: validateAnnotations,
  deletionTimestamp: refuseDeletion,
  deletionGracePeriodSeconds: refuseDeletion,
  ownerReferences: refuseOwners,
  finalizers: refuseOwners,
};

/** Reports a UID that cannot be the name of a directory. */
export function validatePodUid(uid: string, at: Place): void {
  if (isPodUid(uid)) return;
  at.invalid(
    uid,
    "must consist of 1 to 64 letters, digits and '-', and start with a letter or digit",
  );
}

/** Reports labels whose keys or values have not the right shape. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  at: Place,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    QUALIFIED(key, at.key(key));
    LABEL_VALUE(value, at.key(key));
  }
}

function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  at: Place,
): void {
  const entries = Object.entries(annotations ?? {});
  for (const [key] of entries) {
    // Upstream checks annotation keys in lower case.
    QUALIFIED(key.toLowerCase(), at.key(key));
  }
  validateAnnotationSize(annotations, at);
}

/** Reports annotations that are longer than an API server takes them. */
export function validateAnnotationSize(
  annotations: Readonly<Record<string, string>> | undefined,
  at: Place,
): void {
  const texts = Object.entries(annotations ?? {}).flat();
  if (utf8Length(texts) <= MAX_ANNOTATION_BYTES) return;
  at.tooLong(`may not be more than ${MAX_ANNOTATION_BYTES} bytes in total`);
}

function refuseDeletion(value: unknown, at: Place): void {
  if (value === undefined) return;
  at.forbidden("what is in a file is deleted by removing it from the file");
}

function refuseOwners(
  owners: readonly unknown[] | undefined,
  at: Place,
): void {
  if (owners?.length) {
    at.forbidden("has no effect on what is in a file; remove it");
  }
}

const encoder = new TextEncoder();

function utf8Length(texts: readonly string[]): number {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // Three bytes a unit is the most there can be: nearly always far below the limit.
  if (units * 3 <= MAX_ANNOTATION_BYTES) return units;
  return encoder.encode(texts.join("")).length;
}
