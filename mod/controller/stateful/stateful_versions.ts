/**
 * The versions of a StatefulSet's template, and what their ControllerRevisions note of them.
 *
 * @module
 */

import type {
  ControllerRevision,
  PodTemplate,
  StatefulSet,
} from "../../api/workload/mod.ts";
import { countIn } from "../failures/mod.ts";
import { type RevisionHistory, revisionTemplate } from "../history/mod.ts";

/** A version of the template, by the name of its ControllerRevision. */
export interface TemplateVersion {
  readonly name: string;
  readonly template: PodTemplate;
  /** Absent before it was made. */
  readonly revision: ControllerRevision | undefined;
}

/**
 * Annotation of a ControllerRevision: how many pods of it, and no others, were available
 * together at most. Revisions are made with it, and those of earlier agents have none:
 * they count as complete, so that an upgrade of the agent replaces nothing.
 */
const COMPLETE = "skerry.dev/complete-with";
/**
 * Annotation of a ControllerRevision, before an ordinal: how many pods of it failed in a
 * row. The next pod has the same name, so it can only be made when the one that says so
 * is gone.
 */
const FAILURES = "skerry.dev/failures-of-";

/** What the revision of a version is made with. */
export const NEW_VERSION_NOTES: Readonly<Record<string, string>> = {
  [COMPLETE]: "0",
};

/** The versions before and after the rollout that goes on, the same when none does. */
export function versionsOf(
  { status, spec: { template } }: StatefulSet,
  { revisions, newest: { name } }: RevisionHistory,
): Record<"current" | "update", TemplateVersion> {
  const find = (name: string | undefined) =>
    revisions.find(({ metadata }) => metadata.name === name);
  const update = { name, template, revision: find(name) };
  const known = find(status?.currentRevision);
  const before = known && revisionTemplate(known);
  if (known === undefined || before === undefined) {
    return { current: update, update };
  }
  const current = {
    name: known.metadata.name,
    template: before,
    revision: known,
  };
  return { current, update };
}

/** With how many pods a version was complete at most; `Infinity` when that is not known. */
export function completeWith({ revision }: TemplateVersion): number {
  const text = revision?.metadata.annotations?.[COMPLETE];
  return text === undefined ? Infinity : countIn(text);
}

/** How many pods of an ordinal failed in a row, made of a version. */
export function failuresAt(
  { revision }: TemplateVersion,
  ordinal: number,
): number {
  return countIn(revision?.metadata.annotations?.[failuresKey(ordinal)]);
}

/** Under which annotation the failures of an ordinal are counted. */
export function failuresKey(ordinal: number): string {
  return `${FAILURES}${ordinal}`;
}

/** What a version that is complete with so many pods notes otherwise; `null` is nothing. */
export function notesOnceComplete(
  version: TemplateVersion,
  replicas: number,
): Readonly<Record<string, string | null>> {
  const { annotations = {} } = version.revision?.metadata ?? {};
  const failures = Object.keys(annotations)
    .filter((key) => key.startsWith(FAILURES));
  return {
    ...Object.fromEntries(failures.map((key) => [key, null])),
    ...(completeWith(version) < replicas && { [COMPLETE]: `${replicas}` }),
  };
}
