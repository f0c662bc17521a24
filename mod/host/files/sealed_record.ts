/**
 * Records with a checksum that shows whether they are whole.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { stableJson } from "../../api/objects/mod.ts";
import { isRecord } from "../../base/mod.ts";

/** A record as it goes to the disk. */
export interface SealedRecord {
  readonly text: string;
  /** Names the content: equal records have equal ones. */
  readonly sha256: string;
}

/** The text of a record with its checksum; equal records have equal texts. */
export function sealRecord(record: object): SealedRecord {
  const body = stableJson(record);
  const sha256 = checksum(body);
  const text = `{"version":1,"sha256":"${sha256}","record":${body}}\n`;
  return { text, sha256 };
}

/** Opens a record; `undefined` when it is not exactly what this version once sealed. */
export function openRecord(
  text: string,
): { readonly record: unknown; readonly sha256: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (
      isRecord(value) && value["version"] === 1 && "record" in value &&
      typeof value["sha256"] === "string" &&
      checksum(stableJson(value["record"])) === value["sha256"]
    ) {
      return { record: value["record"], sha256: value["sha256"] };
    }
  } catch {
    // Cut short by a power cut, overwritten, or nested too deep to have been written
    // here: not sound, which is all the caller asks.
  }
  return undefined;
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
