/**
 * What a source delivered last, kept on disk.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Kept, SetCheckpoint } from "../mod.ts";
import { isStoredContent } from "./stored_objects.ts";
import { RecordFolder } from "./record_folder.ts";
import { RecordKeeper, type RecordKeeperDeps } from "./record_keeper.ts";
import type { RecordPlaces, RecordSecrets } from "./record_places.ts";
import type { SourceContent, SourceName } from "../merge/mod.ts";

/** Whose pods a {@linkcode DiskSetCheckpoint} keeps, and where. */
export interface SetCheckpointOptions extends RecordPlaces, RecordSecrets {
  readonly source: SourceName;
  /**
   * Where the source gets them, such as its URL: what came from elsewhere is not
   * restored. Only a hash of it is stored, since a URL may hold a password.
   */
  readonly origin: string;
}

/** Where the sets of a source are kept. */
export function setPlaces(
  name: "api" | "url",
  { rootDir, runDir }: { readonly rootDir: string; readonly runDir: string },
): RecordPlaces {
  return {
    directory: `${rootDir}/checkpoints/${name}`,
    secretDirectory: `${runDir}/${name}-secrets`,
  };
}

/**
 * Keeps the last set of one source, with all that {@linkcode RecordKeeper} promises.
 *
 * Its directories are its own: when a set is saved, those of other origins go away.
 */
export class DiskSetCheckpoint extends RecordKeeper implements SetCheckpoint {
  readonly #key: string;
  #isAlone = false;

  /** Touches nothing until asked to. */
  constructor(options: SetCheckpointOptions, deps: RecordKeeperDeps) {
    super(options, deps);
    const hash = createHash("sha256").update(options.origin).digest("hex");
    this.#key = `${options.source}:${hash}`;
  }

  override load(): Promise<Kept<SourceContent>> {
    return super.load(this.#key);
  }

  save({ pods, objects, workloads }: SourceContent): void {
    this.put(this.#key, { pods, objects, workloads });
    if (!this.#isAlone) this.retainKeys(() => new Set([this.#key]));
    this.#isAlone = true;
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
  for (const directory of [places.secretDirectory, places.directory]) {
    try {
      await new RecordFolder(directory, deps, isStoredContent).sweep(() =>
        new Set()
      );
    } catch (error) {
      deps.log.warn("checkpoint_not_dropped", { directory, error });
    }
  }
}
