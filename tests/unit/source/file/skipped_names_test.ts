/**
 * What is said of files that are no manifests.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  Bench,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource names a file that is no manifest once, and no manifest", async () => {
  await using bench = new Bench();
  bench.files.write("a.yaml", manifest("a"), OLD);
  bench.files.write("notes.txt", "", OLD);
  bench.files.write(".a.yaml.swp", "", OLD);
  await bench.pass(60_000);
  strictEqual(bench.names, "a");
  strictEqual(bench.count("manifest_name_skipped"), 1);
});
