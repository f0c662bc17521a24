/**
 * How a document is read against its fields, and what is shown of it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { readConfigText } from "../../../mod/config/config_file.ts";
import { show } from "../../../mod/config/read_document.ts";
import { kubeletFile, skerryFile } from "../../support/config/config_io.ts";

const PATH = "/etc/c.yaml";

for (
  const [value, shown] of [
    ["x", '"x"'],
    ["x".repeat(78), `"${"x".repeat(78)}"`],
    ["x".repeat(79), `"${"x".repeat(76)}...`],
    [12345678901234567890n, '"12345678901234567890"'],
    [{ a: [1n] }, '{"a":["1"]}'],
    [null, "null"],
    [undefined, "nothing"],
  ] as const
) {
  Deno.test(`show() writes ${shown.slice(0, 30)}`, () => {
    strictEqual(show(value), shown);
  });
}

for (
  const [lines, faults] of [
    [["authentication: null", "logging: {options: null}"], []],
    [["authentication: []"], [
      "3: Cannot use authentication: found [], wanted a map",
    ]],
    // Only at the top a document has its kind.
    [["memorySwap: {kind: x}"], [
      "3: Cannot use memorySwap.kind: there is no such field",
    ]],
    [["autentication: {}"], [
      '3: Cannot use autentication: there is no such field, did you mean "authentication"',
    ]],
    [["logging: {option: {}}"], [
      '3: Cannot use logging.option: there is no such field, did you mean "logging.options"',
    ]],
    [["logging: {options: {jsn: {}}}"], [
      '3: Cannot use logging.options.jsn: there is no such field, did you mean "logging.options.json"',
    ]],
    // A name of another depth is not meant.
    [["loggingformat: text"], [
      "3: Cannot use loggingformat: there is no such field",
    ]],
    [["maxPods: 0", "podCIDR: ''"], []],
    [["maxPods: 1.5"], [
      "3: Cannot use maxPods: found 1.5, wanted a whole number of at least 0",
    ]],
  ] as const
) {
  Deno.test(`readConfigText() reads ${lines.join(", ")}`, () => {
    const reading = readConfigText(kubeletFile(...lines), PATH);
    deepStrictEqual(
      reading.faults.map((each) => each.replace(`${PATH}:`, "")),
      faults,
    );
  });
}

Deno.test("readConfigText() sends a kubelet's field out of the second document", () => {
  deepStrictEqual(readConfigText(skerryFile("maxPods: 1"), PATH).faults, [
    `${PATH}:4: Cannot use maxPods: it is no field of this kind, it belongs in a document of kind kubelet.config.k8s.io/v1beta1 KubeletConfiguration`,
  ]);
});

for (
  const [text, found] of [
    ["maxPods: 1\n", ""],
    ["kind: Pod\n", "Pod"],
    ["apiVersion: v1\n", "v1"],
    ["{apiVersion: 1, kind: 2}\n", "1 2"],
  ] as const
) {
  Deno.test(`readConfigText() refuses a document of kind "${found}"`, () => {
    deepStrictEqual(readConfigText(text, PATH).faults, [
      `${PATH}: Cannot use a document of kind "${found}": wanted kubelet.config.k8s.io/v1beta1 KubeletConfiguration or skerry.dev/v1alpha1 SkerryConfiguration`,
    ]);
  });
}
