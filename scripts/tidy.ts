/**
 * Fails when code breaks a rule of the house that lint cannot express.
 *
 * Lengths, banned words, names, module texts, the words of errors, what tests share and
 * the links of pages; each fault is printed with its place and what to do instead.
 *
 * Run: `deno run --allow-read scripts/tidy.ts`
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line report

import { existsSync } from "node:fs";
import { roomOf } from "./layers/rooms.ts";
import { listPages, listSourceFiles } from "./source_files.ts";
import { findPageFaults, findRoomRowFaults } from "./tidy/docs.ts";
import { applyExceptions, type Exception, findFaults } from "./tidy/rules.ts";
import { findSharedNames } from "./tidy/shared_names.ts";

// One without use is a fault itself, so that this list can only get shorter.
const EXCEPTIONS: readonly Exception[] = [
  {
    path: "mod/base/random.ts",
    rule: "banned_word",
    message: "Math.random",
    reason: "it is what everybody else takes instead",
  },
];

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const paths = await listSourceFiles(root);
  const texts = new Map(
    await Promise.all(
      paths.map(async (path) =>
        [path, await Deno.readTextFile(new URL(path, root))] as const
      ),
    ),
  );
  const faults = [...texts].flatMap(([path, text]) => findFaults(path, text));
  faults.push(...findSharedNames(texts));
  const repository = {
    exists: (path: string) => existsSync(new URL(path, root)),
    read: (path: string) => Deno.readTextFileSync(new URL(path, root)),
  };
  const pages = (await listPages(root)).flatMap((path) =>
    findPageFaults(path, repository)
  );
  const rooms = paths.filter((path) => path.startsWith("mod/")).map(roomOf)
    // A room may have no files of its own.
    .flatMap((room) => [room, room.replace(/\/.*/, "")]);
  pages.push(...findRoomRowFaults(new Set(rooms), repository));
  const left = applyExceptions([...faults, ...pages], EXCEPTIONS);
  for (const { path, line, message } of left) {
    console.error(`${path}:${line}: ${message}`);
  }
  Deno.exit(left.length === 0 ? 0 : 1);
}
