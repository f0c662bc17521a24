/**
 * Manifests whose times do not fit the clock.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { Bench, manifest, OLD } from "../../support/source/file_source_rig.ts";

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
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a"), { ageMs });
    await bench.pass(200);
    strictEqual(bench.names, "a");
    await bench.pass(LOOKS_MS);
    const reads = bench.files.readsOf("a.yaml");
    const sets = bench.sets.length;
    await bench.pass(10 * LOOKS_MS);
    strictEqual(bench.files.readsOf("a.yaml"), reads);
    strictEqual(bench.sets.length, sets);
  });

  Deno.test(`CL-02: FileSource sees an edit of a manifest from ${name} ahead that nobody told of`, async () => {
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a", "one"), { ageMs });
    await bench.pass(5 * LOOKS_MS);
    bench.files.write("a.yaml", manifest("a", "two"), { ageMs });
    await bench.pass(LOOKS_MS);
    strictEqual(bench.images, "two");
  });
}

Deno.test("CL-02: FileSource sees an edit within the same tick of a file system whose clock is ahead", async () => {
  await using bench = new Bench();
  const aheadMs = bench.clock.now() + YEARS_MS;
  bench.files.write("a.yaml", manifest("a", "one"), { ageMs: -YEARS_MS });
  await bench.pass(150);
  strictEqual(bench.images, "one");
  // A stamp that is the same but for the content: FAT knows no finer time than 2 s.
  const ageMs = bench.clock.now() - aheadMs;
  bench.files.write("a.yaml", manifest("a", "two"), { ageMs });
  await bench.pass(LOOKS_MS);
  strictEqual(bench.images, "two");
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
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a", "one"), OLD);
    bench.files.write("b.yaml", manifest("b", "one"), OLD);
    await bench.pass();
    bench.clock.wall = bench.clock.now() + jumpMs;
    await bench.pass(LOOKS_MS);
    strictEqual(bench.sets.length, 1);
    const reads = bench.files.readsOf("a.yaml");
    await bench.pass(2 * LOOKS_MS);
    strictEqual(bench.files.readsOf("a.yaml"), reads);
    bench.files.write("a.yaml", manifest("a", "two"));
    bench.files.hint("a.yaml", "written");
    bench.files.files.delete("/m/b.yaml");
    await bench.pass(2 * LOOKS_MS);
    strictEqual(`${bench.names} ${bench.images}`, "a two");
  });
}
