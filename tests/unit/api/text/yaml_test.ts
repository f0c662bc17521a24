/**
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { RawValue } from "../../../../mod/api/text/source_text.ts";
import { parseYaml } from "../../../../mod/api/text/yaml.ts";

function valuesOf(text: string): readonly RawValue[] {
  const result = parseYaml(text);
  if (result.kind === "refused") throw new Error(result.fault.message);
  return result.documents.map((document) => document.value);
}

const READ: readonly [string, string, readonly RawValue[]][] = [
  ["several documents", "a: 1\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
  ["a leading separator", "---\na: 1\n", [{ a: 1 }]],
  ["an end mark", "a: 1\n...\n", [{ a: 1 }]],
  ["documents without content as null", "---\n# x\n---\na: 1\n", [null, {
    a: 1,
  }]],
  ["no document at all", "# only a comment\n", []],
  ["CRLF", "a: 1\r\nb:\r\n- x\r\n", [{ a: 1, b: ["x"] }]],
  ["a lone CR", "a: 1\rb: 2\r", [{ a: 1, b: 2 }]],
  ["aliases", "a: &x [1]\nb: *x\n", [{ a: [1], b: [1] }]],
  [
    "merge keys, what is explicit first",
    "base: &b {a: 1, c: 3}\nd:\n  <<: *b\n  a: 2\n",
    [{ base: { a: 1, c: 3 }, d: { a: 2, c: 3 } }],
  ],
  [
    "merge keys behind what is explicit",
    "base: &b {a: 1, c: 3}\nd:\n  a: 2\n  <<: *b\n",
    [{ base: { a: 1, c: 3 }, d: { a: 2, c: 3 } }],
  ],
  [
    "a list of merges, the earlier one first",
    "<<: [{a: 1}, {a: 2, b: 2}]\n",
    [{ a: 1, b: 2 }],
  ],
  ["a quoted << as a plain key", '"<<": 1\n', [{ "<<": 1 }]],
  [
    "keys that are no strings",
    "on: 1\n8080: 2\n1.5: 3\n",
    [{ true: 1, "8080": 2, "1.5": 3 }],
  ],
  ["quoted scalars as strings", `a: "0644"\nb: 'yes'\n`, [{
    a: "0644",
    b: "yes",
  }]],
  ["block scalars as strings", "a: |\n  12\nb: >-\n  yes\n", [{
    a: "12\n",
    b: "yes",
  }]],
  ["the surrogates of an escape", 'a: "\\ud83d\\ude00"\n', [{ a: "😀" }]],
  ["a YAML directive", "%YAML 1.1\n---\na: 1\n", [{ a: 1 }]],
];

for (const [what, text, expected] of READ) {
  Deno.test(`parseYaml() reads ${what}`, () => {
    deepStrictEqual(valuesOf(text), expected);
  });
}

const REFUSED: readonly [
  what: string,
  text: string,
  line: number | undefined,
  message: RegExp,
][] = [
  ["a tab as indent", "a:\n\t- b\n", 2, /tab/],
  ["an open flow list", "a: b\nc: [1\n", 3, /not valid YAML/],
  ["an open string", 'a: "b\n', 2, /not valid YAML/],
  ["a duplicate key", "a: 1\nb: 2\na: 3\n", 3, /Duplicate value: key "a"/],
  ["a duplicate key in flow style", "x: {a: 1, a: 2}\n", 1, /Duplicate value/],
  ["keys that are the same as strings", "1: a\n'1': b\n", 2, /Duplicate value/],
  ["a list as a key", "? [a]\n: b\n", 1, /a key must be a string/],
  ["null as a key", "a: 1\n~: b\n", 2, /a key must be a string/],
  ["an unknown tag", "a: !!js/function 'x'\n", 1, /Unsupported value: tag/],
  [
    "an unknown tag of a mapping",
    "a: 1\nb: !foo {}\n",
    2,
    /Unsupported value: tag/,
  ],
  ["a %TAG directive", "%TAG ! tag:x,1:\n---\na: 1\n", 1, /%TAG/],
  ["an alias without anchor", "a: 1\nb: *x\n", 2, /no anchor "x"/],
  ["an alias to what contains it", "a: &x\n  b: *x\n", 2, /contains itself/],
  ["a merge of a scalar", "a: 1\n<<: 2\n", 2, /<< wants a mapping/],
  [".nan", "a: 1\nb: .nan\n", 2, /finite/],
  [".inf", "a: .inf\n", 1, /finite/],
  ["a control character", "a: b\u0001\n", 1, /non-printable/],
];

for (const [what, text, line, message] of REFUSED) {
  Deno.test(`parseYaml() refuses ${what}, with its line`, () => {
    const result = parseYaml(text);
    if (result.kind === "ok") throw new Error("it was read");
    match(result.fault.message, message);
    strictEqual(result.fault.line, line);
    strictEqual(result.fault.document, 1);
  });
}

Deno.test("parseYaml() names the field and document of a duplicate key", () => {
  const result = parseYaml("a: 1\n---\nspec:\n  list:\n  - x: 1\n    x: 2\n");
  deepStrictEqual(result, {
    kind: "refused",
    fault: {
      field: "spec.list[0].x",
      message: 'Duplicate value: key "x"',
      line: 6,
      document: 2,
    },
  });
});

Deno.test("parseYaml() names the document of a syntax error", () => {
  const result = parseYaml("a: 1\n---\nb: 2\n---\nc: [\n");
  strictEqual(result.kind === "refused" && result.fault.document, 3);
});

const BOMBS: readonly [string, string][] = [
  ["10 000 levels of lists", "[".repeat(10_000)],
  ["10 000 levels of mappings", "{a: ".repeat(10_000)],
  ["a mebibyte of dashes", "- ".repeat(524_288)],
  ["two million items", "- a\n".repeat(2_000_000)],
  ["a scalar of more than 1.5 MiB", `a: ${"word ".repeat(320_000)}`],
  ["aliases that multiply", billionLaughs()],
  ["merges that multiply", mergeBomb()],
  ["aliases that nest", nestedAliases()],
];

for (const [what, text] of BOMBS) {
  Deno.test(`parseYaml() refuses ${what}`, () => {
    const result = parseYaml(text);
    strictEqual(result.kind, "refused");
  });
}

Deno.test("parseYaml() keeps __proto__ and its like as plain keys", () => {
  const [value] = valuesOf(
    "__proto__: {polluted: yes}\nconstructor: 1\na: {__proto__: {b: 1}}\n",
  );
  deepStrictEqual(Object.keys(value ?? {}), ["__proto__", "constructor", "a"]);
  strictEqual(Object.getPrototypeOf(value), Object.prototype);
  strictEqual(Reflect.get({}, "polluted"), undefined);
});

Deno.test("locate() finds lines, through aliases and merges too", () => {
  const result = parseYaml([
    "base: &b", // 1
    "  image: x", // 2
    "list:", // 3
    "- name: a", // 4
    "  <<: *b", // 5
    "- *b", // 6
    "map:", // 7
    "  a.b/c: 1", // 8
  ].join("\n"));
  if (result.kind === "refused") throw new Error(result.fault.message);
  const fields = [
    "",
    "list",
    "list[0].name",
    "list[0].image",
    "list[1]",
    "list[1].image",
    "map[a.b/c]",
    "map[a.b/c].deeper",
    "nothing",
  ];
  const lines = result.documents[0]?.locate(new Set(fields));
  deepStrictEqual(
    fields.map((field) => lines?.get(field)),
    [1, 3, 4, 2, 6, 2, 8, 8, 1],
  );
});

Deno.test("locate() tells several merges from what a mapping says itself", () => {
  const result = parseYaml([
    "x: &x {a: 1,", // 1
    "  b: 1}", // 2
    "y: &y", // 3
    "  b: {deep: 2}", // 4
    "  c: [7]", // 5
    "both:", // 6
    "  <<: [*x, *y]", // 7
    "own:", // 8
    "  c: 3", // 9
    "  <<: *y", // 10
    "  b: {}", // 11
    "chain: &chain", // 12
    "  <<: {a: 5,", // 13
    "    d.e: {f: 6}}", // 14
    "again: *chain", // 15
  ].join("\n"));
  if (result.kind === "refused") throw new Error(result.fault.message);
  const wanted = {
    "both.a": 1,
    "both.b": 2,
    "both.b.deep": 2,
    "both.c[0]": 5,
    "own.b.deep": 11,
    "own.c[0]": 9,
    "again": 15,
    "again.a": 13,
    "again.d.e.f": 14,
    "again[d.e].f": 14,
    "again.d": 15,
  };
  const lines = result.documents[0]?.locate(new Set(Object.keys(wanted)));
  deepStrictEqual(Object.fromEntries(lines ?? []), wanted);
});

Deno.test("parseYaml() never throws", () => {
  const bits = fc.constantFrom(
    ...[
      "a",
      ":",
      " ",
      "\n",
      "-",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&x",
      "*x",
      "<<",
      "?",
    ],
    ...[
      "!!str ",
      "!t ",
      '"',
      "'",
      "|",
      ">",
      "#",
      "%",
      "---",
      "...",
      "\t",
      "\\u12",
    ],
    ...["0x1", "~", "\r", "\uFEFF", "\0", "\ud800", "é"],
  );
  const text = fc.array(bits, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (text) => {
      const result = parseYaml(text);
      if (result.kind === "ok") {
        for (const document of result.documents) {
          document.locate(new Set(["a[0]"]));
        }
      }
    }),
    { numRuns: 2000 },
  );
});

function billionLaughs(): string {
  const lines = ["a0: &a0 [x]"];
  for (let i = 1; i <= 9; i++) {
    lines.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`);
  }
  return lines.join("\n");
}

function mergeBomb(): string {
  const keys = Array.from({ length: 500 }, (_, i) => `k${i}: ${i}`).join(", ");
  return `a: &a {${keys}}\nb:\n${"- <<: *a\n".repeat(1000)}`;
}

function nestedAliases(): string {
  const lines = ["a0: &a0 [[[[[[[[[[x]]]]]]]]]]"];
  for (let i = 1; i <= 100; i++) {
    lines.push(`a${i}: &a${i} [[[[[[[[[[*a${i - 1}]]]]]]]]]]`);
  }
  return lines.join("\n");
}

Deno.test("locate() follows as many aliases as can be read, and throws at none of them", () => {
  const lines = ["a0: &a0 [x]"];
  for (let i = 1; i <= 3; i++) {
    lines.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(9)}]`);
  }
  // Filled up to what can just be read.
  let text = "";
  let filler = 0;
  for (let step = 32_768; step >= 1; step /= 2) {
    const longer = [`z: [${"x,".repeat(filler + step)}]`, ...lines].join("\n");
    if (parseYaml(longer).kind === "refused") continue;
    filler += step;
    text = longer;
  }
  const result = parseYaml(text);
  if (result.kind === "refused") throw new Error(result.fault.message);
  const field = "a3[8][8][8]";
  strictEqual(result.documents[0]?.locate(new Set([field])).get(field), 3);
});
