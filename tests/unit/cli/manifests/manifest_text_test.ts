/** Which objects there are in the documents of a manifest. */

import { deepStrictEqual } from "node:assert/strict";
import type { RawValue } from "../../../../mod/api/text/mod.ts";
import { objectsOf } from "../../../../mod/cli/manifests/mod.ts";

const A = { kind: "ConfigMap", metadata: { name: "a" } };
const B = { kind: "RuntimeClass", metadata: { name: "b", namespace: "" } };
const C = { kind: "Secret", metadata: { name: "c", namespace: "shop" } };

const rows: Readonly<Record<string, readonly [RawValue, readonly string[]]>> = {
  "an object": [A, ["0 ConfigMap default/a"]],
  "one of no namespace": [B, ["0 RuntimeClass /b"]],
  "a list": [
    { kind: "List", items: [A, 7, C] },
    ["0.items.0 ConfigMap default/a", "0.items.2 Secret shop/c"],
  ],
  "a list without items": [{ kind: "List" }, []],
  "a list of lists": [
    { kind: "List", items: [{ kind: "List", items: [A] }] },
    [],
  ],
  "what has items and is no list": [
    { ...A, items: [C] },
    ["0 ConfigMap default/a"],
  ],
  "what has no kind": [{ metadata: { name: "a" } }, []],
  "what has no name": [{ kind: "ConfigMap" }, []],
};

for (const [what, [value, expected]] of Object.entries(rows)) {
  Deno.test(`objectsOf() finds ${expected.length} in ${what}`, () => {
    const found = objectsOf([value]).map(
      ({ index, path, kind, namespace, name }) =>
        `${[index, ...path].join(".")} ${kind} ${namespace}/${name}`,
    );
    deepStrictEqual(found, expected);
  });
}
