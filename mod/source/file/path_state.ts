/**
 * What the path of the manifests is.
 *
 * @module
 */

import { dirname } from "node:path";
import { describeError } from "../../base/text/mod.ts";
import type { FileLook } from "../../host/files/mod.ts";
import type { ManifestFiles } from "../mod.ts";
import { describeNotRegular } from "./manifest_reader.ts";

/**
 * What the path is.
 *
 * ```text
 * unknown ──▶ absent ──▶ directory ◀──▶ unreachable
 *    │           └─────▶ file ◀───────────┘
 *    └─▶ any other
 * ```
 * `absent` holds no pods; `unreachable` those of before, or of an agent before.
 */
export type PathState =
  | { readonly kind: "unknown"; readonly message?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "directory" }
  | {
    readonly kind: "file";
    /** Since when it is missing, while its successor may be on the way. */
    readonly missingSinceMs?: number;
  }
  | {
    readonly kind: "unreachable";
    readonly message: string;
    readonly was: "directory" | "file";
  };

/**
 * The pathState when the path cannot be read.
 *
 * @param isRestored whether what manifests gave an agent before is held
 */
export function afterFailedRead(
  pathState: PathState,
  message: string,
  isRestored: boolean,
): PathState {
  switch (pathState.kind) {
    // Nothing was ever seen, so nothing can be said to be wanted or not.
    case "unknown":
      return isRestored
        ? { kind: "unreachable", message, was: "directory" }
        : { kind: "unknown", message };
    case "absent":
      return { kind: "unreachable", message, was: "directory" };
    case "directory":
    case "file":
      return { kind: "unreachable", message, was: pathState.kind };
    case "unreachable":
      return { ...pathState, message };
  }
}

/** Whether the path is, or was, a single manifest. */
export function isFile(pathState: PathState): boolean {
  return pathState.kind === "file" ||
    (pathState.kind === "unreachable" && pathState.was === "file");
}

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
