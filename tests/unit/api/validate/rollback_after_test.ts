/**
 * The annotation by which a pod asks to be rolled back.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { decodeManifest } from "../../../../mod/api/read/decode.ts";
import { rollbackAfterMs } from "../../../../mod/api/validate/validate_annotations.ts";

const KEY = "skerry.dev/rollback-after";

/** What is written, and how many milliseconds it is; `undefined` where it is a fault. */
const ROWS: readonly (readonly [string, number | undefined])[] = [
  ["2m", 120_000],
  ["1m30s", 90_000],
  ["1s", 1_000],
  ["999ms", undefined],
  ["0", undefined],
  ["-2m", undefined],
  ["2 m", undefined],
  ["120", undefined],
  ["", undefined],
  ["soon", undefined],
];

for (const [text, ms] of ROWS) {
  Deno.test(`rollbackAfterMs() reads "${text}"`, () => {
    strictEqual(rollbackAfterMs({ annotations: { [KEY]: text } }), ms);
  });

  Deno.test(`decodeManifest() ${ms === undefined ? "refuses" : "takes"} a rollback after "${text}"`, () => {
    const manifest = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", annotations: { [KEY]: text } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    const decoded = decodeManifest(
      new TextEncoder().encode(JSON.stringify(manifest)),
    );
    const fields = decoded.kind === "ok"
      ? []
      : decoded.faults.map(({ field }) => field);
    deepStrictEqual(
      fields,
      ms === undefined ? [`metadata.annotations[${KEY}]`] : [],
    );
  });
}

Deno.test("rollbackAfterMs() is undefined where nobody asks for it", () => {
  strictEqual(rollbackAfterMs({}), undefined);
});
