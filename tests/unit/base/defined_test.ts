import { deepStrictEqual } from "node:assert/strict";
import { defined } from "../../../mod/base/mod.ts";

Deno.test("defined() leaves out what is undefined and keeps all else in its order", () => {
  const members = { b: undefined, c: null, a: 0, d: "" };
  deepStrictEqual(Object.entries(defined(members)), [
    ["c", null],
    ["a", 0],
    ["d", ""],
  ]);
});
