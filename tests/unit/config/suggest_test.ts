/**
 * Suggestions for words that are not known.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { suggest } from "../../../mod/config/mod.ts";

const KNOWN = ["rootDir", "runDir", "logLevel", "maxPods"];

for (
  const [word, meant] of [
    ["rootdir", "rootDir"],
    ["rotDir", "rootDir"],
    ["loglvel", "logLevel"],
    ["maxPod", "maxPods"],
    ["frobnicate", undefined],
    ["x", undefined],
  ] as const
) {
  Deno.test(`suggest() takes ${word} for ${meant ?? "nothing"}`, () => {
    strictEqual(suggest(word, KNOWN), meant);
  });
}
