/**
 * The records of pods in the directories of the pods.
 *
 * @module
 */

import { isPodUid } from "../api/objects/mod.ts";
import {
  fileErrorKind,
  readFileBounded,
  writeFileAtomic,
} from "../host/files/mod.ts";
import type { RecordFiles } from "./ports.ts";

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
    const found = await readFileBounded(this.#path(uid), MAX_BYTES);
    if (found.kind === "missing") return undefined;
    // What is no file or too large is no record, and reads as a broken one.
    return found.kind === "read" ? new TextDecoder().decode(found.bytes) : "";
  }

  async write(
    uid: string,
    text: string,
    options: { readonly durable: boolean },
  ): Promise<boolean> {
    const bytes = new TextEncoder().encode(text);
    const { durable } = options;
    try {
      await writeFileAtomic(this.#path(uid), bytes, { mode: 0o600, durable });
      return true;
    } catch (error) {
      if (fileErrorKind(error) === "missing") return false;
      throw error;
    }
  }

  #path(uid: string): string {
    if (isPodUid(uid)) return `${this.#podsDir}/${uid}/${STATUS_RECORD}`;
    throw new RangeError(
      `Cannot name the record of pod "${uid}": wanted a UID of letters, digits and "-"`,
    );
  }
}

/** A status is cut to a few kilobytes long before this. */
const MAX_BYTES = 4 * 1024 * 1024;
