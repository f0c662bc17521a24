/**
 * An agent that starts while an editor has moved a manifest aside to write it anew.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

/** The pods of each set, in their order. */
function namesOf({ sets }: FileSourceRig): string[] {
  return sets.map(({ pods }) =>
    pods.map(({ metadata }) => metadata.name.replace(/-n$/, "")).join()
  );
}

/** An agent that had pods `a` and `b` is gone; an entry came or went `ageMs` before the next. */
async function startAfter(ageMs: number): Promise<FileSourceRig> {
  await using before = new FileSourceRig();
  before.files.write("a.yaml", manifest("a"), OLD);
  before.files.write("b.yaml", manifest("b"), OLD);
  await before.pass();
  const rig = new FileSourceRig(before.lastGood);
  rig.files.write("b.yaml", manifest("b"), OLD);
  rig.files.enteredMs = rig.clock.now() - ageMs;
  return rig;
}

Deno.test("FileSource keeps the pod of a manifest that is moved aside while the agent starts", async () => {
  await using rig = await startAfter(99);
  await rig.pass();
  deepStrictEqual(namesOf(rig), []);
  rig.files.write("a.yaml", manifest("a"));
  rig.files.enteredMs = rig.clock.now();
  rig.files.hint("a.yaml", "created");
  rig.files.hint("a.yaml", "closed");
  await rig.pass(5_000);
  deepStrictEqual(namesOf(rig), ["a,b"]);
});

Deno.test("FileSource knows a tenth of a second later that a manifest was removed just before the agent started", async () => {
  await using rig = await startAfter(0);
  await rig.pass(99);
  deepStrictEqual(namesOf(rig), []);
  await rig.pass(1);
  deepStrictEqual(namesOf(rig), ["b"]);
});

for (
  const [when, ageMs] of [["long ago", 100], ["in the future", -1]] as const
) {
  Deno.test(`FileSource waits for no editor if a manifest came or went ${when} when the agent starts`, async () => {
    await using rig = await startAfter(ageMs);
    await rig.pass();
    deepStrictEqual(namesOf(rig), ["b"]);
  });
}

Deno.test("FileSource waits one second for files that come and go all the time when the agent starts", async () => {
  await using rig = await startAfter(0);
  for (let waitedMs = 0; waitedMs < 1000; waitedMs += 50) {
    strictEqual(rig.sets.length, 0);
    rig.files.enteredMs = rig.clock.now();
    await rig.pass(50);
  }
  rig.files.enteredMs = rig.clock.now();
  await rig.pass(100);
  deepStrictEqual(namesOf(rig), ["b"]);
});

Deno.test("FileSource keeps the pod of a single manifest that is moved aside while the agent starts", async () => {
  await using before = new FileSourceRig();
  before.files.becomeFile(manifest("a"));
  await before.pass();
  await using rig = new FileSourceRig(before.lastGood);
  rig.files.exists = false;
  rig.files.enteredMs = rig.clock.now();
  await rig.pass(50);
  deepStrictEqual(namesOf(rig), []);
  rig.files.exists = true;
  rig.files.becomeFile(manifest("a"));
  await rig.pass(5_000);
  deepStrictEqual(namesOf(rig), ["a"]);
});

for (const isHinted of [true, false]) {
  Deno.test(`FileSource keeps the pod of a manifest that comes back while the agent still looks at others, ${isHinted ? "with" : "without"} a hint`, async () => {
    await using rig = await startAfter(0);
    const { clock, files } = rig;
    const stop = new AbortController();
    using _waiting = { [Symbol.dispose]: () => stop.abort() };
    const look = files.look.bind(files);
    files.look = async (path) => {
      if (path === "/m/b.yaml") await clock.sleep(150, stop.signal);
      return await look(path);
    };
    await rig.pass(5);
    files.enteredMs = clock.now();
    files.write("a.yaml", isHinted ? "" : manifest("a"));
    if (isHinted) {
      files.hint("a.yaml", "created");
      await rig.pass(400);
      files.write("a.yaml", manifest("a"));
      files.hint("a.yaml", "closed");
    }
    await rig.pass(5_000);
    deepStrictEqual(namesOf(rig), ["a,b"]);
  });
}
