/**
 * How many images are pulled at a time.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo, kubeletFile } from "../../support/config/config_io.ts";

for (
  const [lines, pulls] of [
    [[], 5],
    [["maxParallelImagePulls: 1"], 1],
    [["maxParallelImagePulls: 3"], 3],
    [["serializeImagePulls: false"], 5],
    [["serializeImagePulls: false", "maxParallelImagePulls: 2"], 2],
    [["serializeImagePulls: true"], 1],
    [["serializeImagePulls: true", "maxParallelImagePulls: 1"], 1],
  ] as const
) {
  Deno.test(`parseRunArguments() pulls ${pulls} images at a time with ${lines.join(", ") || "defaults"}`, async () => {
    const files = { "/c": kubeletFile(...lines) };
    const parsed = await parseRunArguments(["--config=/c"], fakeIo(files));
    ok(parsed.kind === "ok");
    strictEqual(parsed.config.runtime.parallelPulls, pulls);
  });
}
