/**
 * The last good content of manifests, kept on disk.
 *
 * @module
 */

import type { LastGood, LastGoodStore } from "./ports.ts";
import {
  RecordKeeper,
  type RecordKeeperDeps,
  type RecordPlaces,
} from "./record_keeper.ts";
import type { CheckpointFailure } from "./source_conditions.ts";

/** Keeps a record for each manifest, with all that {@linkcode RecordKeeper} promises. */
export class DiskLastGoodStore implements LastGoodStore {
  readonly #keeper: RecordKeeper;

  /** Touches nothing until asked to. */
  constructor(places: RecordPlaces, deps: RecordKeeperDeps) {
    this.#keeper = new RecordKeeper({ ...places, source: "file" }, deps);
  }

  /** Reads the record of a manifest, if there is a sound one. Never rejects. */
  async load(path: string): Promise<LastGood | undefined> {
    const content = await this.#keeper.load(path);
    return content && { path, ...content };
  }

  /** Has the record written soon. */
  save({ path, pods, objects }: LastGood): void {
    this.#keeper.save(path, { pods, objects });
  }

  /** Has the record of a manifest removed soon. */
  forget(path: string): void {
    this.#keeper.forget(path);
  }

  /** Has every record removed soon that belongs to none of these manifests. */
  retain(paths: ReadonlySet<string>): void {
    this.#keeper.retain(paths);
  }

  /** Why the disk does not take what was asked for; `undefined` when it does. */
  failure(): CheckpointFailure | undefined {
    return this.#keeper.failure();
  }

  /** Fulfils what was asked for until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#keeper.run(signal);
  }
}
