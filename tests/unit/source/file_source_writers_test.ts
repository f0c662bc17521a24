/**
 * Manifests that are being written.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../support/source/file_source_rig.ts";

Deno.test("FileSource waits for a writer that pauses until it closes the file", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", "");
  rig.files.hint("a.yaml", "created");
  await rig.pass(1_000);
  rig.files.write("a.yaml", manifest("half"));
  rig.files.hint("a.yaml", "written");
  await rig.pass(9_000);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  rig.files.write("a.yaml", manifest("whole"));
  rig.files.hint("a.yaml", "written");
  rig.files.hint("a.yaml", "closed");
  await rig.pass(100);
  strictEqual(rig.names, "whole");
  strictEqual(rig.files.readsOf("a.yaml"), 1);
});

Deno.test("FileSource waits for a writer although all files are looked at meanwhile", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  await rig.pass(17_000);
  rig.files.write("a.yaml", manifest("half"));
  rig.files.hint("a.yaml", "written");
  await rig.pass(6_000);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
});

Deno.test("FileSource waits a second for a writer whose end it may have missed", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  rig.files.hint("a.yaml", "written");
  await rig.pass(200);
  rig.files.rescan();
  await rig.pass(999);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  await rig.pass(1);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource reads a file that nobody closes after ten seconds", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  rig.files.hint("a.yaml", "written");
  await rig.pass(9_999);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  await rig.pass(1);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource does not wait for the end of a change of mode, after a close or later", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  for (const change of ["created", "written", "closed", "written"] as const) {
    rig.files.hint("a.yaml", change);
  }
  await rig.pass(200);
  strictEqual(rig.names, "a");
  strictEqual(rig.files.readsOf("a.yaml"), 1);
  // It was read a moment ago, so the same time proves nothing.
  rig.files.hint("a.yaml", "written");
  await rig.pass(200);
  strictEqual(rig.files.readsOf("a.yaml"), 2);
});

Deno.test("FileSource does not wait for the end of a file that is linked in", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", manifest("a"));
  rig.files.hint("a.yaml", "created");
  await rig.pass(200);
  strictEqual(rig.names, "a");
});

Deno.test("FileSource waits for a writer that wrote at the very time of the look", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  rig.files.write("a.yaml", "");
  rig.files.hint("a.yaml", "written");
  await rig.pass();
  rig.files.write("a.yaml", manifest("half"), { ageMs: -100 });
  await rig.pass(9_000);
  strictEqual(rig.files.readsOf("a.yaml"), 0);
});

for (const isClosed of [false, true]) {
  Deno.test(`FileSource says of a manifest that is written all the time that it is not read, ${isClosed ? "closed" : "open"} between (I6)`, async () => {
    await using rig = new FileSourceRig();
    rig.files.write("a.yaml", manifest("a", "one"), OLD);
    await rig.pass();
    for (let round = 0; round < 800; round++) {
      rig.files.write("a.yaml", manifest("a", `two${round}`));
      rig.files.write("b.yaml", manifest("b", `two${round}`));
      for (const name of ["a.yaml", "b.yaml"]) {
        rig.files.hint(name, "written");
        if (isClosed) rig.files.hint(name, "closed");
      }
      await rig.pass(50);
    }
    deepStrictEqual(
      rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
      ["last_good /m/a.yaml", "refused /m/b.yaml"],
    );
    strictEqual(rig.images, "one");
    await rig.pass(12_000);
    strictEqual(rig.images, "two799,two799");
    deepStrictEqual(rig.source.report(), []);
  });
}

Deno.test("FileSource says of a manifest that it cannot catch at rest that it is not read, and no more when it is gone (I6)", async () => {
  await using rig = new FileSourceRig();
  await rig.pass();
  // Its times are ahead, so that only what it looks like tells whether it is quiet.
  const write = async (round: number): Promise<void> => {
    rig.files.write("a.yaml", "#".repeat(round + 1), { ageMs: -60_000 });
    await rig.pass(100);
  };
  rig.files.hint("a.yaml", "removed");
  for (let round = 0; round < 99; round++) await write(round);
  deepStrictEqual(rig.source.report(), []);
  for (let round = 99; round < 110; round++) await write(round);
  rig.files.hint("a.yaml", "removed");
  await write(110);
  deepStrictEqual(
    rig.source.report().map(({ kind, file }) => `${kind} ${file}`),
    ["refused /m/a.yaml"],
  );
  strictEqual(rig.files.readsOf("a.yaml"), 0);
  rig.files.remove("a.yaml");
  await rig.pass(200);
  deepStrictEqual(rig.source.report(), []);
});
