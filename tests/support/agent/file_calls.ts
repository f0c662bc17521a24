/**
 * What is asked of the file system, call by call.
 *
 * @module
 */

/** The functions of Deno that ask a file system about a path; each has one that ends in `Sync`. */
const CALLS = [
  "chmod",
  "chown",
  "lstat",
  "mkdir",
  "open",
  "readDir",
  "readFile",
  "readTextFile",
  "realPath",
  "remove",
  "rename",
  "stat",
  "truncate",
  "writeFile",
  "writeTextFile",
] as const;

/** What is done to an open file, beside closing it. */
const ON_FILES = ["read", "stat", "sync", "syncData", "write"] as const;

interface Patched {
  readonly of: object;
  readonly name: string;
  readonly was: unknown;
}

/**
 * Notes every call below a directory, as `mkdir pods/u-1`, or `sync` and the path of the
 * file; a rename by its new name. The functions of `node:fs` cannot be seen.
 */
export class FileCalls implements Disposable {
  readonly #below: string;
  readonly #patched: Patched[] = [];
  readonly #paths = new WeakMap<object, string>();
  #calls: string[] = [];

  constructor(below: string) {
    this.#below = `${below}/`;
    for (const name of CALLS) {
      for (const each of [name, `${name}Sync`]) this.#follow(each);
    }
    for (const name of ON_FILES) {
      for (const each of [name, `${name}Sync`]) this.#followOpen(each);
    }
  }

  /** Those since the last time, in order. */
  take(): readonly string[] {
    const taken = this.#calls;
    this.#calls = [];
    return taken;
  }

  [Symbol.dispose](): void {
    for (const { of, name, was } of this.#patched) Reflect.set(of, name, was);
  }

  #follow(name: string): void {
    this.#patch(Deno, name, (was, self, args) => {
      const path = `${args[name.startsWith("rename") ? 1 : 0]}`;
      this.#note(name, path);
      const result = Reflect.apply(was, self, args);
      if (!name.startsWith("open")) return result;
      if (result instanceof Deno.FsFile) this.#paths.set(result, path);
      else return this.#opened(path, result);
      return result;
    });
  }

  async #opened(path: string, opening: Promise<object>): Promise<object> {
    const file = await opening;
    this.#paths.set(file, path);
    return file;
  }

  #followOpen(name: string): void {
    this.#patch(Deno.FsFile.prototype, name, (was, self, args) => {
      this.#note(name, this.#paths.get(self) ?? "");
      return Reflect.apply(was, self, args);
    });
  }

  #patch(
    of: object,
    name: string,
    // deno-lint-ignore ban-types -- whatever the runtime has there
    call: (was: Function, self: object, args: unknown[]) => unknown,
  ): void {
    const was: unknown = Reflect.get(of, name);
    if (typeof was !== "function") return;
    this.#patched.push({ of, name, was });
    const patched = function (this: object, ...args: unknown[]): unknown {
      return call(was, this, args);
    };
    Reflect.set(of, name, patched);
  }

  #note(name: string, path: string): void {
    if (!path.startsWith(this.#below)) return;
    this.#calls.push(`${name} ${path.slice(this.#below.length)}`);
  }
}
