/**
 * What there is at a watched path, and whether it is another thing than before.
 *
 * @module
 */

import type { FileLook } from "./bounded_read.ts";

/** A look at a watched path; `hung` if its file system does not answer. */
export type WatchLook =
  | FileLook
  | { readonly kind: "denied" }
  | { readonly kind: "hung" };

/** Whether two looks saw the same thing, by what the system tells them apart. */
export function sameIdentity(a: WatchLook, b: WatchLook): boolean {
  if (a.kind === "directory" && b.kind === "directory") {
    return a.inode === b.inode && a.device === b.device;
  }
  if (a.kind === "file" && b.kind === "file") {
    return a.stamp.inode === b.stamp.inode;
  }
  return a.kind === b.kind;
}

/** When its content changed, or an entry of it came or went; 0 if that says nothing. */
export function modifiedOf(look: WatchLook): number {
  return look.kind === "directory"
    ? look.modifiedMs
    : look.kind === "file"
    ? look.stamp.modifiedMs
    : 0;
}
