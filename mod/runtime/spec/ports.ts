/**
 * What this room needs from outside: the disk.
 *
 * @module
 */

import type { DiskFiles } from "../../host/files/mod.ts";

/** What the runtime room does to the disk; files that are not there are no error. */
export type RuntimeFiles = Omit<DiskFiles, "replace">;

/**
 * A path below a volume as it was when it was checked: what it led to, not only
 * how it is written.
 */
export interface PinnedPath {
  /** Where the volume lies: from here on every part of the path is looked at anew. */
  readonly volumeRoot: string;
  /** Absolute, without a link in any part below the volume. */
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  /** When the file was made, where that is known; a new one may get an old inode. */
  readonly bornAtMs?: number;
}

/** Finds what a `subPath` means, without ever leaving its volume. */
export interface SubPaths {
  /**
   * Finds the path below the volume, part by part and following no link that leads
   * out of it, and makes directories for what is missing.
   *
   * @param options.subPath Relative, without `..`; all that was to be expanded is.
   * @param options.readOnly True when nothing may be made in the volume, whose
   * content is another's; the mount's own `readOnly` does not matter here.
   * @returns `refused` with what was found, to stand behind a colon
   */
  resolve(options: {
    readonly podUid: string;
    /** Absolute path of the volume's content. */
    readonly volumeRoot: string;
    readonly subPath: string;
    readonly readOnly: boolean;
    /** Ends the wait. */
    readonly signal?: AbortSignal;
  }): Promise<
    | { readonly kind: "ok"; readonly pinned: PinnedPath }
    | { readonly kind: "refused"; readonly message: string }
  >;
  /** Walks the path anew and says whether it still leads to the same file. */
  isUnchanged(
    pinned: PinnedPath,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<boolean>;
}
