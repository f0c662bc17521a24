/**
 * Reading a small file that containers have written into a volume.
 *
 * @module
 */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { FileError, fileErrorKind } from "../host/mod.ts";
import { type KeyFile, MAX_KEY_FILE_BYTES } from "./key_file.ts";

/**
 * Reads a text of at most {@linkcode MAX_KEY_FILE_BYTES} below a volume, through no
 * link at all: a container could make one to a file of the node.
 *
 * Every part of the path is looked at before, and the opened file is compared with
 * what the path leads to after. Who exchanges parts of the path for links and back,
 * twice and at just the right moments, could still have a file of the node read; of
 * that he would learn the values of lines `NAME='value'` whose names he knows.
 *
 * @param path Relative and without `..`.
 * @throws {FileError} when it is there and cannot be read
 */
export async function readVolumeFile(
  volumeRoot: string,
  path: string,
): Promise<KeyFile> {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.includes("..")) {
    return { kind: "refused", message: "wanted a path within the volume" };
  }
  const whole = `${volumeRoot}/${parts.join("/")}`;
  try {
    const found = await look(volumeRoot, parts);
    if (found.kind !== "file") return found;
    return await readOpened(whole, () => look(volumeRoot, parts));
  } catch (error) {
    if (fileErrorKind(error) === "missing") return { kind: "missing" };
    throw new FileError("read", whole, { cause: error });
  }
}

type Look =
  | Extract<KeyFile, { kind: "refused" }>
  | { readonly kind: "file"; readonly device: number; readonly inode: number };

/** Walks down without following anything. */
async function look(
  volumeRoot: string,
  parts: readonly string[],
): Promise<Look> {
  let at = volumeRoot;
  for (const [index, part] of parts.entries()) {
    at = `${at}/${part}`;
    const info = await Deno.lstat(at);
    const isLast = index === parts.length - 1;
    if (info.isSymlink) {
      return { kind: "refused", message: `"${part}" is a link` };
    }
    if (isLast && info.isFile) {
      return { kind: "file", device: info.dev, inode: info.ino ?? 0 };
    }
    if (isLast || !info.isDirectory) {
      const wanted = isLast ? "file" : "directory";
      return { kind: "refused", message: `"${part}" is no ${wanted}` };
    }
  }
  return { kind: "refused", message: "wanted a path within the volume" };
}

async function readOpened(
  path: string,
  lookAgain: () => Promise<Look>,
): Promise<KeyFile> {
  // Neither follows a last link nor waits for the writer of a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW |
    constants.O_NONBLOCK;
  const handle = await open(path, flags);
  try {
    const opened = await handle.stat();
    const now = await lookAgain();
    if (
      now.kind !== "file" || now.device !== Number(opened.dev) ||
      now.inode !== Number(opened.ino)
    ) {
      return { kind: "refused", message: "it was exchanged while it was read" };
    }
    // One byte more than is allowed, so that more is seen.
    const buffer = new Uint8Array(MAX_KEY_FILE_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(
        buffer,
        length,
        buffer.length - length,
        length,
      );
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return textOf(buffer.subarray(0, length));
  } finally {
    await handle.close();
  }
}

function textOf(bytes: Uint8Array): KeyFile {
  if (bytes.length > MAX_KEY_FILE_BYTES) {
    const message = `it is larger than ${MAX_KEY_FILE_BYTES} bytes`;
    return { kind: "refused", message };
  }
  if (bytes.includes(0)) {
    return { kind: "refused", message: "it holds a NUL byte" };
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return { kind: "read", text: decoder.decode(bytes) };
  } catch {
    // The decoder's own words are no help.
    return { kind: "refused", message: "it is not UTF-8" };
  }
}
