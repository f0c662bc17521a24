/**
 * What an agent before knew of the manifests.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import { type Clock, nextDelay } from "../../base/mod.ts";
import type { LastGoodStore } from "../mod.ts";
import type { KeptManifests } from "./kept_manifests.ts";
import { type ManifestTable, RECALL } from "./manifest_table.ts";

/** Which manifests count. */
export interface EarlierManifestsOptions {
  readonly path: string;
  readonly isManifest: (name: string) => boolean;
}

interface EarlierManifestsDeps {
  readonly clock: Clock;
  readonly lastGood: Pick<LastGoodStore, "loadAll">;
  readonly kept: Pick<KeptManifests, "load">;
  readonly table: ManifestTable;
}

/** Takes over what an agent before knew, as long as this one never saw the directory. */
export class EarlierManifests {
  readonly #options: EarlierManifestsOptions;
  readonly #deps: EarlierManifestsDeps;
  #isPending = true;
  /** How long the last wait for the records was. */
  #recallMs = 0;
  /** When they are asked for next, on the monotonic clock. */
  #dueMs = -Infinity;

  constructor(options: EarlierManifestsOptions, deps: EarlierManifestsDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Whether the records are still to be read. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Holds what a manifest gave, which may still run, if another look is to say what it gives. */
  async hold(path: string): Promise<void> {
    const { kept, table } = this.#deps;
    const { entry, look } = table.get(path);
    if (entry !== undefined || look === undefined) return;
    const lastGood = await kept.load(path);
    table.update(path, { entry: { verdict: { kind: "unsettled", lastGood } } });
  }

  /** Reads the records that were not read yet; what cannot be read is asked for again. */
  async restore(): Promise<void> {
    if (!this.#isPending) return;
    const { path } = this.#options;
    const { clock, lastGood, table } = this.#deps;
    // A full look may come for other reasons, ten times a second.
    if (clock.monotonic() < this.#dueMs) return table.scans.soon(this.#dueMs);
    const { records, isWhole } = await lastGood.loadAll();
    const isOurs = (manifest: string): boolean =>
      manifest === path || dirname(manifest) === path &&
        this.#options.isManifest(basename(manifest));
    for (const [file, content] of records) {
      if (!isOurs(file) || table.get(file).entry !== undefined) continue;
      const lastGood = { kind: "present", content } as const;
      table.update(file, {
        entry: { verdict: { kind: "unsettled", lastGood } },
      });
    }
    this.#isPending = !isWhole;
    if (isWhole) return;
    this.#recallMs = nextDelay(this.#recallMs, RECALL);
    this.#dueMs = clock.monotonic() + this.#recallMs;
    table.scans.soon(this.#dueMs);
  }
}
