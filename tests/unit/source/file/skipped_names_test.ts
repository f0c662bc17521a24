/**
 * What is said of files that are no manifests.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource names a file that is no manifest once, and no manifest", async () => {
  await using rig = new FileSourceRig();
  rig.files.write("a.yaml", manifest("a"), OLD);
  rig.files.write("notes.txt", "", OLD);
  rig.files.write(".a.yaml.swp", "", OLD);
  await rig.pass(60_000);
  strictEqual(rig.names, "a");
  strictEqual(rig.count("manifest_name_skipped"), 1);
});
