/**
 * What is known of each manifest file, and which pods and objects follow from it.
 *
 * @module
 */

import {
  type Fault,
  formatObjectId,
  type LocalObject,
  type ObjectId,
  objectId,
  type Pod,
  podKey,
  type PodNameHint,
} from "../api/mod.ts";
import type { FileStamp } from "../host/mod.ts";

/** What a manifest holds when it is sound. */
export interface FileContent {
  readonly pods: readonly Pod[];
  readonly objects: readonly LocalObject[];
}

/** What one file gives. */
export type FileVerdict =
  | { readonly kind: "accepted"; readonly content: FileContent }
  | {
    /** Invalid or unreadable; `lastGood` runs on if there is any. */
    readonly kind: "faulty";
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
    readonly lastGood: FileContent | undefined;
  }
  | {
    /** Seen at start and not read yet, since it may still be being written. */
    readonly kind: "unsettled";
    readonly lastGood: FileContent | undefined;
  };

/** One file and what it gave when it was read last. */
export interface FileEntry {
  /** What was read; absent when the next look is to read again, whatever it finds. */
  readonly stamp?: FileStamp;
  /** What was read in its place, as long as it proves nothing; see `ManifestReader`. */
  readonly unproven?: UnprovenStamp;
  /** Names the content that was judged; absent when there was none to judge. */
  readonly digest?: string;
  readonly verdict: FileVerdict;
}

/** A stamp that a file may still have when its content is another. */
export interface UnprovenStamp {
  readonly stamp: FileStamp;
  /** When it was read first, on the monotonic clock. */
  readonly sinceMs: number;
}

/** The files of the source by their paths. */
export type FileEntries = ReadonlyMap<string, FileEntry>;

/** One thing that an operator has to know about a file, or about all of them. */
export type FileReport =
  | {
    /** Nothing of this file runs. */
    readonly kind: "refused";
    readonly file: string;
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
  }
  | {
    /** What the file said before it turned invalid runs on. */
    readonly kind: "last_good";
    readonly file: string;
    readonly faults: readonly Fault[];
    readonly pods: readonly Pod[];
  }
  | {
    /** A pod of this file does not run: `of` has one of that name or UID and comes first. */
    readonly kind: "duplicate";
    readonly file: string;
    readonly of: string;
    readonly pod: Pod;
    readonly field: "name" | "uid";
  }
  | {
    /** An object of this file does not count: `of` has one of that name and comes first. */
    readonly kind: "duplicate_object";
    readonly file: string;
    readonly of: string;
    readonly object: ObjectId;
    /** The pods of this file, which may have been meant to get this object. */
    readonly pods: readonly Pod[];
  }
  | {
    /** The source itself cannot be read; what it gave last runs on. */
    readonly kind: "unreachable";
    readonly file: string;
    readonly message: string;
    /** What was wrong with what it gave; absent when it gave nothing. */
    readonly fault?: OutageFault;
  };

/** Why an answer of a source counts for nothing. */
export type OutageFault = "InvalidAnswer" | "InvalidSignature";

/** What the files amount to, and what is wrong with them. */
export interface Resolution extends FileContent {
  readonly reports: readonly FileReport[];
}

/**
 * Puts the files together, in the order of their paths.
 *
 * Of pods with the same name or UID the first one stays, always, and so does the
 * first of the objects with the same kind and name: the choice depends on nothing
 * but the files, so that a restart of the agent repeats it.
 */
export function resolveFiles(entries: FileEntries): Resolution {
  const pods: Pod[] = [];
  const objects: LocalObject[] = [];
  const reports: FileReport[] = [];
  const names = new Map<string, string>();
  const uids = new Map<string, string>();
  const objectNames = new Map<string, string>();
  const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  for (const [file, { verdict }] of sorted) {
    const report = reportOn(file, verdict);
    if (report !== undefined) reports.push(report);
    const content = contentOf(verdict);
    for (const pod of content.pods) {
      const name = podKey(pod.metadata);
      const { uid } = pod.metadata;
      const byName = names.get(name);
      const of = byName ?? uids.get(uid);
      if (of !== undefined) {
        const field = byName === undefined ? "uid" : "name";
        reports.push({ kind: "duplicate", file, of, pod, field });
        continue;
      }
      names.set(name, file);
      uids.set(uid, file);
      pods.push(pod);
    }
    for (const one of content.objects) {
      const object = objectId(one);
      const name = formatObjectId(object);
      const of = objectNames.get(name);
      if (of !== undefined) {
        const { pods } = content;
        reports.push({ kind: "duplicate_object", file, of, object, pods });
        continue;
      }
      objectNames.set(name, file);
      objects.push(one);
    }
  }
  return { pods, objects, reports };
}

/** What one file gives, whatever its state. */
export function contentOf(verdict: FileVerdict): FileContent {
  const content = verdict.kind === "accepted"
    ? verdict.content
    : verdict.lastGood;
  return content ?? { pods: [], objects: [] };
}

/** Whether two contents hold the very same pods and objects in the same order. */
export function sameContent(a: FileContent, b: FileContent): boolean {
  return sameItems<Pod>(a.pods, b.pods) &&
    sameItems<LocalObject>(a.objects, b.objects);
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function reportOn(file: string, verdict: FileVerdict): FileReport | undefined {
  if (verdict.kind !== "faulty") return undefined;
  const { faults, named, lastGood } = verdict;
  const { pods, objects } = contentOf(verdict);
  return lastGood === undefined || pods.length + objects.length === 0
    ? { kind: "refused", file, faults, named }
    : { kind: "last_good", file, faults, pods };
}
