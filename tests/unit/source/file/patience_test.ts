/**
 * How long a set waits that may not be delivered yet.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import {
  FileSourceRig,
  manifest,
  OLD,
} from "../../../support/source/file_source_rig.ts";

Deno.test("FileSource delivers its first set after ten seconds although nothing else is due then", async () => {
  await using before = new FileSourceRig();
  before.files.write("a.yaml", manifest("a"), OLD);
  // Its record is empty as long as the other has the name.
  before.files.write("copy.yaml", manifest("a"), OLD);
  await before.pass();
  await using rig = new FileSourceRig(before.lastGood);
  rig.files.exists = false;
  await rig.pass(9_999);
  strictEqual(rig.sets.length, 0);
  await rig.pass(1);
  strictEqual(rig.names, "a");
  strictEqual(rig.sets.length, 1);
});

Deno.test("FileSource delivers a set without a pod after ten seconds although everything is still to be looked at", async () => {
  await using rig = new FileSourceRig();
  const { clock, files } = rig;
  files.write("a.yaml", manifest("a"), OLD);
  files.write("b.yaml", manifest("b"), OLD);
  await rig.pass();
  const list = files.list.bind(files);
  const stop = new AbortController();
  using _waiting = { [Symbol.dispose]: () => stop.abort() };
  files.list = async (path) => {
    await clock.sleep(4_000, stop.signal);
    return await list(path);
  };
  await rig.pass(24_000);
  // The next look at everything is not before 40 s.
  files.rescan();
  await rig.pass(1);
  files.remove("a.yaml");
  files.hint("a.yaml", "removed");
  await rig.pass(10_000);
  strictEqual(rig.names, "a,b");
  const { moves } = clock;
  await rig.pass(199);
  strictEqual(rig.names, "a,b");
  await rig.pass(1);
  strictEqual(rig.names, "b");
  // It slept meanwhile.
  strictEqual(clock.moves - moves < 5, true);
});
