/**
 * When the disk of the root directory is looked at, and what is logged of it.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { RootDisk } from "../../../mod/app/root_disk.ts";
import { FileError } from "../../../mod/host/paths/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { fieldsTo } from "../../support/log_lines.ts";

function rig() {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const world: { fault: FileError | undefined; looks: number } = {
    fault: undefined,
    looks: 0,
  };
  const disk = new RootDisk({
    check: () => {
      world.looks++;
      return Promise.resolve(world.fault);
    },
  }, { clock, log: fieldsTo(lines, { clock }) });
  const said = () => lines.map(({ level, message }) => `${level} ${message}`);
  return { clock, disk, lines, said, world };
}

const BROKEN = new FileError("write", "/r/lock", { cause: new Error("bad") });
const FULL = new FileError("write", "/r/lock", { cause: new Error("full") });

Deno.test("RootDisk logs each change of what is wrong with the disk, and nothing else", async () => {
  const { disk, lines, said, world } = rig();
  await disk.look();
  strictEqual(disk.problem, undefined);
  deepStrictEqual(said(), []);
  world.fault = BROKEN;
  for (let time = 0; time < 3; time++) await disk.look();
  strictEqual(disk.problem, BROKEN.message);
  deepStrictEqual(said(), ["error root_directory_not_writable"]);
  strictEqual(lines[0]?.["fault"], BROKEN.message);
  world.fault = FULL;
  await disk.look();
  strictEqual(lines[1]?.["fault"], FULL.message);
  world.fault = undefined;
  for (let time = 0; time < 3; time++) await disk.look();
  strictEqual(disk.problem, undefined);
  deepStrictEqual(said().slice(1), [
    "error root_directory_not_writable",
    "info root_directory_writable",
  ]);
});

Deno.test("RootDisk looks every ten seconds until it is to end", async () => {
  const { clock, disk, world } = rig();
  const stop = new AbortController();
  const over = rejects(disk.run(stop.signal), /enough/);
  await clock.advance(9_999);
  strictEqual(world.looks, 0);
  await clock.advance(1);
  strictEqual(world.looks, 1);
  await clock.advance(60_000);
  strictEqual(world.looks, 7);
  stop.abort(new Error("enough"));
  await over;
  await clock.advance(60_000);
  strictEqual(world.looks, 7);
});
