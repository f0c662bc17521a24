/**
 * Directories as they were at some moment.
 *
 * @module
 */

import { cp } from "node:fs/promises";
import { existsSync } from "node:fs";

/** Copies of directories, which can take their places again. */
export class CopiedDirectories implements AsyncDisposable {
  readonly #places: readonly string[];
  readonly #copies: string;

  private constructor(places: readonly string[], copies: string) {
    this.#places = places;
    this.#copies = copies;
  }

  /** Copies directories as they are now; one that is missing is missing in the copy. */
  static async of(...places: readonly string[]): Promise<CopiedDirectories> {
    const copies = await Deno.makeTempDir({ prefix: "skerry-copies-" });
    for (const [number, place] of places.entries()) {
      if (!existsSync(place)) continue;
      await cp(place, `${copies}/${number}`, { recursive: true });
    }
    return new CopiedDirectories(places, copies);
  }

  /** Makes the directories what they were. */
  async putBack(): Promise<void> {
    for (const [number, place] of this.#places.entries()) {
      const copy = `${this.#copies}/${number}`;
      await Deno.remove(place, { recursive: true });
      if (existsSync(copy)) await cp(copy, place, { recursive: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#copies, { recursive: true });
  }
}
