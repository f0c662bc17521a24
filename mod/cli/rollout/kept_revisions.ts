/**
 * The revisions of what is rolled out.
 *
 * @module
 */

import { stableJson } from "../../api/objects/mod.ts";
import {
  fieldAt,
  isControlledBy,
  numberAt,
  type ShownObject,
} from "../kinds/mod.ts";

/** One earlier or present state of a template. */
export interface Revision {
  readonly number: number;
  readonly cause: string;
  /** Without what its controller added. */
  readonly template: unknown;
}

const REVISION = "deployment.kubernetes.io/revision";
const CAUSE = "kubernetes.io/change-cause";
const TEMPLATE_HASH = "pod-template-hash";

/** The kind of object that keeps the revisions of a kind. */
export function revisionKind(kind: string): string | undefined {
  switch (kind) {
    case "Deployment":
      return "ReplicaSet";
    case "DaemonSet":
    case "StatefulSet":
      return "ControllerRevision";
    default:
      return undefined;
  }
}

/** The revisions of an object, the oldest first; others' are left out. */
export function rolledRevisions(
  object: ShownObject,
  kept: readonly ShownObject[],
): readonly Revision[] {
  return kept.filter((each) => isControlledBy(each, object))
    .map(revisionOf).filter(({ number }) => number > 0)
    .sort((left, right) => left.number - right.number);
}

/**
 * The ReplicaSet of a Deployment's own template, the oldest if there are several alike;
 * `undefined` before it is made.
 */
export function newestSet(
  deployment: ShownObject,
  sets: readonly ShownObject[],
): ShownObject | undefined {
  const wanted = templateText(deployment);
  const since = ({ metadata }: ShownObject): string =>
    metadata.creationTimestamp ?? "";
  return sets.filter((each) => templateText(each) === wanted)
    .sort((left, right) => since(left) < since(right) ? -1 : 1)[0];
}

function templateText(object: ShownObject): string {
  return stableJson(plainTemplate(fieldAt(object, "spec.template")));
}

function revisionOf(kept: ShownObject): Revision {
  const { annotations = {} } = kept.metadata;
  const cause = annotations[CAUSE] || "<none>";
  if (kept.kind === "ReplicaSet") {
    const number = Number(annotations[REVISION] ?? 0);
    return {
      number,
      cause,
      template: plainTemplate(fieldAt(kept, "spec.template")),
    };
  }
  const { $patch: _patch, ...template } = recordOf(
    fieldAt(kept, "data.spec.template"),
  );
  return { number: numberAt(kept, "revision"), cause, template };
}

/** A template without the label by which a ReplicaSet knows its pods. */
function plainTemplate(template: unknown): unknown {
  const { metadata, ...rest } = recordOf(template);
  const { labels, ...others } = recordOf(metadata);
  const { [TEMPLATE_HASH]: _hash, ...kept } = recordOf(labels);
  return { metadata: { ...others, labels: kept }, ...rest };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

/** The revision that is meant: by its number, or the one before the newest. */
export function wantedRevision(
  revisions: readonly Revision[],
  number: number,
): Revision | undefined {
  return number === 0
    ? revisions.at(-2)
    : revisions.find((each) => each.number === number);
}
