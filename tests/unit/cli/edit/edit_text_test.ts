/**
 * Changes of a text that leave all else of it as it is.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { dump } from "js-yaml";
import fc from "fast-check";
import {
  editsBetween,
  editText,
  isSameRaw,
  rawAt,
  type RawEdit,
  type RawPath,
  readValues,
  withEdit,
} from "../../../../mod/cli/edit/mod.ts";
import type { RawValue } from "../../../../mod/api/text/mod.ts";

const PATH: RawPath = ["spec", "replicas"];

for (
  const [name, before, edit, after] of [
    [
      "a number, with its comment",
      "spec:\n  # how many\n  replicas: 2   # enough\n  paused: no\n",
      { path: PATH, value: 10 },
      "spec:\n  # how many\n  replicas: 10   # enough\n  paused: no\n",
    ],
    [
      "a text without quotes",
      "c:\n- name: a\n  image: nginx:1.26 # x\n",
      { path: ["c", 0, "image"], value: "nginx:1.27" },
      "c:\n- name: a\n  image: nginx:1.27 # x\n",
    ],
    [
      "a text in double quotes",
      'image: "nginx:1.26"\n',
      { path: ["image"], value: 'a"b' },
      'image: "a\\"b"\n',
    ],
    [
      "a text in single quotes",
      "image: 'nginx'\n",
      { path: ["image"], value: "it's" },
      "image: 'it''s'\n",
    ],
    [
      "a text in single quotes by one that they cannot hold",
      "image: 'nginx'\n",
      { path: ["image"], value: "a\nb" },
      "image: |-\n  a\n  b\n",
    ],
    [
      "a text by one that needs quotes",
      "a: b # c\n",
      { path: ["a"], value: "true" },
      "a: 'true' # c\n",
    ],
    [
      "a value in JSON",
      '{\n\t"spec": { "replicas": 2, "image": "x" }\n}\n',
      { path: PATH, value: 3 },
      '{\n\t"spec": { "replicas": 3, "image": "x" }\n}\n',
    ],
    [
      "a text in JSON",
      '{"image":"x"}',
      { path: ["image"], value: "true" },
      '{"image":"true"}',
    ],
    [
      "a key that is missing",
      "kind: X\nspec:\n  # first\n  template: {}\n",
      { path: PATH, value: 3 },
      "kind: X\nspec:\n  # first\n  replicas: 3\n  template: {}\n",
    ],
    [
      "a key that is missing in an item",
      "c:\n  - image: x # y\n    name: a\n",
      { path: ["c", 0, "tty"], value: true },
      "c:\n  - tty: true\n    image: x # y\n    name: a\n",
    ],
    [
      "maps that are missing",
      "spec:\n  replicas: 1\n",
      { path: ["spec", "template", "annotations", "a/b"], value: "1" },
      "spec:\n  template:\n    annotations:\n      a/b: '1'\n  replicas: 1\n",
    ],
    [
      "a key in braces",
      "spec: {a: 1} # x\n",
      { path: PATH, value: 3 },
      'spec: {"replicas": 3, a: 1} # x\n',
    ],
    [
      "a key in empty braces",
      "spec: {} # x\n",
      { path: PATH, value: [{ a: 1 }] },
      'spec: {"replicas": [{"a":1}]} # x\n',
    ],
    [
      "a key that goes",
      "spec:\n  a: 1\n  replicas: 2\n  b: 3 # kept\n",
      { path: PATH, value: undefined },
      "spec:\n  a: 1\n  b: 3 # kept\n",
    ],
    [
      "a key that goes with all that is in it",
      "a:\n  x: 1\n  y:\n    - 1\n    - 2\nb: 1",
      { path: ["a"], value: undefined },
      "b: 1",
    ],
    [
      "a key whose brackets close behind a comment",
      "a: [1 # ]\n  ]\nb: 1\n",
      { path: ["b"], value: 2 },
      "a: [1 # ]\n  ]\nb: 2\n",
    ],
    [
      "a key with empty braces that goes",
      "a: {}\nb: {x: 1}\n",
      { path: ["a"], value: undefined },
      "b: {x: 1}\n",
    ],
    [
      "a key with empty brackets that goes",
      "a: []\nb: [1]\n",
      { path: ["a"], value: undefined },
      "b: [1]\n",
    ],
    [
      "a key in braces that goes with its line",
      "c: {\n  x: 1,\n  a: 1,\n  b: 2\n  }\n",
      { path: ["c", "a"], value: undefined },
      "c: {\n  x: 1,\n  b: 2\n  }\n",
    ],
    [
      "a key in JSON that goes",
      '{\n  "a": 1,\n  "b": 2\n}\n',
      { path: ["a"], value: undefined },
      '{\n  "b": 2\n}\n',
    ],
    [
      "what is missing, with the ends of lines that are there",
      "spec:\r\n  paused: true\r\n",
      { path: ["spec", "a", "b"], value: 1 },
      "spec:\r\n  a:\r\n    b: 1\r\n  paused: true\r\n",
    ],
    [
      "the last key",
      "a: 1\nb:\n  - 1",
      { path: ["b"], value: undefined },
      "a: 1\n",
    ],
    [
      "what is merged, by a key of its own",
      "a: &x\n  c: 1\nb:\n  <<: *x\n",
      { path: ["b", "c"], value: 2 },
      "a: &x\n  c: 1\nb:\n  c: 2\n  <<: *x\n",
    ],
    [
      "the value behind brackets with a comment",
      "a: [1, # ]\n  2]\nb: 1\n",
      { path: ["b"], value: 2 },
      "a: [1, # ]\n  2]\nb: 2\n",
    ],
  ] as readonly (readonly [string, string, RawEdit, string])[]
) {
  Deno.test(`editText() changes ${name}`, () => {
    deepStrictEqual(editText(before, 0, [edit]), { kind: "ok", text: after });
  });
}

for (
  const [name, text, edit] of [
    [
      "what an alias repeats",
      "a: &x 1\nb: *x\n",
      { path: ["a"], value: 2 },
    ],
    ["an alias", "a: &x {c: 1}\nb: *x\n", { path: ["b", "c"], value: 2 }],
    ["a value with a tag", "a: !!str 1\n", { path: ["a"], value: "2" }],
    ["a block of text", "a: |\n  x\nb: 1\n", { path: ["a"], value: "2" }],
    ["a key without value", "a:\nb: 1\n", { path: ["a"], value: "2" }],
    ["a value behind an anchor of its key", "&k a: 1\n", {
      path: ["a"],
      value: 2,
    }],
    ["the last key in JSON that goes", '{\n"a": 1,\n"b": 2\n}\n', {
      path: ["b"],
      value: undefined,
    }],
    ["a list", "a: [1]\n", { path: ["a"], value: 2 }],
    ["a value by a list", "a: 1\n", { path: ["a"], value: [2] }],
    ["a key that goes with a comment", "a: 1 # why\nb: 1\n", {
      path: ["a"],
      value: undefined,
    }],
    ["the first key of an item that goes", "c:\n- a: 1\n  b: 2\n", {
      path: ["c", 0, "a"],
      value: undefined,
    }],
    ["the only key", "c:\n  a: 1\nb: 2\n", {
      path: ["c", "a"],
      value: undefined,
    }],
    ["a key in braces that goes", "c: {a: 1, b: 2}\n", {
      path: ["c", "a"],
      value: undefined,
    }],
    ["an item that goes", "a: [1, 2]\n", { path: ["a", 0], value: undefined }],
    ["a key that is not there", "a: 1\n", { path: ["b"], value: undefined }],
    ["an item that is not there", "a: [1]\n", { path: ["a", 1], value: 1 }],
    ["a field of a number", "a: 1\n", { path: ["a", "b"], value: 1 }],
  ] as readonly (readonly [string, string, RawEdit])[]
) {
  Deno.test(`editText() refuses to change ${name}`, () => {
    const result = editText(text, 0, [edit]);
    ok(result.kind === "refused", JSON.stringify(result));
    strictEqual(
      result.why,
      `"${
        edit.path.join(".")
      }" is not written in a way that can be changed in its place`,
    );
  });
}

Deno.test("editText() changes one document of several, and several values in it", () => {
  const text = "# head\na: 1\n---\na: 2 # two\nb: 1\n---\na: 3\n";
  const edits = [{ path: ["a"], value: 5 }, { path: ["c"], value: 7 }];
  deepStrictEqual(editText(text, 1, edits), {
    kind: "ok",
    text: "# head\na: 1\n---\nc: 7\na: 5 # two\nb: 1\n---\na: 3\n",
  });
  strictEqual(editText(text, 3, edits).kind, "refused");
  strictEqual(editText("a: [", 0, edits).kind, "refused");
  deepStrictEqual(editText(text, 1, []), { kind: "ok", text });
});

const words = fc.constantFrom(
  "a",
  "b",
  "no",
  "x y",
  "1",
  "é",
  "a: b",
  "#c",
  "",
);
const scalars: fc.Arbitrary<RawValue> = fc.oneof(
  words,
  fc.integer({ min: -9, max: 99 }),
  fc.boolean(),
);
const { tree } = fc.letrec<{ readonly tree: RawValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom("k", "m", "yes", "n-1"), tie("tree"), {
      minKeys: 1,
      maxKeys: 3,
    }),
  ),
}));

/** The ways to all scalars. */
function leaves(value: RawValue, path: RawPath = []): readonly RawPath[] {
  if (typeof value !== "object" || value === null) return [path];
  const entries = Array.isArray(value)
    ? value.map((each, at): [number, RawValue] => [at, each])
    : Object.entries(value);
  return entries.flatMap(([key, each]) => leaves(each, [...path, key]));
}

/** A comment at the end of every line that can have one. */
function commented(text: string): string {
  return text.split("\n").map((line, at) =>
    line === "" || /[|>][-+0-9]*$/.test(line) ? line : `${line} # c${at}`
  ).join("\n");
}

const seed = Date.now() & 0x7fffffff;
Deno.test(`editText() changes nothing but the wanted value, and keeps every comment (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("k", "m", "spec"), tree, { minKeys: 1 }),
      scalars,
      fc.nat(),
      (value, wanted, pick) => {
        const text = commented(dump(value));
        const paths = leaves(value);
        const path = paths[pick % paths.length];
        ok(path !== undefined);
        const edit = { path, value: wanted };
        const result = editText(text, 0, [edit]);
        ok(result.kind === "ok", `${text}\n${JSON.stringify(edit)}`);
        const after = readValues(result.text);
        ok(after.kind === "ok");
        ok(isSameRaw(after.values[0], withEdit(value, edit)));
        const lines = text.split("\n");
        const changed = result.text.split("\n");
        strictEqual(changed.length, lines.length);
        const differing = lines.filter((line, at) => line !== changed[at]);
        ok(differing.length <= 1, result.text);
        const comments = (each: string[]) =>
          each.map((line) => line.slice(line.lastIndexOf(" # c")));
        deepStrictEqual(comments(changed), comments(lines));
      },
    ),
    { seed, numRuns: 500 },
  );
});

Deno.test(`editsBetween() are the way from one value to another (seed ${seed})`, () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const edits = editsBetween(before, after);
      const made = edits.reduce<RawValue>(withEdit, before);
      ok(isSameRaw(made, after));
      strictEqual(edits.length === 0, isSameRaw(before, after));
    }),
    { seed, numRuns: 500 },
  );
});

Deno.test("editsBetween() names what differs, and lists of another length whole", () => {
  const before = { a: 1, list: [{ n: 1 }, { n: 2 }], more: [1], gone: true };
  const after = { a: 1, list: [{ n: 1 }, { n: 3 }], more: [1, 2], come: "x" };
  deepStrictEqual(editsBetween(before, after), [
    { path: ["list", 1, "n"], value: 3 },
    { path: ["more"], value: [1, 2] },
    { path: ["gone"], value: undefined },
    { path: ["come"], value: "x" },
  ]);
});

Deno.test("rawAt() and withEdit() go through maps and lists", () => {
  const value = { a: [{ b: 1 }, 2] };
  strictEqual(rawAt(value, ["a", 0, "b"]), 1);
  strictEqual(rawAt(value, ["a", "0"]), undefined);
  strictEqual(rawAt(value, ["a", 2, "b"]), undefined);
  strictEqual(rawAt(value, ["toString"]), undefined);
  deepStrictEqual(withEdit(value, { path: ["a", 1], value: undefined }), {
    a: [{ b: 1 }],
  });
  deepStrictEqual(withEdit(value, { path: ["x", "y"], value: 1 }), {
    a: [{ b: 1 }, 2],
    x: { y: 1 },
  });
  strictEqual(isSameRaw({ a: 1 }, { b: 1 }), false);
  strictEqual(isSameRaw([1], { 0: 1 }), false);
  strictEqual(isSameRaw({ 0: 1 }, [1]), false);
  strictEqual(isSameRaw(1n, 1n), true);
});
