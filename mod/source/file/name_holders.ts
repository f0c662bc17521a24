/**
 * Which of several manifests had a name first.
 *
 * @module
 */

import type { FileContent, FileEntries, Kept } from "../mod.ts";
import type { KeptManifests } from "./kept_manifests.ts";
import {
  type Claim,
  claimsOf,
  type Holders,
  openClaims,
  type Resolution,
  resolveFiles,
} from "./resolve_files.ts";

/**
 * Puts manifests together so that nothing takes the place of what was there before.
 *
 * What this agent did not see it reads from the records: that of a manifest holds
 * what counted of it, so one whose record has the name had it first; of one whose
 * record cannot be read that is likelier than of one that has none.
 */
export class NameHolders {
  readonly #kept: Pick<KeptManifests, "load">;
  #holders: Holders = new Map();

  constructor(kept: Pick<KeptManifests, "load">) {
    this.#kept = kept;
  }

  /** Resolves the files, and remembers who has what. Never rejects. */
  async resolve(entries: FileEntries): Promise<Resolution> {
    const before = await this.#withOpenClaims(entries);
    const resolution = resolveFiles(entries, before);
    this.#holders = resolution.holders;
    return resolution;
  }

  async #withOpenClaims(entries: FileEntries): Promise<Holders> {
    const open = openClaims(entries, this.#holders);
    if (open.size === 0) return this.#holders;
    const records = new Map<string, Kept<FileContent>>();
    const holders = new Map(this.#holders);
    for (const [claim, files] of open) {
      let best = -1;
      for (const file of files) {
        const record = records.get(file) ?? await this.#kept.load(file);
        records.set(file, record);
        const rank = rankOf(record, claim);
        if (rank > best) holders.set(claim, file);
        best = Math.max(best, rank);
      }
    }
    return holders;
  }
}

function rankOf(record: Kept<FileContent>, claim: Claim): number {
  if (record.kind === "unknown") return 1;
  const isClaimed = record.kind === "present" &&
    claimsOf(record.content).includes(claim);
  return isClaimed ? 2 : 0;
}
