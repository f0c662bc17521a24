/**
 * Where records of sources are kept, and when.
 *
 * @module
 */

import type { SecretChoice } from "./kept_secrets.ts";

/** Where a `RecordKeeper` keeps what. */
export interface RecordPlaces {
  /** On the disk: everything but Secrets. Is made when the first record is written. */
  readonly directory: string;
  /** On a tmpfs: Secrets. Is made when the first of them is written. */
  readonly secretDirectory: string;
}

/** What a `RecordKeeper` does with Secrets beside that. */
export interface RecordSecrets {
  /** @default none: they do not outlive a reboot, and nobody is told why */
  readonly secrets?: SecretChoice;
}

/** When a `RecordKeeper` writes. */
export interface RecordTimes {
  /**
   * How long the first of several records waits for the others, to be written with them.
   * Meanwhile the next agent finds a draft.
   *
   * @default 0: records are written at once, and there are no drafts
   */
  readonly gatherMs?: number;
}
