/**
 * The records of pods on a real disk, and in the directory that the next boot finds empty.
 *
 * @module
 */

import { isPodUid } from "../api/objects/mod.ts";
import {
  ensureDirectory,
  readFileBounded,
  writeFileAtomic,
} from "../host/files/mod.ts";
import { fileErrorKind } from "../host/paths/mod.ts";
import type { RecordFiles, RunRecordFiles } from "./ports.ts";

/** The name of a pod's record in the directory of the pod. */
export const STATUS_RECORD: string = "status.json";

/** {@linkcode RecordFiles} on the real disk: `<podsDir>/<uid>/status.json`. */
export class DiskRecordFiles implements RecordFiles {
  readonly #podsDir: string;

  /** @param podsDir where each pod has a directory named by its UID */
  constructor(podsDir: string) {
    this.#podsDir = podsDir;
  }

  async read(uid: string): Promise<string | undefined> {
    return await readText(this.#path(uid));
  }

  async write(
    uid: string,
    text: string,
    options: { readonly durable: boolean },
  ): Promise<boolean> {
    return await writeText(this.#path(uid), text, options);
  }

  #path(uid: string): string {
    return `${this.#podsDir}/${checked(uid)}/${STATUS_RECORD}`;
  }
}

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

  async read(uid: string): Promise<string | undefined> {
    return await readText(this.#path(uid));
  }

  async write(uid: string, text: string): Promise<void> {
    const path = this.#path(uid);
    // A power cut ends the containers as well.
    const options = { durable: false };
    if (await writeText(path, text, options)) return;
    await ensureDirectory(this.#directory, 0o700);
    if (await writeText(path, text, options)) return;
    throw new Error(`Cannot write "${path}": its directory was removed`);
  }

  async remove(uid: string): Promise<void> {
    try {
      await Deno.remove(this.#path(uid));
    } catch (error) {
      if (fileErrorKind(error) !== "missing") throw error;
    }
  }

  /** A draft that cannot be removed does no harm. */
  async #removeDraft(name: string): Promise<void> {
    await Deno.remove(`${this.#directory}/${name}`).catch(() => {});
  }

  #path(uid: string): string {
    return `${this.#directory}/${checked(uid)}${SUFFIX}`;
  }
}

const SUFFIX = ".json";

/** Of the temporary files of `writeFileAtomic`; a crash leaves one. */
const DRAFT_SUFFIX = ".tmp";

/** A status is cut to a few kilobytes long before this. */
const MAX_BYTES = 4 * 1024 * 1024;

async function readText(path: string): Promise<string | undefined> {
  const found = await readFileBounded(path, MAX_BYTES);
  if (found.kind === "missing") return undefined;
  // What is no file or too large is no record, and reads as a broken one.
  return found.kind === "read" ? new TextDecoder().decode(found.bytes) : "";
}

/** @returns false when there is no directory */
async function writeText(
  path: string,
  text: string,
  { durable }: { readonly durable: boolean },
): Promise<boolean> {
  const bytes = new TextEncoder().encode(text);
  try {
    await writeFileAtomic(path, bytes, { mode: 0o600, durable });
    return true;
  } catch (error) {
    if (fileErrorKind(error) === "missing") return false;
    throw error;
  }
}

function checked(uid: string): string {
  if (isPodUid(uid)) return uid;
  throw new RangeError(
    `Cannot name the record of pod "${uid}": wanted a UID of letters, digits and "-"`,
  );
}
