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

/** The directory that a path is in; `undefined` if there is none. Never rejects. */
export async function directoryAbove(
  path: string,
  files: Pick<ManifestFiles, "look">,
): Promise<Extract<FileLook, { kind: "directory" }> | undefined> {
  const look = await lookAtManifest(dirname(path), files);
  return look.kind === "directory" ? look : undefined;
}

/**
 * Reads what is at a path, and says which directory that is in: the one that was there
 * before and after. `undefined` if there is none, or it was exchanged meanwhile.
 */
export async function readWithDirectory<T>(
  path: string,
  { files, read }: {
    readonly files: Pick<ManifestFiles, "look">;
    readonly read: () => Promise<T>;
  },
): Promise<
  readonly [T, Extract<FileLook, { kind: "directory" }> | undefined]
> {
  const before = await directoryAbove(path, files);
  const found = await read();
  const after = await directoryAbove(path, files);
  const isSame = after?.inode === before?.inode &&
    after?.device === before?.device;
  return [found, isSame ? after : undefined];
}
