/**
 * What is noted of the versions of a StatefulSet, with their ControllerRevisions.
 *
 * @module
 */

import type { ControllerRevision } from "../../api/workload/mod.ts";
import { failuresWith } from "../failures/mod.ts";
import { type Change, exactRef } from "../run/mod.ts";
import {
  allPods,
  endedPods,
  isMissing,
  type Members,
  versionAt,
} from "./stateful_members.ts";
import { ordinalOf, versionOf } from "./stateful_pod.ts";
import {
  failuresAt,
  failuresKey,
  notesOnceComplete,
} from "./stateful_versions.ts";

/** Notes how often the pods failed that are to be made again of the same version. */
export function failureNotes(members: Members): readonly Change[] {
  const { set, ageMs } = members;
  const noted = new Map<ControllerRevision, Record<string, string>>();
  for (const { place, pod } of endedPods(members)) {
    const version = versionAt(members, place);
    const { name, revision } = version;
    if (revision === undefined || versionOf(pod) !== name) continue;
    const ordinal = ordinalOf(set, pod) ?? NaN;
    const failures = failuresWith(pod, ageMs(pod));
    if (failures === failuresAt(version, ordinal)) continue;
    const notes = noted.get(revision) ?? {};
    notes[failuresKey(ordinal)] = `${failures}`;
    noted.set(revision, notes);
  }
  return [...noted].map(([revision, notes]) => annotate(revision, notes));
}

/** Notes that the newest version is complete: all pods are of it, and available. */
export function completionNotes(members: Members): readonly Change[] {
  const { set: { spec: { replicas } }, update, update: { revision } } = members;
  const pods = allPods(members);
  const isComplete = pods.length === replicas &&
    pods.every((pod) =>
      versionOf(pod) === update.name && !isMissing(members, pod)
    );
  if (!isComplete || revision === undefined) return [];
  const notes = notesOnceComplete(update, replicas);
  return Object.keys(notes).length === 0 ? [] : [annotate(revision, notes)];
}

function annotate(
  revision: ControllerRevision,
  annotations: Readonly<Record<string, string | null>>,
): Change {
  const patch = { metadata: { annotations } };
  return { verb: "patch", ref: exactRef(revision), patch };
}
