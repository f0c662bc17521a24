/**
 * What is known of each manifest file.
 *
 * @module
 */

import type { Fault } from "../api/fault/mod.ts";
import type { LocalObject, ObjectId } from "../api/objects/mod.ts";
import type { PodNameHint } from "../api/read/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { WorkloadManifest } from "../api/workload/mod.ts";
import type { FileStamp } from "../host/files/mod.ts";
import type { SourceContent } from "./merge/mod.ts";

/** What a manifest holds when it is sound. */
export type FileContent = SourceContent;

/** What one file gives. */
export type FileVerdict =
  | { readonly kind: "accepted"; readonly content: FileContent }
  | {
    /** Invalid or unreadable; `lastGood` runs on if there is any. */
    readonly kind: "faulty";
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
    readonly lastGood: Kept<FileContent>;
    /** Whether it is the node that refuses it, which may change: its addresses do. */
    readonly isByNode?: boolean;
  }
  | {
    /** Seen at start and not read yet, since it may still be being written. */
    readonly kind: "unsettled";
    readonly lastGood: Kept<FileContent>;
  };

/** One file and what it gave when it was looked at last. */
export interface FileEntry {
  /** How it looked when it was read; absent when the next look is to read it anyway. */
  readonly read?: {
    readonly stamp: FileStamp;
    /** When it was read first like that, on the monotonic clock. */
    readonly sinceMs: number;
    /** Whether its content is the same as long as it looks like that. */
    readonly isProof: boolean;
  };
  /** Names the content that was judged; absent when there was none to judge. */
  readonly digest?: string;
  readonly verdict: FileVerdict;
}

/** The files of the source by their paths. */
export type FileEntries = ReadonlyMap<string, FileEntry>;

/**
 * What this node has against a valid pod: fields that it does not honour, hosts that it
 * may not reach. It is given the warnings of the manifest, to record them.
 *
 * A template of pods is asked as well, as a pod with the name of what makes pods of it and
 * an empty UID; of that, nothing is recorded.
 */
export type PodCheck = (
  pod: Pod,
  warnings: readonly Fault[],
) => readonly Fault[];

/** One thing that an operator has to know about a file, or about all of them. */
export type FileReport =
  | {
    /** Nothing of this file runs. */
    readonly kind: "refused";
    readonly file: string;
    readonly faults: readonly Fault[];
    readonly named: readonly PodNameHint[];
    /** Why it is not known what it gave last, which may run on. */
    readonly unknown?: string;
  }
  | {
    /** What the file said before it turned invalid runs on. */
    readonly kind: "last_good";
    readonly file: string;
    readonly faults: readonly Fault[];
    readonly pods: readonly Pod[];
    /** @default none */
    readonly workloads?: readonly WorkloadManifest[];
  }
  | {
    /** A pod of this file does not run: `of` has one of that name or UID and had it first. */
    readonly kind: "duplicate";
    readonly file: string;
    readonly of: string;
    readonly pod: Pod;
    readonly field: "name" | "uid";
  }
  | {
    /** An object of this file does not count: `of` has one of that name and had it first. */
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

/** What one file gives, whatever its state. */
export function contentOf(verdict: FileVerdict): FileContent {
  if (verdict.kind === "accepted") return verdict.content;
  const { lastGood } = verdict;
  return lastGood.kind === "present" ? lastGood.content : NO_CONTENT;
}

/** Whether it is known what a file gives, or gave last. */
export function isContentKnown(verdict: FileVerdict): boolean {
  return verdict.kind === "accepted" || verdict.lastGood.kind === "present";
}

/** What gives nothing. */
export const NO_CONTENT: FileContent = {
  pods: [],
  objects: [],
  workloads: [],
};

/** Whether there is neither a pod nor anything else. */
export function isEmptyContent(content: FileContent): boolean {
  const { pods, objects, workloads } = content;
  return pods.length + objects.length + workloads.length === 0;
}

/** Why it is not known what a file gives; `undefined` when it is. */
export function unknownOf(verdict: FileVerdict): string | undefined {
  if (verdict.kind === "accepted") return undefined;
  const { kind, lastGood } = verdict;
  if (lastGood.kind === "unknown") return lastGood.reason;
  return kind === "unsettled" && isNothing(verdict)
    ? "it may still be being written"
    : undefined;
}

/** Whether a file may be judged otherwise though it stays the same. */
export function mayBeTaken(verdict: FileVerdict): boolean {
  return verdict.kind === "faulty" && verdict.isByNode === true;
}

/** Whether nothing else is to be learned of a file that stays the same. */
export function isFinal(verdict: FileVerdict): boolean {
  return unknownOf(verdict) === undefined && !mayBeTaken(verdict);
}

/** The files of which it is not known what they give. */
export function unknownPaths(entries: FileEntries): readonly string[] {
  return [...entries].filter(([, { verdict }]) =>
    unknownOf(verdict) !== undefined
  ).map(([path]) => path);
}

/** Whether the content of some file is not known yet, and nothing replaces it. */
export function isSettling(entries: FileEntries): boolean {
  return [...entries.values()].some(({ verdict }) =>
    verdict.kind === "unsettled" && isNothing(verdict)
  );
}

/** Whether nothing is known of a file. A copy has no record while the other file exists. */
function isNothing(verdict: FileVerdict): boolean {
  return isEmptyContent(contentOf(verdict));
}

/** Whether two contents hold the very same in the same order. */
export function sameContent(a: FileContent, b: FileContent): boolean {
  return sameItems<Pod>(a.pods, b.pods) &&
    sameItems<LocalObject>(a.objects, b.objects) &&
    sameItems<WorkloadManifest>(a.workloads, b.workloads);
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** What is wrong with a file by itself, if anything is. */
export function reportOn(
  file: string,
  verdict: FileVerdict,
): FileReport | undefined {
  if (verdict.kind !== "faulty") return undefined;
  const report = faultReport({ file, ...verdict }, contentOf(verdict));
  const { lastGood } = verdict;
  return report.kind === "refused" && lastGood.kind === "unknown"
    ? { ...report, unknown: lastGood.reason }
    : report;
}

/** The report of a faulty file; what it gave before may run on. */
export function faultReport(
  { file, faults, named }: Omit<FileReport & { kind: "refused" }, "kind">,
  content: FileContent,
): FileReport {
  if (isEmptyContent(content)) return { kind: "refused", file, faults, named };
  const { pods, workloads } = content;
  const report = { kind: "last_good", file, faults, pods } as const;
  return workloads.length === 0 ? report : { ...report, workloads };
}

/**
 * What a store says of a key. Nothing is ended, removed or overwritten because of
 * what is `unknown`: it is asked for again.
 */
export type Kept<Content> =
  | {
    readonly kind: "present";
    readonly content: Content;
    /** Why Secrets are missing from it; absent when all is there that was to be kept. */
    readonly lack?: {
      /** Part of a sentence: the reason, and what can be done about it. */
      readonly words: string;
      /** Whether it is in vain to ask again. */
      readonly isLasting: boolean;
    };
  }
  | { readonly kind: "absent" }
  | {
    /** The disk did not give it. */
    readonly kind: "unknown";
    readonly reason: string;
  };
