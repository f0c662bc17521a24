/**
 * What this machine says of itself.
 *
 * @module
 */

import { ok, strictEqual } from "node:assert/strict";
import {
  getCpuCount,
  getTotalMemoryBytes,
  listAddresses,
} from "../../../mod/host/machine/mod.ts";

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
