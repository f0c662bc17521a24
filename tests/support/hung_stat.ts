/**
 * Paths that lead to a disk that does not answer.
 *
 * @module
 */

/**
 * Of some paths the system does not say what they lead to, as when their disk is gone;
 * disposed, the disk fails for good.
 */
export class HungStat implements Disposable {
  readonly #stat = Deno.stat;
  readonly #late = Promise.withResolvers<Deno.FileInfo>();
  /** How many calls have been made that wait. */
  asked = 0;

  constructor(...paths: readonly string[]) {
    this.#late.promise.catch(() => {});
    Deno.stat = (path) => {
      if (!paths.includes(`${path}`)) return this.#stat(path);
      this.asked++;
      return this.#late.promise;
    };
  }

  /** New calls are answered as usual; those that wait go on to. */
  restore(): void {
    Deno.stat = this.#stat;
  }

  /** The disk answers: those that wait hear what is true of `path`. */
  async answer(path: string): Promise<void> {
    this.restore();
    this.#late.resolve(await Deno.stat(path));
  }

  [Symbol.dispose](): void {
    this.restore();
    this.#late.reject(new Error("EIO"));
  }
}
