/**
 * A directory that lives as long as a test.
 *
 * @module
 */

/** A new directory, removed when disposed. */
export class TempDir implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the directory; its name is short, since sockets have short paths. */
  static async make(): Promise<TempDir> {
    return new TempDir(await Deno.makeTempDir({ prefix: "sk-" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}
