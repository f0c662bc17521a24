import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { freezeDeep } from "../../../../mod/informer/shared/freeze.ts";

Deno.test("freezeDeep() makes everything in an object unalterable, and takes what is no object as it is", () => {
  const inner: { list: unknown[]; self?: unknown; nothing: null } = {
    list: [{ a: 1 }],
    nothing: null,
  };
  inner.self = inner;
  const frozen = freezeDeep({ inner, none: undefined, text: "a" });
  throws(() => inner.list.push(1), TypeError);
  throws(() => Object.assign(inner.list[0] ?? {}, { a: 2 }), TypeError);
  strictEqual(Object.isFrozen(frozen), true);
  deepStrictEqual([null, 1, "a", undefined].map(freezeDeep), [
    null,
    1,
    "a",
    undefined,
  ]);
});
