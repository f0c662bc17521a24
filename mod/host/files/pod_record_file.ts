/**
 * One small record of each pod, in the directory of the pod.
 *
 * @module
 */

import type { DiskFiles } from "./disk_files.ts";
import { openRecord, sealRecord } from "./sealed_record.ts";

/** What keeping records does to the disk. */
export type PodRecordDisk = Pick<
  DiskFiles,
  "makeDirectory" | "readTail" | "replace"
>;

/** Where records lie. */
export interface PodRecordPlace {
  /** Where each pod has a directory named by its UID. */
  readonly podsDir: string;
  readonly name: string;
  /** No record is larger. */
  readonly maxBytes: number;
}

/** Reads and replaces `<podsDir>/<uid>/<name>`; the file goes with the directory. */
export class PodRecordFile {
  readonly #disk: PodRecordDisk;
  readonly #place: PodRecordPlace;

  constructor(disk: PodRecordDisk, place: PodRecordPlace) {
    this.#disk = disk;
    this.#place = place;
  }

  /**
   * The record of a pod; `undefined` when there is none that is whole. One that was
   * written before records had a checksum is read as it is.
   *
   * @throws {Error} when the disk does not say
   */
  async read(uid: string): Promise<unknown> {
    const { name, maxBytes } = this.#place;
    const path = `${this.#directory(uid)}/${name}`;
    const bytes = await this.#disk.readTail(path, maxBytes);
    if (bytes === undefined) return undefined;
    const text = new TextDecoder().decode(bytes);
    return openRecord(text)?.record ?? unsealed(text);
  }

  /**
   * Replaces the record of a pod, and makes its directory.
   *
   * @param options.durable whether it survives a power cut once this resolves
   * @throws {Error} when the disk refuses
   */
  async write(
    uid: string,
    record: object,
    options: { readonly durable: boolean },
  ): Promise<void> {
    const directory = this.#directory(uid);
    const { text } = sealRecord(record);
    await this.#disk.makeDirectory(directory, 0o750);
    await this.#disk.replace(`${directory}/${this.#place.name}`, text, options);
  }

  #directory(uid: string): string {
    return `${this.#place.podsDir}/${uid}`;
  }
}

function unsealed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isSealed = typeof value === "object" && value !== null &&
      "sha256" in value;
    // What fits its checksum no more was damaged.
    return isSealed ? undefined : value;
  } catch {
    // Half written by an agent that was killed: as good as none.
    return undefined;
  }
}
