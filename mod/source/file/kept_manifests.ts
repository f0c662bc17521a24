/**
 * What manifests gave, as far as it counted, for the next agent.
 *
 * @module
 */

import {
  type FileContent,
  type Kept,
  type LastGoodStore,
  sameContent,
} from "../mod.ts";

/** Has records written when they are to say something else, and only then. */
export class KeptManifests {
  readonly #store: Pick<LastGoodStore, "load" | "save" | "forget">;
  /** What the record of each manifest says, as far as that is known. */
  readonly #held = new Map<string, FileContent>();

  constructor(store: Pick<LastGoodStore, "load" | "save" | "forget">) {
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

  /**
   * Keeps what counts of a manifest. What another file has in its place does not: by
   * that the next agent knows which of them came first.
   */
  keep(path: string, content: FileContent): void {
    const held = this.#held.get(path);
    if (held !== undefined && sameContent(held, content)) return;
    this.#held.set(path, content);
    const { pods, objects } = content;
    this.#store.save({ path, pods, objects });
  }

  /** Drops what is kept of a manifest that is gone. */
  forget(path: string): void {
    this.#held.delete(path);
    this.#store.forget(path);
  }
}
