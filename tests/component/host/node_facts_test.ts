/**
 * What this machine says of itself.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  getCpuCount,
  getCpuNanos,
  getFileSystemLeft,
  getMemoryLeft,
  getTotalMemoryBytes,
  listAddresses,
  readProcessesLeft,
} from "../../../mod/host/machine/mod.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("listAddresses() knows the loopback address", () => {
  const loopback = listAddresses().find(({ address }) =>
    address === "127.0.0.1"
  );
  strictEqual(loopback?.family, "IPv4");
});

Deno.test("getTotalMemoryBytes() counts in bytes", () => {
  ok(getTotalMemoryBytes() > 64 * 1024 * 1024);
});

Deno.test("getCpuCount() counts the machine's processors, not those of this process", async () => {
  const stat = await Deno.readTextFile("/proc/stat");
  strictEqual(getCpuCount(), stat.match(/^cpu\d+ /gm)?.length);
});

Deno.test("getMemoryLeft() says how much there is, and how much is free", () => {
  const { capacity, available } = getMemoryLeft();
  strictEqual(capacity, getTotalMemoryBytes());
  ok(available > 0 && available < capacity);
});

Deno.test("getCpuNanos() rises", () => {
  ok((getCpuNanos() ?? 0n) > 1_000_000_000n);
});

Deno.test("getFileSystemLeft() tells what is left where a path lies", async () => {
  await using dir = await TempDir.make();
  const { bytes, inodes } = await getFileSystemLeft(dir.path) ?? {};
  ok(bytes !== undefined && inodes !== undefined);
  ok(bytes.available <= bytes.capacity && bytes.capacity > 2 ** 20);
  ok(inodes.available <= inodes.capacity);
  strictEqual(await getFileSystemLeft(`${dir.path}/none`), undefined);
});

const PROCESSES: readonly (readonly [
  what: string,
  files: Readonly<Record<string, string>>,
  wanted: { capacity: number; available: number } | undefined,
])[] = [
  [
    "as the kernel writes it",
    { loadavg: "0.11 0.20 0.18 2/345 9999\n", pid_max: "4194304\n" },
    { capacity: 4_194_304, available: 4_193_959 },
  ],
  [
    "more than there may be",
    { loadavg: "0 0 0 2/345 9\n", pid_max: "300\n" },
    { capacity: 300, available: 0 },
  ],
  ["without a limit", { loadavg: "0 0 0 2/345 9\n" }, undefined],
  ["without a number", { pid_max: "300\n" }, undefined],
  [
    "that is something else",
    { loadavg: "no load\n", pid_max: "300\n" },
    undefined,
  ],
  [
    "whose limit is none",
    { loadavg: "0 0 0 2/345 9\n", pid_max: "max\n" },
    undefined,
  ],
];
for (const [what, files, wanted] of PROCESSES) {
  Deno.test(`readProcessesLeft() reads a view ${what}`, async () => {
    await using dir = await TempDir.make();
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${dir.path}/${name}`, text);
    }
    deepStrictEqual(await readProcessesLeft(dir.path), wanted);
  });
}
