/**
 * Small files in the run directory.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import { FileError, fileErrorKind } from "../paths/mod.ts";

/**
 * Small files of the agent in a directory that lies in memory, and need not survive a
 * boot. Each call is over when it returns: in memory that takes a tenth of the time that
 * an asynchronous one costs. On a disk it is as right, and nothing waits for an fsync.
 */
export interface RunFiles {
  /**
   * Replaces a file as a whole, for its owner only; a directory that is missing is made.
   * Who is killed meanwhile leaves the old content or the new.
   *
   * @throws {FileError} when it cannot be written; the old file is then untouched
   */
  replace(path: string, text: string): void;
  /**
   * Removes a file if there is one.
   *
   * @throws {FileError} when it cannot be removed
   */
  remove(path: string): void;
}

/** {@linkcode RunFiles} of this machine. */
export const runFiles: RunFiles = {
  replace(path, text) {
    try {
      replaceNow(path, text);
    } catch (error) {
      throw new FileError("write", path, { cause: error });
    }
  },

  remove(path) {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (fileErrorKind(error) === "missing") return;
      throw new FileError("remove", path, { cause: error });
    }
  },
};

function replaceNow(path: string, text: string): void {
  // Nobody else writes it meanwhile, so one name is enough, also after a crash.
  const draft = `${dirname(path)}/.${basename(path)}.tmp`;
  try {
    writeDraft(draft, text);
    Deno.renameSync(draft, path);
  } catch (error) {
    // On a full disk the draft takes room as well. The first failure is what counts.
    if (fileErrorKind(error) !== "missing") removeQuietly(draft);
    throw error;
  }
}

function writeDraft(draft: string, text: string): void {
  // Never into what is there: a link would lead elsewhere, and a pipe never end.
  const write = () =>
    Deno.writeTextFileSync(draft, text, { mode: 0o600, createNew: true });
  try {
    write();
  } catch (error) {
    const kind = fileErrorKind(error);
    if (kind === "exists") Deno.removeSync(draft);
    else if (kind === "missing") {
      Deno.mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
    } else throw error;
    write();
  }
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // The next one writes over it.
  }
}
