/**
 * Finding functions and their lengths.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { findFunctions } from "../../../scripts/tidy/functions.ts";
import { scan } from "../../../scripts/tidy/scan.ts";

function found(text: string): string[] {
  return findFunctions(scan("x.ts", text))
    .map(({ name, line, lines }) => `${name}:${line}+${lines}`);
}

const TABLE: readonly (readonly [string, string, readonly string[]])[] = [
  ["a function", "function f() {\n  a();\n}\n", ["f:1+3"]],
  ["an exported async function", "\nexport async function f() {\n}", ["f:2+2"]],
  ["a generator", "function* f() {\n}", ["f:1+2"]],
  ["parameters over lines", "function f(\n  a: { b: 1 } = { b: 1 },\n) {\n}", [
    "f:1+4",
  ]],
  ["a return type", "function f(): Promise<void> {\n}", ["f:1+2"]],
  ["an object as return type", "function f(): { a: () => void } {\n}", [
    "f:1+2",
  ]],
  ["an object in a return type", "function f(): Promise<{ a: 1 }> {\n}", [
    "f:1+2",
  ]],
  [
    "a union of objects as return type",
    "function f():\n  | { a: 1 }\n  | { b: 2 } {\n}",
    ["f:1+4"],
  ],
  ["an array of objects as return type", "function f(): { a: 1 }[] {\n}", [
    "f:1+2",
  ]],
  ["a literal as return type", 'function f(): "a" | "b" {\n}', ["f:1+2"]],
  ["a predicate", "function f(a: unknown): a is { b: 1 } {\n}", ["f:1+2"]],
  ["an assertion", "function f(a: unknown): asserts a {\n}", ["f:1+2"]],
  ["a function type as return type", "function f(): (a: 1) => void {\n}", [
    "f:1+2",
  ]],
  ["type parameters", "function f<T extends { a: () => void }>(a: T) {\n}", [
    "f:1+2",
  ]],
  ["one function in another", "function f() {\n  function g() {\n  }\n}", [
    "f:1+4",
    "g:2+2",
  ]],
  [
    "overloads by their body",
    "function f(a: 1): void;\nfunction f(a: 2): void;\nfunction f(a: 1 | 2): void {\n}",
    ["f:3+2"],
  ],
  [
    "methods",
    "class A {\n  constructor(a: 1) {\n  }\n\n  async #b(): Promise<void> {\n  }\n\n  get c(): 1 {\n    return 1;\n  }\n\n  static d() {}\n}",
    ["constructor:2+2", "#b:5+2", "c:8+3", "d:12+1"],
  ],
  [
    "a method with a computed name",
    "class A {\n  async *[Symbol.asyncIterator](): B<C> {\n  }\n}",
    ["[Symbol.asyncIterator]:2+2"],
  ],
  ["methods of an object", "const a = {\n  b() {\n  },\n};", ["b:2+2"]],
  ["a named arrow function", "const f = async (a: 1): Promise<void> => {\n};", [
    "f:1+2",
  ]],
  ["no arrow function without a body", "const f = (a: 1) => a;\n{\n}", []],
  [
    "no statement",
    "function f() {\n  if (a) {\n  } else if (b) {\n  }\n  for (const c of d) {\n  }\n  while (e) {\n  }\n  switch (g) {\n  }\n}",
    ["f:1+11"],
  ],
  ["no call", "  f(a, {\n    b,\n  });\n  g(() => {\n  });", []],
  [
    "no signature",
    "interface A {\n  b(): void;\n  c(d: { e: 1 }): { f: 1 };\n}",
    [],
  ],
  ["no word in a string", 'const a = "function f() {";\nconst b = "}";', []],
  [
    "braces in strings and comments",
    'function f() {\n  // }\n  return "}" + `}${a}`;\n}',
    ["f:1+4"],
  ],
];

for (const [what, text, expected] of TABLE) {
  Deno.test(`findFunctions() finds ${what}`, () => {
    deepStrictEqual(found(text), expected);
  });
}
