/**
 * What there is at a path, and in which directory.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { FileLook } from "../../../../mod/host/files/mod.ts";
import {
  directoryWithout,
  lookAtManifest,
  readWithin,
} from "../../../../mod/source/file/path_state.ts";

const directory = (inode: number, device: number): FileLook => ({
  kind: "directory",
  inode,
  device,
  modifiedMs: 0,
});

const DIRECTORY = directory(1, 1);

/** Gives what each look at a path sees, and the last of it again and again. */
function world(looks: Readonly<Record<string, readonly FileLook[]>>) {
  const asked = new Map<string, number>();
  return {
    look: (path: string): Promise<FileLook> => {
      const seen = looks[path] ?? [];
      const at = asked.get(path) ?? 0;
      asked.set(path, at + 1);
      return Promise.resolve(seen[at] ?? seen.at(-1) ?? { kind: "missing" });
    },
  };
}

const EXCHANGES: readonly (readonly [string, FileLook, boolean])[] = [
  ["the same", DIRECTORY, false],
  ["of another inode", directory(2, 1), true],
  ["of another device", directory(1, 2), true],
  ["of another inode and device", directory(2, 2), true],
  ["missing", { kind: "missing" }, true],
];

for (const [what, after, isExchanged] of EXCHANGES) {
  Deno.test(`readWithin() says which directory it was that is ${what} after the reading`, async () => {
    const files = world({ "/m": [DIRECTORY, after] });
    const read = () => Promise.resolve("text");
    deepStrictEqual(await readWithin("/m", { files, read }), {
      result: "text",
      directory: isExchanged ? undefined : DIRECTORY,
      isExchanged,
    });
  });
}

Deno.test("readWithin() takes nothing for exchanged where there is no directory all the while", async () => {
  const files = world({});
  const read = () => Promise.resolve(1);
  deepStrictEqual(await readWithin("/m", { files, read }), {
    result: 1,
    directory: undefined,
    isExchanged: false,
  });
});

Deno.test("directoryWithout() gives the directory that a path is missing from", async () => {
  const missing = world({ "/m": [DIRECTORY] });
  deepStrictEqual(await directoryWithout("/m/a.yaml", missing), DIRECTORY);
  const there = world({ "/m": [DIRECTORY], "/m/a.yaml": [DIRECTORY] });
  strictEqual(await directoryWithout("/m/a.yaml", there), undefined);
  const mounted = world({ "/m": [DIRECTORY, directory(2, 1)] });
  strictEqual(await directoryWithout("/m/a.yaml", mounted), undefined);
});

Deno.test("lookAtManifest() says why nothing is read there", async () => {
  const look = async (seen: FileLook) =>
    await lookAtManifest("/m", world({ "/m": [seen] }));
  deepStrictEqual(await look({ kind: "dangling" }), {
    kind: "refused",
    reason: "Cannot be read: it is a link to nothing, wanted a file",
  });
  deepStrictEqual(await look({ kind: "special", what: "fifo" }), {
    kind: "refused",
    reason: 'Cannot be read: it is of type "fifo", wanted a regular file',
  });
  deepStrictEqual(await look(DIRECTORY), DIRECTORY);
  const refusing = { look: () => Promise.reject(new Error("EIO")) };
  deepStrictEqual(await lookAtManifest("/m", refusing), {
    kind: "refused",
    reason: "EIO",
  });
});
