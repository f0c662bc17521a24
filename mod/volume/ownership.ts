/**
 * Giving a volume with content to the group of a pod (fsGroup).
 *
 * @module
 */

import {
  modeOf,
  setGroup,
  setOwnership,
  unlessMissing,
} from "../host/paths/mod.ts";
import { listDirectory } from "./volume_directory.ts";

/** When a volume is gone through. */
export type GroupChangePolicy = "Always" | "OnRootMismatch";

// Upstream: pkg/volume/volume_linux.go rwMask, execMask.
const FILE_BITS = 0o660;
const DIRECTORY_BITS = 0o2770;

// Some of the threads that the whole process has for files.
const CONCURRENCY = 16;

/** Whether the root of a volume has not the group and the mode that fsGroup gives it. */
export function isRootMismatch(root: Deno.FileInfo, group: number): boolean {
  return root.gid !== group ||
    (modeOf(root) & DIRECTORY_BITS) !== DIRECTORY_BITS;
}

/**
 * Gives everything in a volume to a group that may read and write it: its files
 * get 0660, its directories 0770 and the set-group-id bit, beside what they have.
 *
 * Links are given away and never followed, and what is mounted inside is left
 * alone. The root comes last, so that after a crash `OnRootMismatch` begins anew.
 * No container may be at work in the volume meanwhile: it could exchange a
 * directory for a link under our hands.
 *
 * Upstream: pkg/volume SetVolumeOwnership (which begins with the root).
 *
 * @returns false when the policy found nothing to do
 */
export async function giveVolume(
  root: string,
  options: {
    readonly group: number;
    readonly policy: GroupChangePolicy;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<boolean> {
  const { group, policy, signal } = options;
  const info = await Deno.lstat(root);
  if (policy === "OnRootMismatch" && !isRootMismatch(info, group)) return false;
  const pending = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const entries = await listDirectory(at);
    while (entries.length > 0) {
      signal?.throwIfAborted();
      const batch = entries.splice(-CONCURRENCY).map((name) => `${at}/${name}`);
      // One that is missing was removed meanwhile.
      const found = await Promise.all(
        batch.map((path) =>
          unlessMissing(giveEntry(path, { group, device: info.dev }))
        ),
      );
      pending.push(...found.filter((path) => path !== undefined));
    }
  }
  await giveDirectory(root, { group, info });
  return true;
}

/** @returns the path if it is a directory to go into */
async function giveEntry(
  path: string,
  options: { readonly group: number; readonly device: number },
): Promise<string | undefined> {
  const { group, device } = options;
  const info = await Deno.lstat(path);
  if (info.dev !== device) return undefined;
  if (info.isDirectory) {
    return await giveDirectory(path, { group, info }) ? path : undefined;
  }
  if (!info.isFile) {
    // To change the mode of a link or a device would be to follow or open it.
    if (info.gid !== group) await setGroup(path, group);
    return undefined;
  }
  const mode = modeOf(info) | FILE_BITS;
  if (info.gid !== group || mode !== modeOf(info)) {
    await setOwnership(path, { group, mode }, { seen: info });
  }
  return undefined;
}

async function giveDirectory(
  path: string,
  options: { readonly group: number; readonly info: Deno.FileInfo },
): Promise<boolean> {
  const { group, info } = options;
  const mode = modeOf(info) | DIRECTORY_BITS;
  if (info.gid === group && mode === modeOf(info)) return true;
  return await setOwnership(path, { group, mode }, { seen: info });
}
