/**
 * Opening a file below a directory that containers may write to.
 *
 * @module
 */

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { partsOf } from "./walk_below.ts";

/** What came of it; the message says which part of the path is to blame. */
export type FileBelow<T> =
  | { readonly kind: "opened"; readonly value: T }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Opens a regular file below `root` for reading, through no link at all: a container
 * could make one to a file of the node, or of another pod.
 *
 * Every part of the path is looked at before, and the opened file is compared with
 * what the path leads to after. A process that exchanges parts of the path for links and
 * back, twice and at just the right moments, could still have another file opened. Links
 * in `root` itself are followed.
 *
 * @param path Relative and without `..`.
 * @param use what is done with the open file; it is closed afterwards
 * @throws {unknown} what the file system answers, when the file is missing as well
 */
export async function useFileBelow<T>(
  root: string,
  path: string,
  use: (file: FileHandle) => Promise<T>,
): Promise<FileBelow<T>> {
  const parts = partsOf(path);
  if (parts.length === 0 || parts.includes("..")) return OUTSIDE;
  const found = await look(root, parts);
  if (found.kind === "refused") return found;
  // Neither follows a last link nor waits for the writer of a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW |
    constants.O_NONBLOCK;
  await using handle = await open(`${root}/${parts.join("/")}`, flags);
  const opened = await handle.stat();
  const now = await look(root, parts);
  if (
    now.kind !== "file" || now.device !== Number(opened.dev) ||
    now.inode !== Number(opened.ino)
  ) {
    return { kind: "refused", message: "it was exchanged while it was read" };
  }
  return { kind: "opened", value: await use(handle) };
}

type FoundFile =
  | Extract<FileBelow<never>, { kind: "refused" }>
  | { readonly kind: "file"; readonly device: number; readonly inode: number };

const OUTSIDE = {
  kind: "refused",
  message: "wanted a path within the volume",
} as const;

/** Walks down without following anything. */
async function look(
  root: string,
  parts: readonly string[],
): Promise<FoundFile> {
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = `${at}/${part}`;
    const info = await Deno.lstat(at);
    const isLast = index === parts.length - 1;
    if (info.isSymlink) {
      return { kind: "refused", message: `"${part}" is a link` };
    }
    if (isLast && info.isFile) {
      return { kind: "file", device: info.dev, inode: info.ino ?? 0 };
    }
    if (isLast || !info.isDirectory) {
      const wanted = isLast ? "file" : "directory";
      return { kind: "refused", message: `"${part}" is no ${wanted}` };
    }
  }
  return OUTSIDE;
}

/**
 * Follows all links of a path. It does so at once and not in the background, since
 * the builders that ask are pure otherwise, and ask only for pods that name a
 * profile of the node.
 *
 * @returns `undefined` when nothing is there; nothing but an empty text, which lies
 * in no directory, when the path cannot be followed
 */
export function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    // Whatever else is wrong must not pass for "nothing is there".
    return error instanceof Deno.errors.NotFound ? undefined : "";
  }
}
