/**
 * Who holds a name, in the words of runtimes.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { CriError, type CriErrorKind } from "../../../../mod/cri/model/mod.ts";
import { nameHolder } from "../../../../mod/runtime/start/name_conflict.ts";

const ID = "483759cd432bcb85a0d99d35661305925b608eb683c285b261bd0629a56dd813";

const ROWS: readonly (readonly [CriErrorKind, string, string | undefined])[] = [
  [
    "failed",
    `failed to reserve sandbox name "p_n_u_1": name "p_n_u_1" is reserved for "${ID}"`,
    ID,
  ],
  [
    "failed",
    `the container name "k8s_c_p_n_u_0" is already in use by ${ID}. You have to remove that container to be able to reuse that name: that name is already in use`,
    ID,
  ],
  ["already_exists", "it exists", ""],
  ["failed", "no address left", undefined],
  ["not_found", "no such sandbox", undefined],
];

for (const [kind, detail, expected] of ROWS) {
  Deno.test(`nameHolder() finds ${JSON.stringify(expected)} in "${detail.slice(0, 40)}…"`, () => {
    const error = new CriError({ kind, method: "CreateContainer", detail });
    strictEqual(nameHolder(error), expected);
  });
}

Deno.test("nameHolder() takes no other error for a conflict", () => {
  strictEqual(nameHolder(new Error(`is reserved for "${ID}"`)), undefined);
});
