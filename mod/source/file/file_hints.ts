/**
 * Which files are manifests, and what hints about them ask for.
 *
 * @module
 */

import type {
  EntryChange,
  FileStamp,
  WatchHint,
} from "../../host/files/mod.ts";

/** A file that wants to be looked at. */
export type PendingLook =
  | {
    /** It is complete, or gone. */
    readonly kind: "now";
    /** When it came complete, on the wall clock. */
    readonly closedMs?: number;
    /** The paths of what moved from the first to the second. */
    readonly together?: readonly string[];
    /** When to look if it is read too often, on the monotonic clock. */
    readonly dueMs?: number;
  }
  | {
    /** It may still be being written: look when it has been quiet. */
    readonly kind: "when_quiet";
    /** When to look, on the monotonic clock. */
    readonly dueMs: number;
    /** Until then a writer may have it open, on the monotonic clock. */
    readonly openUntilMs?: number;
    /** Whether no write was seen; then it is open only if it is empty. */
    readonly isNew?: boolean;
    /** When a writer was seen to close it last, on the wall clock. */
    readonly closedMs?: number;
    /** What it looked like when the wait began, if there was a look. */
    readonly stamp?: FileStamp;
  };

/** How long a file must be quiet. */
export interface QuietPeriods {
  /** After the last event. */
  readonly settleMs: number;
  /** After the last event while a writer has it open, and does not close it. */
  readonly openMs: number;
}

/**
 * Whether a file of that name is a manifest.
 *
 * Editors and package managers leave copies beside a file (`web.yaml~`, `.swp`,
 * `.bak`, `.rpmnew`); by default none of those is taken for a manifest.
 *
 * @param options.everyFile whether every name is that does not begin with a dot, as in the
 * kubelet
 */
export function isManifestName(
  name: string,
  options: { readonly everyFile: boolean },
): boolean {
  if (name.startsWith(".")) return false;
  return options.everyFile || /\.(yaml|yml|json)$/.test(name);
}

/** What a hint asks for, if for anything. */
export type HintDemand =
  | {
    readonly kind: "look";
    /** Both names of what moved from one to the other, to be looked at together. */
    readonly names: readonly [name: string, movedTo?: string];
    readonly look: PendingLook;
    /** Whether it got a name that is none of a manifest. */
    readonly isAside?: true;
  }
  | { readonly kind: "rescan" };

interface HintContext {
  readonly nowMs: number;
  /** On the wall clock. */
  readonly wallMs: number;
  readonly quiet: QuietPeriods;
  readonly isManifest: (name: string) => boolean;
  /** The look at an entry that is asked for already. */
  readonly pending: (name: string) => PendingLook | undefined;
}

/**
 * Reads one hint about a directory of manifests.
 *
 * A file that was renamed in is complete, and one that was renamed to another
 * manifest is gone, so both are looked at without delay. One that is being written
 * gets time until it is closed, and one that is gone, perhaps to be written anew by
 * an editor, a moment.
 */
export function readHint(
  hint: WatchHint,
  context: HintContext,
): HintDemand | undefined {
  if (hint.kind === "rescan") return hint;
  const { name, change, movedTo } = hint;
  // Volumes of ConfigMaps switch all files at once by renaming "..data".
  if (name.startsWith("..")) return { kind: "rescan" };
  if (!context.isManifest(name)) return undefined;
  if (movedTo !== undefined && context.isManifest(movedTo)) {
    return { kind: "look", names: [name, movedTo], look: { kind: "now" } };
  }
  const look = lookAfter(change, context.pending(name), context);
  const isAside = movedTo !== undefined && { isAside: true } as const;
  return { kind: "look", names: [name], look, ...isAside };
}

function lookAfter(
  change: EntryChange,
  before: PendingLook | undefined,
  { nowMs, wallMs, quiet }: HintContext,
): PendingLook {
  if (change === "arrived") {
    return before?.kind === "now" ? before : { kind: "now", closedMs: wallMs };
  }
  const look = { kind: "when_quiet", dueMs: nowMs + quiet.settleMs } as const;
  const openUntilMs = nowMs + quiet.openMs;
  switch (change) {
    case "removed":
      return look;
    case "created":
      return { ...look, openUntilMs, isNew: true };
    case "written": {
      const closed = before?.closedMs !== undefined &&
        { closedMs: before.closedMs };
      return { ...look, openUntilMs, ...closed };
    }
    case "closed":
      return { ...look, closedMs: wallMs };
  }
}

/** What was seen when a look was due, and when that was. */
export interface QuietContext {
  readonly stamp: FileStamp;
  /** What was read last, if anything was. */
  readonly read: FileStamp | undefined;
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** On the wall clock, as the time of modification is. */
  readonly wallMs: number;
  readonly quiet: QuietPeriods;
}

/**
 * Decides whether a file has been quiet for long enough to be read.
 *
 * @returns The next look to wait for; `undefined` when it is to be read now.
 */
export function judgeQuiet(
  look: PendingLook,
  context: QuietContext,
): PendingLook | undefined {
  if (look.kind === "now") return undefined;
  const { stamp, nowMs, wallMs, quiet } = context;
  const ageMs = wallMs - stamp.modifiedMs;
  const { openUntilMs = nowMs } = look;
  const isYoung = ageMs >= 0 && ageMs < quiet.openMs;
  if (nowMs < openUntilMs && isYoung && !isComplete(look, context)) {
    return { ...look, dueMs: openUntilMs, stamp };
  }
  // Clocks jump and file servers have their own: what stays the same for as long
  // is quiet whatever its time of modification says.
  const isSame = look.stamp !== undefined && sameStamp(look.stamp, stamp);
  if (isSame || ageMs >= quiet.settleMs) return undefined;
  return { kind: "when_quiet", dueMs: nowMs + quiet.settleMs, stamp };
}

/**
 * Whether an event was a change of mode or a link, not the beginning of a write. Then the
 * file has content without a writer that was seen, or content as old as the last read or
 * as the end of the last writer.
 */
function isComplete(
  look: PendingLook & { readonly kind: "when_quiet" },
  { stamp, read }: QuietContext,
): boolean {
  const { isNew = false, closedMs = -Infinity } = look;
  if (isNew) return stamp.size > 0;
  const isRead = read !== undefined && sameFile(read, stamp);
  return isRead || stamp.modifiedMs <= closedMs;
}

/** Whether two looks saw the same content, as far as a look shows. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return sameFile(a, b) && a.changedMs === b.changedMs;
}

/** Whether two looks saw the same file that nobody wrote between them, under any name. */
export function sameFile(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.modifiedMs === b.modifiedMs &&
    a.inode === b.inode;
}
