/**
 * What the path of the manifests is.
 *
 * @module
 */

import { dirname } from "node:path";
import { describeError } from "../../base/text/mod.ts";
import type { FileLook } from "../../host/files/mod.ts";
import type { ManifestFiles } from "../mod.ts";
import type { DirectoryLook } from "./manifest_directory.ts";
import { describeNotRegular } from "./manifest_reader.ts";

/**
 * What the path is, or was before it could not be read.
 *
 * ```text
 * unknown ──▶ absent ──▶ directory ◀──▶ file
 *    └──────────────────────▶┴───────────▶┘
 * ```
 * `absent` holds no pods. While there is a message, the pods of before are held, or those
 * of an agent before; if neither is known, the path stays unknown.
 */
export interface PathState {
  readonly kind: "unknown" | "absent" | "directory" | "file";
  /** Why it cannot be read at present. */
  readonly message?: string;
}

/** What there is at the path of a manifest. */
export type ManifestLook =
  | Extract<FileLook, { kind: "file" | "directory" | "missing" }>
  | { readonly kind: "refused"; readonly reason: string };

/** Says what there is at the path of a manifest, and why that is not read. Never rejects. */
export async function lookAtManifest(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<ManifestLook> {
  try {
    const look = await files.look(path);
    switch (look.kind) {
      case "dangling": {
        const reason = "Cannot be read: it is a link to nothing, wanted a file";
        return { kind: "refused", reason };
      }
      case "special":
        return { kind: "refused", reason: describeNotRegular(look.what) };
      default:
        return look;
    }
  } catch (error) {
    return { kind: "refused", reason: describeError(error) };
  }
}

/** The directory in which something was read. */
export interface SeenDirectory {
  /** `undefined` if it was not the same all the while, or cannot be looked at. */
  readonly directory: DirectoryLook | undefined;
  /** Whether another took its place meanwhile. */
  readonly isExchanged: boolean;
}

/** Reads something in a directory, and says which directory it was. */
export async function readWithin<T>(
  path: string,
  options: {
    readonly files: Pick<ManifestFiles, "look">;
    readonly read: () => Promise<T>;
  },
): Promise<{ readonly result: T } & SeenDirectory> {
  const { files, read } = options;
  const before = await directoryAt(path, files);
  const result = await read();
  const after = await directoryAt(path, files);
  const isExchanged = before?.inode !== after?.inode ||
    before?.device !== after?.device;
  return { result, directory: isExchanged ? undefined : before, isExchanged };
}

/** Looks at the path of a manifest, and says in which directory it is. Never rejects. */
export async function lookWithin(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<{ readonly result: ManifestLook } & SeenDirectory> {
  const read = () => lookAtManifest(path, files);
  return await readWithin(dirname(path), { files, read });
}

/**
 * The directory that a path is missing from; `undefined` if there is none, or the path is
 * there. Never rejects.
 */
export async function directoryWithout(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<DirectoryLook | undefined> {
  const { result, directory } = await lookWithin(path, files);
  return result.kind === "missing" ? directory : undefined;
}

/** Whether any of the paths is something else than a directory. Never rejects. */
export async function holdsFile(
  paths: readonly string[],
  files: Pick<ManifestFiles, "look">,
): Promise<boolean> {
  for (const path of paths) {
    if ((await lookAtManifest(path, files)).kind !== "directory") return true;
  }
  return false;
}

/** The directory that a path is; `undefined` if it is none. Never rejects. */
export async function directoryAt(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<DirectoryLook | undefined> {
  const look = await lookAtManifest(path, files);
  return look.kind === "directory" ? look : undefined;
}

// Of how many manifests at a time: enough to keep a disk busy; each read is bounded.
export const READERS = 16;
