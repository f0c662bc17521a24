/**
 * What becomes of the wish for an object, before it is kept.
 *
 * @module
 */

import { ApiFailure, type NewObject } from "../api/access/mod.ts";
import { applyPodDefaults } from "../api/defaults/mod.ts";
import {
  type Fault,
  FaultList,
  formatFault,
  rootPlace,
} from "../api/fault/mod.ts";
import type { PodBody } from "../api/types/mod.ts";
import { validatePod } from "../api/validate/mod.ts";
import { isRecord, type Random } from "../base/mod.ts";
import { formatTime } from "../pod/status/mod.ts";
import type { KindFacts } from "./kept_kinds.ts";
import { objectWords } from "./kept_kinds.ts";
import type { AnyObject } from "./parts.ts";

/** What a new object is made with. */
export interface NewObjectDeps {
  readonly random: Random;
  readonly nowMs: number;
  /** The node that pods are bound to at once; absent: none. */
  readonly nodeName?: string | undefined;
}

/**
 * The object that is kept for a wish: named, with a UID and the time of its making, and
 * without a status; a Pod with its defaults, bound to the node, and pending.
 *
 * @throws {ApiFailure} `Invalid` when it has no name, or is a Pod that the API server
 * would not take.
 */
export function newObject(
  wish: NewObject,
  facts: KindFacts,
  deps: NewObjectDeps,
): AnyObject {
  const { metadata: { namespace, name = "" }, ...body } = wish;
  if (name === "") {
    throw invalid({ ...wish, namespace, name }, [
      { field: "metadata.name", message: NAME_REQUIRED },
    ]);
  }
  if ((namespace !== "") !== facts.isNamespaced) {
    throw invalid({ ...wish, namespace, name }, [
      {
        field: "metadata.namespace",
        message: facts.isNamespaced ? "Required value" : "Forbidden",
      },
    ]);
  }
  const object: AnyObject = {
    ...body,
    metadata: {
      ...clientMeta(wish.metadata),
      name,
      namespace,
      uid: newUid(deps.random),
      creationTimestamp: formatTime(deps.nowMs),
      ...(facts.hasGeneration && { generation: 1 }),
    },
  };
  return finished(object, deps);
}

/** The parts of metadata that a client has a say in. */
export function clientMeta(
  metadata: NewObject["metadata"],
): NewObject["metadata"] {
  const {
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _creation,
    deletionTimestamp: _deletion,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...kept
  } = metadata;
  return kept;
}

const NAME_REQUIRED = "Required value: name or generateName is required";

/** What depends on the kind. */
function finished(object: AnyObject, deps: NewObjectDeps): AnyObject {
  const { status: _status, ...silent } = object;
  switch (object.kind) {
    case "Pod":
      return newPod(silent, deps);
    case "Job":
      return withJobSelector(silent);
    default:
      return silent;
  }
}

function newPod(object: AnyObject, { nodeName }: NewObjectDeps): AnyObject {
  // Said of pods in files only, which nobody makes.
  const { ownerReferences: _owners, finalizers: _finalizers, ...metadata } =
    object.metadata;
  const body = { ...object, metadata };
  if (!isPodBody(body)) {
    throw invalid({ ...object, ...metadata }, [
      { field: "spec.containers", message: "Required value" },
    ]);
  }
  const { spec } = applyPodDefaults(body);
  const faults = new FaultList();
  validatePod({ ...body, spec }, rootPlace(faults));
  if (!faults.isEmpty) throw invalid({ ...object, ...metadata }, faults.faults);
  const bound = spec.nodeName === undefined && nodeName !== undefined
    ? { ...spec, nodeName }
    : spec;
  return { ...object, spec: bound, status: { phase: "Pending" } };
}

/** Whether it has at least the shape of a Pod; templates are decoded where they are read. */
function isPodBody(value: AnyObject): value is AnyObject & PodBody {
  return value.apiVersion === "v1" && value.kind === "Pod" &&
    isRecord(value.spec) && Array.isArray(value.spec["containers"]);
}

/**
 * A Job with the selector and the labels that set its pods apart from all others, as
 * upstream's generateSelector makes them; one that brings its own selector stays as it is.
 */
export function withJobSelector(object: AnyObject): AnyObject {
  const { metadata: { name, uid }, spec } = object;
  if (!isRecord(spec) || spec["manualSelector"] === true) return object;
  const template = recordOf(spec["template"]);
  const metadata = recordOf(template["metadata"]);
  const selector = recordOf(spec["selector"]);
  const labels = {
    "job-name": name,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    [JOB_UID_LABEL]: uid,
    ...recordOf(metadata["labels"]),
  };
  return {
    ...object,
    spec: {
      ...spec,
      selector: {
        ...selector,
        matchLabels: {
          [JOB_UID_LABEL]: uid,
          ...recordOf(selector["matchLabels"]),
        },
      },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

const JOB_UID_LABEL = "batch.kubernetes.io/controller-uid";

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Upstream's SimpleNameGenerator: the prefix, cut so that all fits a label, and five signs. */
export function generatedName(prefix: string, random: Random): string {
  let suffix = "";
  while (suffix.length < SUFFIX_LENGTH) {
    suffix += SIGNS.charAt(Math.floor(random.next() * SIGNS.length));
  }
  return prefix.slice(0, MAX_NAME - SUFFIX_LENGTH) + suffix;
}

// Without vowels and what looks like them, so that no words come about.
const SIGNS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const MAX_NAME = 63;

/** A UUID of version 4. */
function newUid(random: Random): string {
  const signs = (count: number, alphabet: string): string =>
    Array.from(
      { length: count },
      () => alphabet.charAt(Math.floor(random.next() * alphabet.length)),
    ).join("");
  const hex = "0123456789abcdef";
  const [first, second, third, fourth, last] = [8, 4, 3, 3, 12]
    .map((count) => signs(count, hex));
  return `${first}-${second}-4${third}-${signs(1, "89ab")}${fourth}-${last}`;
}

/** The refusal of an object with faults. */
export function invalid(
  ref: Parameters<typeof objectWords>[0],
  faults: readonly Fault[],
): ApiFailure {
  const words = faults.map(formatFault).join("; ");
  return new ApiFailure("Invalid", `${objectWords(ref)} is invalid: ${words}`);
}
