/**
 * The shape of rooms.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  findRoomFaults,
  MAX_FILES,
  MAX_NAMES,
  roomOf,
} from "../../../scripts/layers/rooms.ts";

function faultsOf(files: Readonly<Record<string, string>>): readonly string[] {
  return findRoomFaults(Object.keys(files), (path) => files[path] ?? "")
    .map(({ path, message }) => `${path} ${message}`);
}

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}`).join(", ");
}

const TEXT = `/**
 * What the room is for: { not, a, name }.
 *
 * @example One of its functions
 * \`\`\`ts
 * a({ b: 1 });
 * \`\`\`
 *
 * @module
 */
`;
const DOOR = `${TEXT}export { a, type B } from "./x.ts";`;
const NO_EXAMPLE =
  "mod/a/mod.ts has no example: show one, with a title and as ```ts";
const NO_SENTENCE =
  "mod/a/mod.ts opens with no sentence: say what the room is for";

for (
  const [what, files, expected] of [
    ["a room with a door", { "mod/a/mod.ts": DOOR, "mod/a/x.ts": "" }, []],
    ["files beside the rooms", { "main.ts": "", "mod/README.ts": "" }, []],
    ["a room without a door", { "mod/a/b/x.ts": "" }, [
      "mod/a/b/mod.ts is missing: mod/a/b needs a door",
    ]],
    ["a door that exports everything", {
      "mod/a/mod.ts": `${TEXT}export * from "./x.ts";`,
    }, ["mod/a/mod.ts exports everything: name it"]],
    ["as many names as may be", {
      "mod/a/mod.ts": `${TEXT}export { ${
        names(MAX_NAMES - 1)
      }, } from "./x.ts"; export type { B } from "./y.ts";`,
    }, []],
    ["a name too many", {
      "mod/a/mod.ts": `${TEXT}export { ${
        names(MAX_NAMES + 1)
      } } from "./x.ts";`,
    }, [
      `mod/a/mod.ts offers ${MAX_NAMES + 1} names; ${MAX_NAMES} is the most`,
    ]],
    ["a door that says nothing", {
      "mod/a/mod.ts": `export { a } from "./x.ts";`,
    }, [NO_SENTENCE, NO_EXAMPLE]],
    ["a door with an example alone", {
      "mod/a/mod.ts": DOOR.replace(/ \* What.*\n/, ""),
    }, [NO_SENTENCE]],
    ["a door with a sentence alone", {
      "mod/a/mod.ts": "/** What the room is for. */",
    }, [NO_EXAMPLE]],
    ["an example without a title", {
      "mod/a/mod.ts": DOOR.replace(/(@example) .*/, "$1"),
    }, [NO_EXAMPLE]],
    ["an example that no test runs", {
      "mod/a/mod.ts": DOOR.replace("```ts", "```"),
    }, [NO_EXAMPLE]],
    ["an example that is not of the door as a whole", {
      "mod/a/mod.ts": `/** What the room is for. */${DOOR}`,
    }, [NO_EXAMPLE]],
    ["two files of one name", {
      ...{
        "mod/a/mod.ts": DOOR,
        "mod/a/x.ts": "",
        "mod/a/ports.ts": "",
      },
      ...{
        "mod/b/mod.ts": DOOR,
        "mod/b/x.ts": "",
        "mod/b/ports.ts": "",
      },
    }, [
      "mod/b/x.ts has the name of mod/a/x.ts; no two files have one name",
    ]],
    ["two declarations of one name", {
      "mod/a/mod.ts": DOOR,
      "mod/a/x.ts": "export interface Fault {}\ntype Look = 1;\nconst a = 1;",
      "mod/a/y.ts":
        "class Fault {}\nexport type Look = 1;\nexport const a = 1;",
    }, [
      "mod/a/x.ts declares Look, which mod/a/y.ts exports: rename it",
      "mod/a/y.ts declares Fault, which mod/a/x.ts exports: rename it",
    ]],
    ["two private types of one name", {
      "mod/a/mod.ts": DOOR,
      "mod/a/x.ts": "interface Entry {}\nfunction f() {}\nconst a = 1;",
      "mod/a/y.ts": "type Entry<T> = T;\nfunction f() {}\nconst a = 1;",
      "mod/a/z.ts": "abstract class Entry {}",
    }, [
      "mod/a/y.ts declares Entry, which mod/a/x.ts declares, too: rename it",
      "mod/a/z.ts declares Entry, which mod/a/x.ts declares, too: rename it",
    ]],
  ] as const
) {
  Deno.test(`findRoomFaults() judges ${what}`, () => {
    deepStrictEqual(faultsOf(files), expected);
  });
}

Deno.test("findRoomFaults() counts the files of a room with what is generated for it", () => {
  const paths = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`mod/a/gen/${index}.ts`, ""])
        .concat([["mod/a/mod.ts", DOOR]]),
    );
  deepStrictEqual(faultsOf(paths(MAX_FILES - 1)), []);
  strictEqual(faultsOf(paths(MAX_FILES)).length, 1);
});

Deno.test("roomOf() takes what is generated to the room around it", () => {
  strictEqual(roomOf("mod/api/read/gen/pod_schema.ts"), "api/read");
  strictEqual(roomOf("mod/base/clock.ts"), "base");
});
