/**
 * What is measured of logs on the real disk.
 *
 * @module
 */

import { removeTree } from "../host/files/mod.ts";
import { listEntries, unlessMissing } from "../host/paths/mod.ts";
import type { LogMeter } from "./measure_logs.ts";
import type { OrphanFiles } from "./orphaned_logs.ts";

/** Blocks of stat(2) are of this size, whatever those of the disk are. */
const BLOCK_BYTES = 512;

/** {@linkcode LogMeter} and {@linkcode OrphanFiles} on the real disk. */
export const diskMeter: LogMeter & OrphanFiles = {
  async entries(path) {
    return await unlessMissing(listEntries(path)) ?? [];
  },

  async bytes(path) {
    const info = await unlessMissing(Deno.lstat(path));
    return info?.isFile === true ? (info.blocks ?? 0) * BLOCK_BYTES : 0;
  },

  async changedMs(path) {
    let lastMs = await changeOf(path);
    // The directory of a pod has those of containers, and these have the files.
    for (const { name, isDirectory } of await diskMeter.entries(path)) {
      const inside = `${path}/${name}`;
      lastMs = Math.max(lastMs, await changeOf(inside));
      if (!isDirectory) continue;
      for (const { name: file } of await diskMeter.entries(inside)) {
        lastMs = Math.max(lastMs, await changeOf(`${inside}/${file}`));
      }
    }
    return lastMs;
  },

  removeTree,
};

async function changeOf(path: string): Promise<number> {
  const info = await unlessMissing(Deno.lstat(path));
  return info?.mtime?.getTime() ?? 0;
}
