/**
 * Reading the files of variables that containers have written into volumes.
 *
 * @module
 */

import type { ContainerSpec } from "../../api/types/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import { readFileHead } from "../../host/files/mod.ts";
import { unlessMissing, useFileBelow, withPath } from "../../host/paths/mod.ts";
import type { VolumeSource } from "../../pod/inputs/mod.ts";
import {
  type KeyFile,
  keyFileName,
  MAX_KEY_FILE_BYTES,
  MAX_KEY_FILES,
  parseKeyFile,
  wantedKeyFiles,
} from "../spec/mod.ts";

/** Reads the files that the variables of a container name, by `keyFileName`. */
export async function readKeyFiles(
  container: Pick<ContainerSpec, "env">,
  volumes: ReadonlyMap<string, VolumeSource>,
): Promise<ReadonlyMap<string, KeyFile>> {
  const files = new Map<string, KeyFile>();
  for (const ref of wantedKeyFiles(container)) {
    const source = volumes.get(ref.volumeName);
    files.set(
      keyFileName(ref),
      files.size >= MAX_KEY_FILES
        ? refusedFile(`it is one of more than ${MAX_KEY_FILES} files`)
        : source === undefined
        ? refusedFile("the volume is not set up")
        : await readKeyFile(source.hostPath, ref.path)
          .catch((error) => refusedFile(describeError(error))),
    );
  }
  return files;
}

/**
 * Reads one file through no link at all. A container that wins the race that
 * {@linkcode useFileBelow} leaves would learn the values of lines `NAME='value'`
 * whose names it knows.
 */
async function readKeyFile(
  volumeRoot: string,
  path: string,
): Promise<KeyFile> {
  // One byte more than is allowed, so that more is seen.
  const read = (file: Parameters<typeof readFileHead>[0]) =>
    readFileHead(file, MAX_KEY_FILE_BYTES + 1);
  const opening = useFileBelow(volumeRoot, path, read);
  const named = withPath("read", `${volumeRoot}/${path}`, opening);
  const found = await unlessMissing(named) ?? { kind: "missing" };
  return found.kind === "opened" ? decode(found.value) : found;
}

function decode(bytes: Uint8Array): KeyFile {
  if (bytes.length > MAX_KEY_FILE_BYTES) {
    return refusedFile(`it is larger than ${MAX_KEY_FILE_BYTES} bytes`);
  }
  if (bytes.includes(0)) return refusedFile("it holds a NUL byte");
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return parseKeyFile(decoder.decode(bytes));
  } catch {
    // The decoder's own words are no help.
    return refusedFile("it is not UTF-8");
  }
}

function refusedFile(message: string): KeyFile {
  return { kind: "refused", message };
}
