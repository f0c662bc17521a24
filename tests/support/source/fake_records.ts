/**
 * A disk for records in memory, which fails when a test wants it to.
 *
 * @module
 */

import type { BoundedRead, RunFiles } from "../../../mod/host/files/mod.ts";
import type { RecordFiles } from "../../../mod/source/ports.ts";

/** Files by path; they outlive the agents that use them. */
export class FakeRecords implements RecordFiles {
  readonly files: Map<string, string> = new Map<string, string>();
  /** Everything that was tried, as `write /path`. */
  readonly calls: string[] = [];
  /** What a call fails with, if it does. */
  failing: (call: string) => string | undefined = () => undefined;
  /** What a call waits for before it does anything. */
  hanging: (call: string) => Promise<void> | undefined = () => undefined;

  /** How many records were written, or tried to be. */
  get writes(): number {
    return this.calls.filter((call) => call.startsWith("write ")).length;
  }

  /** The names below a directory. */
  namesIn(directory: string): readonly string[] {
    return [...this.files.keys()]
      .filter((path) => path.startsWith(`${directory}/`))
      .map((path) => path.slice(directory.length + 1)).sort();
  }

  /** Alters the text of every file below a directory. */
  spoil(directory: string, change: (text: string) => string): void {
    for (const name of this.namesIn(directory)) {
      const path = `${directory}/${name}`;
      this.files.set(path, change(this.files.get(path) ?? ""));
    }
  }

  /** The same files at once, where a call fails in the same way and never waits. */
  readonly now: RunFiles = {
    replace: (path, text) => {
      this.#try(`replace ${path}`);
      this.files.set(path, text);
    },
    remove: (path) => {
      this.#try(`drop ${path}`);
      this.files.delete(path);
    },
  };

  read(path: string): Promise<BoundedRead> {
    return this.#call<BoundedRead>("read", path, () => {
      const text = this.files.get(path);
      if (text === undefined) return { kind: "missing" };
      const bytes = new TextEncoder().encode(text);
      const stamp = {
        size: bytes.length,
        modifiedMs: 0,
        changedMs: 0,
        inode: 0,
      };
      return { kind: "read", bytes, stamp };
    });
  }

  write(path: string, bytes: Uint8Array): Promise<void> {
    return this.#call("write", path, () => {
      this.files.set(path, new TextDecoder().decode(bytes));
    });
  }

  remove(path: string): Promise<void> {
    return this.#call("remove", path, () => {
      this.files.delete(path);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call("rename", from, () => {
      this.files.set(to, this.files.get(from) ?? "");
      this.files.delete(from);
    });
  }

  list(directory: string): Promise<readonly string[]> {
    const names = () =>
      this.namesIn(directory).map((name) => name.replace(/\/.*/, ""));
    return this.#call("list", directory, () => [...new Set(names())]);
  }

  async #call<Result>(
    name: string,
    path: string,
    act: () => Result,
  ): Promise<Result> {
    const call = `${name} ${path}`;
    this.calls.push(call);
    await this.hanging(call);
    this.#fail(call);
    return act();
  }

  #try(call: string): void {
    this.calls.push(call);
    this.#fail(call);
  }

  #fail(call: string): void {
    const code = this.failing(call);
    if (code !== undefined) {
      throw Object.assign(new Error(`The disk says ${code}`), { code });
    }
  }
}
