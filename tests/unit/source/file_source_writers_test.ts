/**
 * Manifests that are being written.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Bench, manifest, OLD } from "../../support/source/file_source_rig.ts";

Deno.test("FileSource waits for a writer that pauses until it closes the file", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", "");
  bench.files.hint("a.yaml", "created");
  await bench.pass(1_000);
  bench.files.write("a.yaml", manifest("half"));
  bench.files.hint("a.yaml", "written");
  await bench.pass(9_000);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  bench.files.write("a.yaml", manifest("whole"));
  bench.files.hint("a.yaml", "written");
  bench.files.hint("a.yaml", "closed");
  await bench.pass(100);
  strictEqual(bench.names, "whole");
  strictEqual(bench.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource waits for a writer although all files are looked at meanwhile", async () => {
  await using bench = new Bench();
  await bench.pass();
  await bench.pass(17_000);
  bench.files.write("a.yaml", manifest("half"));
  bench.files.hint("a.yaml", "written");
  await bench.pass(6_000);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
});

Deno.test("FileSource waits a second for a writer whose end it may have missed", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "written");
  await bench.pass(200);
  bench.files.rescan();
  await bench.pass(999);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(1);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource reads a file that nobody closes after ten seconds", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "written");
  await bench.pass(9_999);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(1);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource does not wait for the end of a change of mode, after a close or later", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  for (const change of ["created", "written", "closed", "written"] as const) {
    bench.files.hint("a.yaml", change);
  }
  await bench.pass(200);
  strictEqual(bench.names, "a");
  strictEqual(bench.files.readsOf("a.yaml"), 1);
  // It was read a moment ago, so the same time proves nothing.
  bench.files.hint("a.yaml", "written");
  await bench.pass(200);
  strictEqual(bench.files.readsOf("a.yaml"), 2);
});

Deno.test("FileSource does not wait for the end of a file that is linked in", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "created");
  await bench.pass(200);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource waits for a writer that wrote at the very time of the look", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", "");
  bench.files.hint("a.yaml", "written");
  await bench.pass();
  bench.files.write("a.yaml", manifest("half"), { ageMs: -100 });
  await bench.pass(9_000);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
});

for (const isClosed of [false, true]) {
  Deno.test(`FileSource says of a manifest that is written all the time that it is not read, ${isClosed ? "closed" : "open"} between (I6)`, async () => {
    await using bench = new Bench();
    bench.files.write("a.yaml", manifest("a", "one"), OLD);
    await bench.pass();
    for (let round = 0; round < 800; round++) {
      bench.files.write("a.yaml", manifest("a", `two${round}`));
      bench.files.write("b.yaml", manifest("b", `two${round}`));
      for (const name of ["a.yaml", "b.yaml"]) {
        bench.files.hint(name, "written");
        if (isClosed) bench.files.hint(name, "closed");
      }
      await bench.pass(50);
    }
    deepStrictEqual(
      bench.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["last_good /m/a.yaml", "refused /m/b.yaml"],
    );
    strictEqual(bench.images, "one");
    await bench.pass(12_000);
    strictEqual(bench.images, "two799,two799");
    deepStrictEqual(bench.source.report(), []);
  });
}

Deno.test("FileSource says of a manifest that it cannot catch at rest that it is not read, and no more when it is gone (I6)", async () => {
  await using bench = new Bench();
  await bench.pass();
  // Its times are ahead, so that only what it looks like tells whether it is quiet.
  const write = async (round: number): Promise<void> => {
    bench.files.write("a.yaml", "#".repeat(round + 1), { ageMs: -60_000 });
    await bench.pass(100);
  };
  bench.files.hint("a.yaml", "removed");
  for (let round = 0; round < 99; round++) await write(round);
  deepStrictEqual(bench.source.report(), []);
  for (let round = 99; round < 110; round++) await write(round);
  bench.files.hint("a.yaml", "removed");
  await write(110);
  deepStrictEqual(
    bench.source.report().map(({ kind, file }) => `${kind} ${file}`),
    ["refused /m/a.yaml"],
  );
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  bench.files.remove("a.yaml");
  await bench.pass(200);
  deepStrictEqual(bench.source.report(), []);
});
