/**
 * Manifests that are no file.
 *
 * @module
 */

import { dirname } from "node:path";
import { describeError } from "../../base/text/mod.ts";
import type { FileLook } from "../../host/files/mod.ts";
import { describeNotRegular } from "./manifest_reader.ts";
import type { ManifestFiles } from "../mod.ts";

/** That it cannot be told what there is. */
export interface Denied {
  readonly kind: "denied";
  readonly error: unknown;
}

/** What is there in place of a file. */
export type NonFileLook =
  | Exclude<FileLook, { kind: "file" | "missing" }>
  | Denied;

/** Says why it is not read. */
export function describeNonFile(
  look: Exclude<NonFileLook, { kind: "directory" }>,
): string {
  switch (look.kind) {
    case "denied":
      return describeError(look.error);
    case "dangling":
      return "Cannot be read: it is a link to nothing, wanted a file";
    case "special":
      return describeNotRegular(look.what);
  }
}

/** Says what there is at a path. Never rejects. */
export async function lookOrDenied(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<FileLook | Denied> {
  try {
    return await files.look(path);
  } catch (error) {
    return { kind: "denied", error };
  }
}

/** The directory that a path is in; `undefined` if there is none. Never rejects. */
export async function directoryAbove(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<Extract<FileLook, { kind: "directory" }> | undefined> {
  const look = await lookOrDenied(dirname(path), files);
  return look.kind === "directory" ? look : undefined;
}
