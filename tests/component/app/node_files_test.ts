/**
 * The node's files, as pods get them.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { nodeFilesOf } from "../../support/app/parts.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { TempDir } from "../../support/temp_dir.ts";

const MEBI = 1 << 20;

/** A resolver file that says as many bytes. */
function resolver(address: string, size: number): string {
  return `nameserver ${address}\n`.padEnd(size, "#");
}

Deno.test("NodeFiles reads again after a second, and not before", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/resolv.conf`;
  const clock = new FakeClock();
  const files = nodeFilesOf(path, clock);
  const servers = () => files.resolver?.servers;
  strictEqual(files.resolver, undefined);
  strictEqual(files.hosts, "");
  await files.refresh();
  deepStrictEqual(servers(), []);
  strictEqual(files.hosts, await Deno.readTextFile("/etc/hosts"));
  await Deno.writeTextFile(path, "nameserver 192.0.2.7\n");
  await clock.advance(999);
  await files.refresh();
  deepStrictEqual(servers(), []);
  await clock.advance(1);
  await files.refresh();
  deepStrictEqual(servers(), ["192.0.2.7"]);
  await Deno.remove(path);
  await clock.advance(1_000);
  await files.refresh();
  deepStrictEqual(servers(), []);
});

Deno.test("NodeFiles has pods that start together share one reading, for which each waits", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/resolv.conf`;
  await Deno.writeTextFile(path, "nameserver 192.0.2.7\n");
  const files = nodeFilesOf(path, new FakeClock());
  const first = files.refresh();
  await files.refresh();
  deepStrictEqual(files.resolver?.servers, ["192.0.2.7"]);
  await first;
});

Deno.test("NodeFiles reads resolvers of up to ten mebibytes", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/resolv.conf`;
  const clock = new FakeClock();
  for (
    const [size, servers] of [[10 * MEBI, ["192.0.2.7"]], [
      10 * MEBI + 1,
      [],
    ]] as const
  ) {
    await Deno.writeTextFile(path, resolver("192.0.2.7", size));
    const files = nodeFilesOf(path, clock);
    await files.refresh();
    deepStrictEqual(files.resolver?.servers, servers);
  }
});

Deno.test("NodeFiles has no resolver where pods are to get none", async () => {
  const files = nodeFilesOf(undefined, new FakeClock());
  await files.refresh();
  strictEqual(files.resolver, undefined);
  strictEqual(files.hosts, await Deno.readTextFile("/etc/hosts"));
});
