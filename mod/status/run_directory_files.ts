/**
 * The records of running containers in the directory that the next boot finds empty.
 *
 * @module
 */

import { isPodUid } from "../api/objects/mod.ts";
import {
  ensureDirectory,
  fileErrorKind,
  readFileBounded,
  writeFileAtomic,
} from "../host/files/mod.ts";
import type { RunRecordFiles } from "./ports.ts";

/** {@linkcode RunRecordFiles} on the real disk: `<runDir>/status/<uid>.json`. */
export class RunDirectoryFiles implements RunRecordFiles {
  readonly #directory: string;

  /** @param runDir the agent's directory for what need not survive a boot */
  constructor(runDir: string) {
    this.#directory = `${runDir}/status`;
  }

  async list(): Promise<readonly string[]> {
    const uids: string[] = [];
    try {
      for await (const { name } of Deno.readDir(this.#directory)) {
        if (name.endsWith(DRAFT_SUFFIX)) await this.#removeDraft(name);
        const uid = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : "";
        if (isPodUid(uid)) uids.push(uid);
      }
    } catch (error) {
      if (fileErrorKind(error) === "missing") return [];
      throw error;
    }
    return uids;
  }

  /** It harms nobody where the disk keeps it. */
  async #removeDraft(name: string): Promise<void> {
    await Deno.remove(`${this.#directory}/${name}`).catch(() => {});
  }

  async read(uid: string): Promise<string | undefined> {
    const found = await readFileBounded(this.#path(uid), MAX_BYTES);
    if (found.kind === "missing") return undefined;
    // What is no file or too large is no record, and reads as a broken one.
    return found.kind === "read" ? new TextDecoder().decode(found.bytes) : "";
  }

  async write(uid: string, text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    // Whoever loses power loses the containers as well.
    const options = { mode: 0o600, durable: false };
    try {
      await writeFileAtomic(this.#path(uid), bytes, options);
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
      await ensureDirectory(this.#directory, 0o700);
      await writeFileAtomic(this.#path(uid), bytes, options);
    }
  }

  async remove(uid: string): Promise<void> {
    try {
      await Deno.remove(this.#path(uid));
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
    }
  }

  #path(uid: string): string {
    if (isPodUid(uid)) return `${this.#directory}/${uid}${SUFFIX}`;
    throw new RangeError(
      `Cannot name the record of pod "${uid}": wanted a UID of letters, digits and "-"`,
    );
  }
}

const SUFFIX = ".json";

/** Of the temporary files of `writeFileAtomic`; a crash leaves one. */
const DRAFT_SUFFIX = ".tmp";

/** A line for each container; nobody has that many. */
const MAX_BYTES = 1024 * 1024;
