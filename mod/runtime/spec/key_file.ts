/**
 * Files of variables in a volume of the pod, as `fileKeyRef` names them.
 *
 * @module
 */

import type { ContainerSpec, EnvVarSource } from "../../api/types/mod.ts";

type FileKeyRef = NonNullable<EnvVarSource["fileKeyRef"]>;

/** A file as it was found, without its subject to stand behind a colon when it was not read. */
export type KeyFile =
  | ParsedKeyFile
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly message: string };

/** What a file says: read once, however many variables name it. */
export type ParsedKeyFile =
  | { readonly kind: "read"; readonly variables: ReadonlyMap<string, string> }
  | { readonly kind: "malformed"; readonly line: number };

/** What was found of the files that a container's variables name, by `keyFileName`. */
export type KeyFiles = ReadonlyMap<string, KeyFile>;

/** The largest file of variables, in bytes; that of upstream. */
export const MAX_KEY_FILE_BYTES: number = 64 << 10;

/** The most files of variables of one container that are in memory. */
export const MAX_KEY_FILES = 32;

/** What a file is called in {@linkcode KeyFiles}. */
export function keyFileName(
  ref: Pick<FileKeyRef, "volumeName" | "path">,
): string {
  return `${ref.volumeName}:${ref.path}`;
}

/** The files that the variables of a container name, each once. */
export function wantedKeyFiles(
  container: Pick<ContainerSpec, "env">,
): readonly FileKeyRef[] {
  const wanted = new Map<string, FileKeyRef>();
  for (const { valueFrom } of container.env ?? []) {
    const ref = valueFrom?.fileKeyRef;
    if (ref !== undefined) wanted.set(keyFileName(ref), ref);
  }
  return [...wanted.values()];
}

/** A variable of a file; `absent` when the file or the variable is not there. */
type KeyFileValue =
  | { readonly kind: "found"; readonly value: string }
  | { readonly kind: "absent" | "refused"; readonly message: string };

/** Finds the variable that a reference names in what was read. No message shows a value. */
export function keyFileValue(
  ref: FileKeyRef,
  files: KeyFiles | undefined,
): KeyFileValue {
  const { key, path, volumeName } = ref;
  const where = `file "${path}" of volume "${volumeName}"`;
  const file = files?.get(keyFileName(ref));
  switch (file?.kind) {
    case undefined:
      return { kind: "refused", message: `${where} was not read` };
    case "refused":
      return { kind: "refused", message: `${where}: ${file.message}` };
    case "missing":
      return { kind: "absent", message: `${where} is not there` };
    case "malformed": {
      const message =
        `${where} is not well formed at line ${file.line}, wanted NAME='value'`;
      return { kind: "refused", message };
    }
    case "read": {
      const value = file.variables.get(key);
      return value === undefined
        ? { kind: "absent", message: `${where} has no variable "${key}"` }
        : { kind: "found", value };
    }
  }
}

/**
 * Reads lines of `NAME='value'`: quotes are needed, a value may span lines and is
 * taken as it stands, `#` begins a line of comment, empty lines are passed over,
 * and of two of one name the first one counts.
 *
 * Upstream: pkg/kubelet/util/env ParseEnv (KEP 3721).
 */
export function parseKeyFile(text: string): ParsedKeyFile {
  const variables = new Map<string, string>();
  // Sticky, so that every character belongs to an entry that was understood.
  const entry =
    /[ \t]*(?:#[^\n]*|([^\s=#'][^\s=']*)='([^']*)'[ \t]*(?:#[^\n]*)?)?(?:\r?\n|$)/y;
  while (entry.lastIndex < text.length) {
    const start = entry.lastIndex;
    const match = entry.exec(text);
    if (match === null) {
      return {
        kind: "malformed",
        line: text.slice(0, start).split("\n").length,
      };
    }
    const [, name, value] = match;
    if (name === undefined || value === undefined) continue;
    if (!variables.has(name)) variables.set(name, value);
  }
  return { kind: "read", variables };
}
