/**
 * Manifests whose times do not fit the clock.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../support/source/file_source_rig.ts";

/** Longer than two looks at everything. */
const LOOKS_MS = 45_000;

const YEARS_MS = 1.6e12;

for (
  const [name, ageMs] of [
    ["40 s", -40_000],
    ["an hour", -3_600_000],
    ["50 years", -YEARS_MS],
  ] as const
) {
  Deno.test(`CL-02: FileSource takes a manifest from ${name} ahead, and does not read it for ever`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a"), { ageMs });
    await rig.pass(200);
    strictEqual(rig.names, "a");
    await rig.pass(LOOKS_MS);
    const reads = rig.files.readsOf("a.yaml");
    const sets = rig.sets.length;
    await rig.pass(10 * LOOKS_MS);
    strictEqual(rig.files.readsOf("a.yaml"), reads);
    strictEqual(rig.sets.length, sets);
  });

  Deno.test(`CL-02: FileSource sees an edit of a manifest from ${name} ahead that nobody told of`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a", "one"), { ageMs });
    await rig.pass(5 * LOOKS_MS);
    rig.files.write("a.yaml", manifest("a", "two"), { ageMs });
    await rig.pass(LOOKS_MS);
    strictEqual(rig.images, "two");
  });
}

Deno.test("CL-02: FileSource sees an edit within the same tick of a file system whose clock is ahead", async () => {
  await using rig = new FileSourceRig();
  const aheadMs = rig.clock.now() + YEARS_MS;
  rig.files.write("a.yaml", manifest("a", "one"), { ageMs: -YEARS_MS });
  await rig.pass(150);
  strictEqual(rig.images, "one");
  // A stamp that is the same but for the content: FAT knows no finer time than 2 s.
  const ageMs = rig.clock.now() - aheadMs;
  rig.files.write("a.yaml", manifest("a", "two"), { ageMs });
  await rig.pass(LOOKS_MS);
  strictEqual(rig.images, "two");
});

for (
  const [name, jumpMs] of [
    ["40 s back", -40_000],
    ["to 1970", -Date.UTC(2026, 0, 1)],
    ["ten minutes ahead", 600_000],
    ["50 years ahead", YEARS_MS],
  ] as const
) {
  Deno.test(`CL-02: FileSource sees what is written and removed after the clock jumped ${name}`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a", "one"), OLD);
    rig.files.write("b.yaml", manifest("b", "one"), OLD);
    await rig.pass();
    rig.clock.wall = rig.clock.now() + jumpMs;
    await rig.pass(LOOKS_MS);
    strictEqual(rig.sets.length, 1);
    const reads = rig.files.readsOf("a.yaml");
    await rig.pass(2 * LOOKS_MS);
    strictEqual(rig.files.readsOf("a.yaml"), reads);
    rig.files.write("a.yaml", manifest("a", "two"));
    rig.files.hint("a.yaml", "written");
    rig.files.files.delete("/m/b.yaml");
    await rig.pass(2 * LOOKS_MS);
    strictEqual(`${rig.names} ${rig.images}`, "a two");
  });
}
