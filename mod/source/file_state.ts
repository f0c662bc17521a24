/**
 * What is known of each manifest file, and which pods follow from it.
 *
 * @module
 */

import { type Fault, type Pod, podKey, type PodNameHint } from "../api/mod.ts";
import type { FileStamp } from "../host/mod.ts";

/** What one file gives. */
export type FileVerdict =
  | { readonly kind: "accepted"; readonly pods: readonly Pod[] }
  | {
    /** Invalid or unreadable; `lastGood` runs on if there is any. */
    readonly kind: "faulty";
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
    readonly lastGood: readonly Pod[] | undefined;
  }
  | {
    /** Seen at start and not read yet, since it may still be being written. */
    readonly kind: "unsettled";
    readonly lastGood: readonly Pod[] | undefined;
  };

/** One file and what it gave when it was read last. */
export interface FileEntry {
  /** What was read; absent when the next look is to read again, whatever it finds. */
  readonly stamp?: FileStamp;
  /** Names the content that was judged; absent when there was none to judge. */
  readonly digest?: string;
  readonly verdict: FileVerdict;
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
    /** The source itself cannot be read; what it gave last runs on. */
    readonly kind: "unreachable";
    readonly file: string;
    readonly message: string;
  };

/** The pods that the files amount to, and what is wrong with them. */
export interface Resolution {
  readonly pods: readonly Pod[];
  readonly reports: readonly FileReport[];
}

/**
 * Puts the files together, in the order of their paths.
 *
 * Of pods with the same name or UID the first one stays, always: the choice
 * depends on nothing but the files, so that a restart of the agent repeats it.
 */
export function resolveFiles(entries: FileEntries): Resolution {
  const pods: Pod[] = [];
  const reports: FileReport[] = [];
  const names = new Map<string, string>();
  const uids = new Map<string, string>();
  const sorted = [...entries].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  for (const [file, { verdict }] of sorted) {
    const report = reportOn(file, verdict);
    if (report !== undefined) reports.push(report);
    for (const pod of podsOf(verdict)) {
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
  }
  return { pods, reports };
}

/** The pods of one file, whatever its state. */
export function podsOf(verdict: FileVerdict): readonly Pod[] {
  return verdict.kind === "accepted" ? verdict.pods : verdict.lastGood ?? [];
}

/** Whether two lists hold the very same pods in the same order. */
export function samePods(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, at) => pod === b[at]);
}

function reportOn(file: string, verdict: FileVerdict): FileReport | undefined {
  if (verdict.kind !== "faulty") return undefined;
  const { faults, named, lastGood } = verdict;
  return lastGood === undefined || lastGood.length === 0
    ? { kind: "refused", file, faults, named }
    : { kind: "last_good", file, faults, pods: lastGood };
}
