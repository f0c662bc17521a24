/**
 * What a source delivered last, kept on disk.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { CheckpointFailure, Kept, SetCheckpoint } from "../mod.ts";
import { diskRecordFiles, limitRecordFiles } from "./record_files.ts";
import { RecordFolder } from "./record_folder.ts";
import {
  RecordKeeper,
  type RecordKeeperDeps,
  type RecordPlaces,
} from "./record_keeper.ts";
import type { SourceContent, SourceName } from "../merge/mod.ts";

/** Whose pods a {@linkcode DiskSetCheckpoint} keeps, and where. */
export interface SetCheckpointOptions extends RecordPlaces {
  readonly source: SourceName;
  /**
   * Where the source gets them, such as its URL: what came from elsewhere is not
   * restored. Only a hash of it is stored, since a URL may hold a password.
   */
  readonly origin: string;
}

/**
 * Keeps the last set of one source, with all that {@linkcode RecordKeeper} promises.
 *
 * Its directories are its own: when a set is saved, those of other origins go away.
 */
export class DiskSetCheckpoint implements SetCheckpoint {
  readonly #keeper: RecordKeeper;
  readonly #key: string;
  #isAlone = false;

  /** Touches nothing until asked to. */
  constructor(options: SetCheckpointOptions, deps: RecordKeeperDeps) {
    const { source, origin } = options;
    this.#keeper = new RecordKeeper(options, deps);
    const hash = createHash("sha256").update(origin).digest("hex");
    this.#key = `${source}:${hash}`;
  }

  /** What was kept of this origin. Never rejects. */
  async load(): Promise<Kept<SourceContent>> {
    return await this.#keeper.load(this.#key);
  }

  /** Has a set written soon. */
  save({ pods, objects }: SourceContent): void {
    this.#keeper.put(this.#key, { pods, objects });
    if (!this.#isAlone) this.#keeper.retainKeys(() => new Set([this.#key]));
    this.#isAlone = true;
  }

  /** Why the disk does not take what was asked for; `undefined` when it does. */
  failure(): CheckpointFailure | undefined {
    return this.#keeper.failure();
  }

  /** Writes what was saved until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#keeper.run(signal);
  }
}

/**
 * Removes what a source left that is not configured any more: its pods end, and must
 * not come back with it one day when it cannot be reached.
 *
 * Costs two looks when there is nothing. Never rejects.
 */
export async function dropSetCheckpoint(
  places: RecordPlaces,
  deps: Pick<RecordKeeperDeps, "clock" | "log" | "files">,
): Promise<void> {
  const { directory, secretDirectory } = places;
  const { files = diskRecordFiles, clock, log } = deps;
  const limited = limitRecordFiles(files, clock);
  for (const each of [secretDirectory, directory]) {
    if (each === undefined) continue;
    try {
      await new RecordFolder(each, limited).sweep(new Set());
    } catch (error) {
      log.warn("checkpoint_not_dropped", { directory: each, error });
    }
  }
}
