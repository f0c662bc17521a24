/**
 * Manifests that are being written.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { Bench, manifest } from "./file_source_bench.ts";

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
  await bench.pass(900);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(200);
  strictEqual(bench.names, "a");
});

Deno.test("FileSource reads a file that nobody closes after ten seconds", async () => {
  await using bench = new Bench();
  await bench.pass();
  bench.files.write("a.yaml", manifest("a"));
  bench.files.hint("a.yaml", "written");
  await bench.pass(9_900);
  strictEqual(bench.files.readsOf("a.yaml"), 0);
  await bench.pass(200);
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
