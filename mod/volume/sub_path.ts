/**
 * Paths below a volume that containers mount instead of all of it.
 *
 * @module
 */

import {
  fileErrorKind,
  isSameFile,
  modeOf,
  partsOf,
  pathBelow,
  walkBelow,
  type Walked,
} from "../host/paths/mod.ts";

/** A path below a volume and the file that it led to when it was checked. */
export interface PinnedSubPath {
  /** The volume itself, without links. */
  readonly volumeRoot: string;
  /** Absolute, without a link below the volume. */
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** When the file was made, where the file system knows; a new one may get an old inode. */
  readonly bornAtMs?: number;
}

/** What a `subPath` means, or what was found (to stand behind a colon). */
export type SubPathResult =
  | { readonly kind: "ok"; readonly pinned: PinnedSubPath }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Finds what a `subPath` leads to without leaving the volume, as the runtime asks.
 *
 * Nothing is opened, so that a FIFO or a socket may be the end of the path. Without
 * mount(2) the file cannot be held: between this answer and the runtime's mount a
 * container that has the volume may still exchange a directory for a link. The
 * caller that mounts the path asks {@linkcode SubPathResolver.isUnchanged} afterwards and
 * ends the container if it is not; one that has exchanged it twice in that time stays
 * unseen. (Watching it with Deno.watchFs would show that, but a container that floods a
 * watched directory with events can hold up the next call of it, and with it the
 * whole agent, for as long as it likes: Deno 2.9.6.)
 *
 * Upstream: pkg/volume/util/subpath (CVE-2017-1002101, CVE-2021-25741).
 */
export class SubPathResolver {
  /**
   * Finds the path below the volume, and makes the directories that are missing
   * with the mode of the volume unless it is `readOnly`.
   *
   * @param options.volumeRoot Absolute; it is the node's and may be a link itself.
   * @param options.readOnly True when nothing may be made in the volume.
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async resolve(options: {
    readonly podUid: string;
    readonly volumeRoot: string;
    readonly subPath: string;
    readonly readOnly: boolean;
    readonly signal?: AbortSignal | undefined;
  }): Promise<SubPathResult> {
    const { subPath, signal } = options;
    if (subPath.startsWith("/") || subPath.split("/").includes("..")) {
      return notWithin(subPath, 'wanted a relative one without ".."');
    }
    try {
      const root = await Deno.realPath(options.volumeRoot);
      const info = await Deno.lstat(root);
      const createMode = options.readOnly ? undefined : modeOf(info);
      const walked = await walkBelow(root, partsOf(subPath), {
        links: "inside",
        createMode,
        signal,
      });
      return answer(walked, { root, subPath });
    } catch (error) {
      signal?.throwIfAborted();
      return cannotLook(error, options);
    }
  }

  /** Walks the path anew and says whether it leads to the same file still. */
  async isUnchanged(
    pinned: PinnedSubPath,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    const { volumeRoot, path, device: dev, inode: ino, bornAtMs } = pinned;
    const parts = pathBelow(volumeRoot, path);
    if (parts === undefined) return false;
    try {
      const walked = await walkBelow(volumeRoot, parts, {
        links: "none",
        ...options,
      });
      if (walked.kind === "refused") return false;
      return isSameFile(walked.info, { ...walked.info, dev, ino }) &&
        walked.info.birthtime?.getTime() === bornAtMs;
    } catch (error) {
      options.signal?.throwIfAborted();
      // The volume is gone, so its file is as well.
      if (fileErrorKind(error) === "missing") return false;
      throw error;
    }
  }
}

function answer(
  walked: Walked,
  about: { readonly root: string; readonly subPath: string },
): SubPathResult {
  const { root, subPath } = about;
  if (walked.kind === "refused") {
    if (walked.reason === "escape") return notWithin(subPath, walked.found);
    return refuse(subPath, `cannot be mounted: ${walked.found}`);
  }
  const { path, info: { dev: device, ino: inode, birthtime } } = walked;
  // Every file system of Linux numbers its files.
  if (inode === null) return notWithin(subPath, "it has no inode");
  const born = birthtime === null ? {} : { bornAtMs: birthtime.getTime() };
  const pinned = { volumeRoot: root, path, device, inode, ...born };
  return { kind: "ok", pinned };
}

function notWithin(subPath: string, found: string): SubPathResult {
  return refuse(subPath, `is not within the volume: ${found}`);
}

function refuse(subPath: string, why: string): SubPathResult {
  return { kind: "refused", message: `subPath "${subPath}" ${why}` };
}

function cannotLook(
  error: unknown,
  options: { readonly volumeRoot: string; readonly subPath: string },
): SubPathResult {
  const { volumeRoot: root, subPath } = options;
  switch (fileErrorKind(error)) {
    case "denied":
      return refuse(
        subPath,
        `cannot be checked: "${root}" is below no directory given by --host-path-roots`,
      );
    case "missing":
      return refuse(
        subPath,
        `cannot be checked: the volume "${root}" is not there`,
      );
    default:
      throw error;
  }
}
