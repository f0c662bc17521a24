/**
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { findSharedNames } from "../../../scripts/tidy/shared_names.ts";

for (
  const [what, files, expected] of [
    ["names that differ", {
      "tests/support/a.ts": "export function pod(): void {}",
      "tests/support/b.ts": "export const pods = 1;",
    }, []],
    ["one name for two things", {
      "tests/support/a.ts": "export function pod(): void {}",
      "tests/support/b/b.ts": "\nexport async function pod(): Promise<void> {}",
      "tests/support/c.ts": "export interface pod {}",
    }, [
      `tests/support/b/b.ts:2 tests/support/a.ts exports "pod", too; unite them, or name what differs`,
      `tests/support/c.ts:1 tests/support/a.ts exports "pod", too; unite them, or name what differs`,
    ]],
    ["a type and its value in one file", {
      "tests/support/a.ts": "export type Row = 1;\nexport const Row = 1;",
    }, []],
    ["names that a file keeps to itself", {
      "tests/support/a.ts": "export class Rig {}",
      "tests/support/b.ts": "class Rig {}\nconst a = `\nexport class Rig {}`;",
    }, []],
    ["names of what tests do not share", {
      "tests/support/a.ts": "export class Rig {}",
      "mod/a.ts": "export class Rig {}",
    }, []],
  ] as const
) {
  Deno.test(`findSharedNames() judges ${what}`, () => {
    const faults = findSharedNames(new Map(Object.entries(files)));
    deepStrictEqual(
      faults.map(({ path, line, message }) => `${path}:${line} ${message}`),
      expected,
    );
  });
}
