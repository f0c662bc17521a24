/**
 * The records of pods in the directory that the next boot finds empty.
 *
 * @module
 */

import { isPodUid } from "../api/objects/mod.ts";
import { diskFiles, readFileBounded, runFiles } from "../host/files/mod.ts";

const SUFFIX = ".json";

/** Of temporary files; a crash leaves one. */
const DRAFT_SUFFIX = ".tmp";

/** A status is cut to a few kilobytes long before this. */
const MAX_BYTES = 4 * 1024 * 1024;

/** One small text a pod: `<runDir>/status/<uid>.json`. */
export class RunDirectoryFiles {
  readonly #directory: string;

  /** @param runDir the agent's directory for what need not survive a boot */
  constructor(runDir: string) {
    this.#directory = `${runDir}/status`;
  }

  /**
   * The pods that have a text; called once, before anything is written, and removes what
   * a crash left of a text that was being written.
   *
   * @throws {Error} when they cannot be listed
   */
  async list(): Promise<readonly string[]> {
    const names = await diskFiles.list(this.#directory);
    for (const name of names.filter((each) => each.endsWith(DRAFT_SUFFIX))) {
      // One that cannot be removed does no harm.
      await diskFiles.remove(`${this.#directory}/${name}`).catch(() => {});
    }
    return names.filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length)).filter(isPodUid);
  }

  /**
   * The text of a pod; `undefined` when it has none.
   *
   * @throws {Error} when it cannot be read
   */
  async read(uid: string): Promise<string | undefined> {
    const found = await readFileBounded(this.#path(uid), MAX_BYTES);
    if (found.kind === "missing") return undefined;
    // What is no file or too large is no record, and reads as a broken one.
    return found.kind === "read" ? new TextDecoder().decode(found.bytes) : "";
  }

  /**
   * Replaces the text of a pod as a whole.
   *
   * @throws {Error} when it cannot be written
   */
  write(uid: string, text: string): void {
    // A power cut ends the containers as well.
    runFiles.replace(this.#path(uid), text);
  }

  /**
   * Removes the text of a pod, if there is one.
   *
   * @throws {Error} when it cannot be removed
   */
  remove(uid: string): void {
    runFiles.remove(this.#path(uid));
  }

  #path(uid: string): string {
    if (isPodUid(uid)) return `${this.#directory}/${uid}${SUFFIX}`;
    throw new RangeError(
      `Cannot name the record of pod "${uid}": wanted a UID of letters, digits and "-"`,
    );
  }
}
