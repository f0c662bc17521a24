/**
 * The times of files, which the kernel takes from a clock of its own.
 *
 * @module
 */

import { until } from "./until.ts";

/** Waits until what is written has a later time than all that was written before. */
export async function untilLaterFileTime(): Promise<void> {
  const probe = await Deno.makeTempFile({ prefix: "skerry_time_" });
  const timeOf = async (): Promise<number> => {
    await Deno.writeTextFile(probe, "x");
    return (await Deno.stat(probe)).mtime?.getTime() ?? 0;
  };
  const before = await timeOf();
  // The kernel's clock goes on every few milliseconds, and no clock of a test moves it.
  await until(async () => await timeOf() > before, "a later time of files");
  await Deno.remove(probe);
}
