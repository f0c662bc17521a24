/**
 * The files of the node's credentials.
 *
 * @module
 */

import { dirname } from "node:path";
import {
  ensureDirectory,
  readFileBounded,
  writeFileAtomic,
} from "../../host/files/mod.ts";
import { unlessMissing } from "../../host/paths/mod.ts";
import type { SecretFiles } from "../../kube/certificates/mod.ts";

const MAX_BYTES = 1024 * 1024;

/** Nobody but the agent's user. */
const SECRET = 0o600;

/** Reads a file of a kubeconfig. @throws {Error} when there is none that can be used */
export async function readKubeFile(path: string): Promise<string> {
  const read = await readFileBounded(path, MAX_BYTES);
  if (read.kind === "read") return new TextDecoder().decode(read.bytes);
  throw new Error(`Cannot use "${path}": ${read.kind}`);
}

/** Certificates and keys on the disk; their directory is made when it is needed. */
export const secretFiles: SecretFiles = {
  read: async (path) => {
    const read = await readFileBounded(path, MAX_BYTES);
    if (read.kind === "missing") return undefined;
    if (read.kind === "read") return new TextDecoder().decode(read.bytes);
    throw new Error(`Cannot use "${path}": ${read.kind}`);
  },
  replace: async (path, text) => {
    await ensureDirectory(dirname(path), 0o700);
    const bytes = new TextEncoder().encode(text);
    await writeFileAtomic(path, bytes, { mode: SECRET });
  },
  remove: async (path) => {
    await unlessMissing(Deno.remove(path));
  },
};

/**
 * Replaces a file of which the agent may touch the directory no further than the file itself
 * and a second name.
 */
export async function replaceByStaging(
  path: string,
  { staging, text }: { readonly staging: string; readonly text: string },
): Promise<void> {
  // It may be what an agent has left that was killed.
  await unlessMissing(Deno.remove(staging));
  using file = await Deno.open(staging, {
    write: true,
    createNew: true,
    mode: SECRET,
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += await file.write(bytes.subarray(at));
  }
  await file.sync();
  await Deno.rename(staging, path);
}
