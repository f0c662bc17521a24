/**
 * What is on the disk when the power goes while a file is being replaced.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { FileError } from "../../../mod/host/paths/file_error.ts";
import {
  writeFileAtomic,
  type WriteSteps,
  type WrittenFile,
} from "../../../mod/host/files/atomic_write.ts";

const PATH = "/state/record.json";
const OLD = "the old content";
const NEW = "the new content, which is longer";

interface Inode {
  /** What readers see. */
  text: string;
  /** What is on the platter: the last that was synced, at worst. */
  synced: string;
}

/** A disk that holds back as much as it may, and stops at one of its steps. */
class FragileDisk implements WriteSteps {
  names: Map<string, Inode> = new Map<string, Inode>();
  /** The names as they are on the platter, at worst. */
  syncedNames: ReadonlyMap<string, Inode> = new Map<string, Inode>();
  readonly done: string[] = [];
  readonly #failsAt: number;
  readonly #isDead: boolean;

  /** @param failsAt The step that fails, from 0; after a power cut so do all later ones. */
  constructor(
    failsAt: number,
    options: { readonly isPowerCut: boolean } = { isPowerCut: false },
  ) {
    this.#failsAt = failsAt;
    this.#isDead = options.isPowerCut;
  }

  put(path: string, text: string): void {
    this.names.set(path, { text, synced: text });
    this.syncedNames = new Map(this.names);
  }

  /** All that the file may be after the next boot. */
  outcomes(path: string): ReadonlySet<string | undefined> {
    const texts = new Set<string | undefined>();
    for (const names of [this.names, this.syncedNames]) {
      const inode = names.get(path);
      texts.add(inode?.text);
      texts.add(inode?.synced);
    }
    return texts;
  }

  create(path: string): Promise<WrittenFile> {
    return this.#step("create", () => {
      if (this.names.has(path)) {
        throw Object.assign(new Error("It is there"), { code: "EEXIST" });
      }
      const inode: Inode = { text: "", synced: "" };
      this.names.set(path, inode);
      return {
        write: (bytes: Uint8Array) =>
          this.#step("write", () => {
            // Fewer than it was given, as write(2) may.
            const some = bytes.subarray(0, 10);
            inode.text += new TextDecoder().decode(some);
            return some.length;
          }),
        sync: () =>
          this.#step("sync", () => {
            inode.synced = inode.text;
          }),
        [Symbol.dispose]: () => {},
      };
    });
  }

  writeNew(path: string, bytes: Uint8Array): Promise<void> {
    return this.#step("writeNew", () => {
      const inode: Inode = { text: "", synced: "" };
      this.names.set(path, inode);
      inode.text = new TextDecoder().decode(bytes);
    });
  }

  chmod(): Promise<void> {
    return this.#step("chmod", () => {});
  }

  rename(from: string, to: string): Promise<void> {
    return this.#step("rename", () => {
      const inode = this.names.get(from);
      if (inode === undefined) throw new Error("It is not there");
      this.names.delete(from);
      this.names.set(to, inode);
    });
  }

  remove(path: string): Promise<void> {
    return this.#step("remove", () => {
      this.names.delete(path);
    });
  }

  syncDirectory(): Promise<void> {
    return this.#step("syncDirectory", () => {
      this.syncedNames = new Map(this.names);
    });
  }

  // deno-lint-ignore require-await -- what is thrown is to be a rejection
  async #step<Result>(name: string, act: () => Result): Promise<Result> {
    const at = this.done.length;
    this.done.push(name);
    if (at === this.#failsAt || (this.#isDead && at > this.#failsAt)) {
      throw Object.assign(new Error("No space left"), { code: "ENOSPC" });
    }
    return act();
  }
}

function write(
  disk: FragileDisk,
  options: { readonly durable?: boolean } = {},
): Promise<void> {
  const bytes = new TextEncoder().encode(NEW);
  return writeFileAtomic(PATH, bytes, { mode: 0o600, steps: disk, ...options });
}

const STEPS: readonly string[] = [
  "create",
  ...["write", "write", "write", "write"],
  "chmod",
  "sync",
  "rename",
  "syncDirectory",
];

Deno.test("writeFileAtomic() survives a power cut once it is done", async () => {
  const disk = new FragileDisk(Infinity);
  disk.put(PATH, OLD);
  await write(disk);
  deepStrictEqual(disk.done, STEPS);
  deepStrictEqual([...disk.outcomes(PATH)], [NEW]);
});

for (const [at, step] of STEPS.entries()) {
  Deno.test(`writeFileAtomic() leaves the old or the new when the power goes at step ${at}, ${step} (N01)`, async () => {
    for (const before of [OLD, undefined]) {
      const disk = new FragileDisk(at, { isPowerCut: true });
      if (before !== undefined) disk.put(PATH, before);
      await rejects(write(disk), FileError);
      for (const text of disk.outcomes(PATH)) {
        ok(text === before || text === NEW, `there is ${text}`);
      }
    }
  });

  Deno.test(`writeFileAtomic() cleans up when step ${at}, ${step}, fails (N01)`, async () => {
    const disk = new FragileDisk(at);
    disk.put(PATH, OLD);
    await rejects(
      write(disk),
      (error) => error instanceof FileError && error.kind === "full",
    );
    deepStrictEqual([...disk.names.keys()], [PATH]);
    const isRenamed = step === "syncDirectory";
    strictEqual(disk.names.get(PATH)?.text, isRenamed ? NEW : OLD);
  });
}

Deno.test("writeFileAtomic() takes two steps for what a power cut may take, and cleans up after either", async () => {
  const steps = ["writeNew", "rename"];
  for (const failsAt of [Infinity, 0, 1]) {
    const disk = new FragileDisk(failsAt);
    disk.put(PATH, OLD);
    const writing = write(disk, { durable: false });
    if (failsAt === Infinity) await writing;
    else await rejects(writing, FileError);
    const done = failsAt === Infinity
      ? steps
      : [...steps.slice(0, failsAt + 1), "remove"];
    deepStrictEqual(disk.done, done);
    deepStrictEqual([...disk.names.keys()], [PATH]);
    strictEqual(disk.names.get(PATH)?.text, failsAt === Infinity ? NEW : OLD);
  }
});
