/**
 * The rules of the house, each with what keeps and what breaks it.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  applyExceptions,
  type Fault,
  findFaults,
} from "../../../scripts/tidy/rules.ts";

const HEAD = "/**\n * A text.\n *\n * @module\n */\n";
const HEAD_LINES = 5;

function faultsIn(body: string, path: string = "mod/pod/x.ts"): Fault[] {
  return findFaults(path, HEAD + body);
}

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ["Date.now()", "const a = Date.now();", /^Date\.now; take a Clock/],
  ["new Date()", "const a = new Date();", /^new Date; take a Clock/],
  ["new Date", "const a = new Date;", /^new Date; take a Clock/],
  [
    "performance.now()",
    "a(performance.now());",
    /^performance\.now; .*monotonic/,
  ],
  ["setTimeout()", "setTimeout(a, 5);", /^setTimeout; .*after/],
  ["setInterval()", "globalThis.setInterval(a, 5);", /^setInterval; .*sleep/],
  [
    "AbortSignal.timeout()",
    "a(AbortSignal.timeout(5));",
    /^AbortSignal\.timeout; .*deadline/,
  ],
  ["Math.random()", "`a${Math.random()}`;", /^Math\.random; take a Random/],
  ["an enum", "export const enum A { B }", /^an enum; write a union/],
  ["a namespace", "declare namespace A.B {\n}", /^a namespace/],
  ["a default export", "export default a;", /^a default export/],
  ["a default export by name", "export { a as default };", /^a default export/],
  ["a re-export of everything", 'export * from "./a.ts";', /^a re-export/],
  ["a re-export under a name", 'export * as a from "./a.ts";', /^a re-export/],
  [
    "a re-export",
    'export {\n  a,\n  type B,\n} from "./a.ts";',
    /^a re-export/,
  ],
  ["a re-export of types", 'export type { A } from "./a.ts";', /^a re-export/],
  [
    "assertions under one name",
    'import assert from "node:assert/strict";',
    /^all of "assert"; import names/,
  ],
  [
    "a namespace of assertions",
    'import * as assert from "node:assert/strict";',
    /^all of "assert"/,
  ],
  ["a cast to any", "a(b as any);", /^the type "any"/],
  ["a value of any", "let a: any;", /^the type "any"/],
  ["a list of any", "let a: Array<any>;", /^the type "any"/],
  ["a todo without an issue", "// TODO: later", /^TODO without an issue/],
  ["a todo of a person", "/* TODO(me) */", /^TODO without an issue/],
  ["a FIXME", "// FIXME(#1)", /^FIXME without an issue/],
  ["a message in lower case", 'throw new Error("broken");', /lower case/],
  [
    "a message over two lines",
    "throw new RangeError(\n  `broken ${a}`);",
    /lower case/,
  ],
  [
    "a message with a full stop",
    'throw new TypeError("Broken.");',
    /full stop/,
  ],
  [
    "a joined message with a full stop",
    'throw new Error("Broken " +\n  `by ${a}.`);',
    /full stop/,
  ],
  ["a message with a contraction", `throw new Error("Can't go");`, /"Can't"/],
  [
    "a contraction behind a value",
    "throw new Error(`${a} isn’t there`);",
    /"isn’t"/,
  ],
  ["a message of another class", 'throw new ApiError("broken");', /lower case/],
  [
    "a message before options",
    'throw new ApiError("broken", { cause });',
    /lower case/,
  ],
  [
    "a detail with a full stop",
    'new CriError({ detail: "it broke." });',
    /full stop/,
  ],
];

for (const [what, body, expected] of BROKEN) {
  Deno.test(`findFaults() refuses ${what}`, () => {
    const faults = faultsIn(body + "\n");
    strictEqual(faults.length, 1, JSON.stringify(faults));
    match(faults[0]?.message ?? "", expected);
    strictEqual(faults[0]?.line, HEAD_LINES + 1);
    strictEqual(faults[0]?.path, "mod/pod/x.ts");
  });
}

const KEPT: readonly (readonly [string, string])[] = [
  ["a date of a number", "const a = new Date(ms);"],
  [
    "a banned word in a comment",
    "// Date.now() is banned, and so is any enum A.",
  ],
  ["a banned word in a string", 'a("Date.now()", `setTimeout(`, "as any");'],
  ["a method of that name", "clock.now();"],
  [
    "a field that is called namespace",
    "const a = { namespace: 5 };\nnamespace = 6;",
  ],
  ["a field that is called enum", "a.enum = [];"],
  ["an export of its own", "export { a, type B };"],
  ["an import", 'import { a as b } from "./a.ts";'],
  ["the word any", "const anything: unknown = any.of(a);"],
  [
    "any where lint was given a reason",
    "// deno-lint-ignore no-explicit-any -- it is decoded elsewhere\nlet a: any;",
  ],
  ["a todo with an issue", "// TODO(#12): later"],
  [
    "a message as it ought to be",
    'new Error(`Cannot go: "${a}" is not there`);',
  ],
  ["a message that begins with a value", "new Error(`${a} is not there`);"],
  ["a message that ends with a value", "new Error(`Cannot go: ${a.b(`.`)}`);"],
  ["a message that is a value", "new Error(message);"],
  ["a message with three dots", 'new Error("Cannot read a..");'],
  ["a possessive", `new Error("The runtime's answer");`],
  ["a verb for another class", 'new FileError("look at", path, { cause });'],
  ["a detail in lower case", 'new CriError({ detail: "it broke" });'],
];

for (const [what, body] of KEPT) {
  Deno.test(`findFaults() allows ${what}`, () => {
    deepStrictEqual(faultsIn(body + "\n"), []);
  });
}

Deno.test("findFaults() lets the clock, tests and scripts use timers", () => {
  for (
    const path of [
      "mod/base/clock.ts",
      "tests/unit/x_test.ts",
      "scripts/bench.ts",
    ]
  ) {
    deepStrictEqual(faultsIn("setTimeout(a, Date.now());\n", path), []);
  }
  strictEqual(faultsIn("setTimeout(a, 5);\n", "main.ts").length, 1);
});

Deno.test("findFaults() lets a door re-export", () => {
  deepStrictEqual(
    faultsIn('export { a } from "./a.ts";\n', "mod/pod/mod.ts"),
    [],
  );
});

Deno.test("findFaults() lets tests throw any message", () => {
  deepStrictEqual(faultsIn('new Error("x.");\n', "tests/unit/x_test.ts"), []);
});

Deno.test("findFaults() refuses names that say nothing or are spelled otherwise", () => {
  for (
    const name of [
      "utils.ts",
      "util.ts",
      "helpers.ts",
      "common.ts",
      "types.ts",
      "index.ts",
      "podPlan.ts",
      "pod-plan.ts",
      "Plan.ts",
    ]
  ) {
    deepStrictEqual(
      faultsIn("", `mod/pod/${name}`).map(({ rule }) => rule),
      ["file_name"],
      name,
    );
  }
  deepStrictEqual(faultsIn("", "mod/pod/types_of_pods2.ts"), []);
});

Deno.test("findFaults() wants what tests share in tests/support", () => {
  for (const folder of ["unit", "component", "e2e"]) {
    deepStrictEqual(
      faultsIn("", `tests/${folder}/pod/pods.ts`).map(({ rule }) => rule),
      ["file_name"],
    );
    deepStrictEqual(faultsIn("", `tests/${folder}/pod/pods_test.ts`), []);
  }
  deepStrictEqual(faultsIn("", "tests/support/pod/pods.ts"), []);
});

Deno.test("findFaults() refuses a file without a module text", () => {
  for (
    const text of [
      "",
      "const a = 1;\n",
      "// @module\n",
      "/**\n * A text.\n */\n",
      'import "./a.ts";\n/**\n * @module\n */\n',
    ]
  ) {
    deepStrictEqual(
      findFaults("mod/pod/x.ts", text).map(({ rule }) => rule),
      ["module_text"],
      text,
    );
  }
});

Deno.test("findFaults() wants no module text of a test", () => {
  deepStrictEqual(findFaults("tests/unit/x_test.ts", "a();\n"), []);
  strictEqual(findFaults("tests/support/x.ts", "a();\n").length, 1);
});

Deno.test("findFaults() refuses a file over 400 lines", () => {
  const lines = (count: number) => "a();\n".repeat(count - HEAD_LINES);
  deepStrictEqual(faultsIn(lines(400)), []);
  deepStrictEqual(faultsIn(lines(401)), [{
    path: "mod/pod/x.ts",
    line: 1,
    rule: "file_length",
    message: "the file has 401 lines; split it, 400 is the limit",
  }]);
});

Deno.test("findFaults() refuses a function over 60 lines", () => {
  const body = (count: number) =>
    `\nfunction f() {\n${"  a();\n".repeat(count - 2)}}\n`;
  deepStrictEqual(faultsIn(body(60)), []);
  deepStrictEqual(faultsIn(body(61)), [{
    path: "mod/pod/x.ts",
    line: HEAD_LINES + 2,
    rule: "function_length",
    message: "f() has 61 lines; split it, 60 is the limit",
  }]);
});

Deno.test("findFaults() leaves generated code alone", () => {
  const text = "enum A {}\n".repeat(500);
  deepStrictEqual(findFaults("proto/gen/runtime/v1/api.ts", text), []);
  deepStrictEqual(findFaults("mod/api/read/gen/pod_schema.ts", text), []);
});

Deno.test("findFaults() lists faults by line", () => {
  const faults = faultsIn("// TODO\nlet a: any;\n// TODO\n");
  deepStrictEqual(faults.map(({ line }) => line - HEAD_LINES), [1, 2, 3]);
});

const FAULT: Fault = {
  path: "mod/pod/x.ts",
  line: 9,
  rule: "banned_word",
  message: "Math.random; take a Random",
};

Deno.test("applyExceptions() takes out what is excused", () => {
  const { path, rule } = FAULT;
  const reason = "a test";
  deepStrictEqual(
    applyExceptions([FAULT, FAULT], [{ path, rule, reason }]),
    [],
  );
  deepStrictEqual(
    applyExceptions([FAULT], [{ path, rule, message: "Math.random", reason }]),
    [],
  );
});

Deno.test("applyExceptions() keeps the rest and refuses an exception without use", () => {
  const { path, rule } = FAULT;
  const left = applyExceptions([FAULT], [
    { path, rule, message: "Date.now", reason: "a test" },
    { path: "mod/pod/y.ts", rule, reason: "a test" },
    { path, rule: "todo", reason: "a test" },
  ]);
  deepStrictEqual(
    left.map(({ path, line, rule }) => `${path}:${line} ${rule}`),
    [
      "mod/pod/x.ts:9 banned_word",
      "mod/pod/x.ts:1 banned_word",
      "mod/pod/y.ts:1 banned_word",
      "mod/pod/x.ts:1 todo",
    ],
  );
});
