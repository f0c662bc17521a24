/**
 * What counts of the manifests, and what is kept of that for the next agent.
 *
 * @module
 */

import {
  type FileContent,
  type FileEntries,
  type Kept,
  type LastGoodStore,
  sameContent,
} from "../mod.ts";
import {
  type Claim,
  claimsOf,
  type Holders,
  openClaims,
  type Resolution,
  resolveFiles,
} from "./resolve_files.ts";

type KeptStore = Pick<LastGoodStore, "load" | "save" | "hasten" | "forget">;

/**
 * Puts manifests together so that nothing takes the place of what was there before, and
 * has records written when they are to say something else, and only then.
 *
 * What this agent did not see it reads from the records: that of a manifest holds
 * what counted of it, so one whose record has the name had it first; of one whose
 * record cannot be read that is likelier than of one that has none.
 */
export class KeptManifests {
  readonly #store: KeptStore;
  /** What the record of each manifest says, as far as that is known. */
  readonly #held = new Map<string, FileContent>();
  #holders: Holders = new Map();

  constructor(store: KeptStore) {
    this.#store = store;
  }

  /** What a manifest gave last. Never rejects. */
  async load(path: string): Promise<Kept<FileContent>> {
    const kept = await this.#store.load(path);
    if (kept.kind === "present" && !this.#held.has(path)) {
      this.#held.set(path, kept.content);
    }
    return kept;
  }

  /** Says what the files amount to, and remembers which had what. Never rejects. */
  async resolve(entries: FileEntries): Promise<Resolution> {
    const before = await this.#withOpenClaims(entries);
    const resolution = resolveFiles(entries, before);
    this.#holders = resolution.holders;
    return resolution;
  }

  /**
   * Keeps what counts of manifests. What another file has in its place does not: by
   * that the next agent knows which of them came first.
   */
  keep({ counted }: Resolution): void {
    for (const [path, content] of counted) {
      const held = this.#held.get(path);
      if (held !== undefined && sameContent(held, content)) continue;
      this.#held.set(path, content);
      this.#store.save(path, content);
    }
  }

  /** A manifest is not valid any more: what is kept of it counts from now on. */
  hasten(path: string): void {
    this.#store.hasten(path);
  }

  /** Drops what is kept of a manifest that is gone. */
  forget(path: string): void {
    this.#held.delete(path);
    this.#store.forget(path);
  }

  async #withOpenClaims(entries: FileEntries): Promise<Holders> {
    const holders = new Map(this.#holders);
    const records = new Map<string, Kept<FileContent>>();
    for (const [claim, files] of openClaims(entries, this.#holders)) {
      let best = -1;
      for (const file of files) {
        const record = records.get(file) ?? await this.load(file);
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
