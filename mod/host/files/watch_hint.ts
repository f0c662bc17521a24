/**
 * What events of a watched path say.
 *
 * @module
 */

import { basename } from "node:path";
import type { WatchLook } from "./watch_look.ts";

/**
 * A reason to look again. It never says what is true: the file may have changed
 * once more by the time the hint is read.
 */
export type WatchHint =
  | {
    readonly kind: "entry";
    /** The name in the directory, or the name of the watched file itself. */
    readonly name: string;
    readonly change: EntryChange;
    /** Of `removed`: the new name, when it only moved within the directory. */
    readonly movedTo?: string;
  }
  /** Anything may have changed: events were lost, or the directory is another. */
  | { readonly kind: "rescan" };

/**
 * What happened to an entry.
 *
 * `created` is a name that is new, with content still to come or not; `written` any
 * write or change of mode, perhaps one of many; `closed` the end of one writer;
 * `arrived` a complete file that was renamed to this name.
 */
export type EntryChange =
  | "created"
  | "written"
  | "closed"
  | "arrived"
  | "removed";

/** Anything may have changed. */
export const RESCAN: WatchHint = { kind: "rescan" };

/** Translates one event of a path that was such when watching began. */
export function readEvent(
  event: Deno.FsEvent,
  { path: watched, look }: { readonly path: string; readonly look: WatchLook },
): readonly WatchHint[] {
  const change = CHANGES[event.kind];
  const [path, target] = event.paths;
  if (event.flag === "rescan" || change === undefined) return [RESCAN];
  if (path === undefined) return [];
  // A change of the directory's mode may hide or show everything in it.
  if (path === watched && look.kind === "directory") return [RESCAN];
  const name = basename(target ?? path);
  const hint: WatchHint = { kind: "entry", name, change };
  if (event.kind !== "rename" || target === undefined) return [hint];
  const from = basename(path);
  return [
    { kind: "entry", name: from, change: "removed", movedTo: name },
    hint,
  ];
}

const CHANGES: Readonly<Partial<Record<Deno.FsEvent["kind"], EntryChange>>> = {
  create: "created",
  modify: "written",
  access: "closed",
  rename: "arrived",
  remove: "removed",
};
