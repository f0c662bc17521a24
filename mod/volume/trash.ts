/**
 * Directories of pods that wait to be removed.
 *
 * To remove one may take minutes, so it is renamed first, beside where it was: then it
 * is no pod's any more, and whoever makes the pod's directory again makes a new one.
 *
 * @module
 */

import { fileErrorKind, REMOVING_PREFIX } from "../host/files/mod.ts";
import { entriesOf } from "./directory_listing.ts";

/** How the name of such a directory begins; no pod's UID has a dot. */
const TRASH_PREFIX = ".skerry-trash-";

/** More than a pod ever leaves at the same time. */
const MAX_TRIES = 1_000;

/**
 * Renames what lies at `path` into `directory`, where it is trash.
 *
 * Not asynchronous, so that nothing comes between it and the question whether the pod
 * is gone.
 *
 * @returns its path now; `undefined` when there was nothing
 * @throws {Error} when it cannot be renamed: it is a mount point, or the disk is read-only
 */
export function moveToTrash(
  path: string,
  options: { readonly directory: string; readonly uid: string },
): string | undefined {
  const { directory, uid } = options;
  for (let number = 1;; number++) {
    const trash = `${directory}/${TRASH_PREFIX}${uid}.${number}`;
    try {
      Deno.renameSync(path, trash);
      return trash;
    } catch (error) {
      const kind = fileErrorKind(error);
      if (kind === "missing") return undefined;
      const isTaken = kind === "exists" || kind === "wrong_type";
      if (!isTaken || number === MAX_TRIES) throw error;
    }
  }
}

/** What an earlier agent left in a directory of pods' directories. */
export async function trashIn(directory: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { name } of entriesOf(directory)) {
    const isTrash = name.startsWith(TRASH_PREFIX) ||
      name.startsWith(REMOVING_PREFIX);
    if (isTrash) paths.push(`${directory}/${name}`);
  }
  return paths;
}
