/**
 * Which directory the manifests are in.
 *
 * @module
 */

import type { FileLook } from "../../host/files/mod.ts";
import { type Clock, nextDelay } from "../../base/mod.ts";
import type { DirectoryNote, LastGoodStore } from "../mod.ts";
import type { QuietPeriods } from "./file_hints.ts";
import { PATIENCE_MS, RECALL } from "./manifest_table.ts";

/** A directory as it is seen. */
export type DirectoryLook = Extract<FileLook, { kind: "directory" }>;

interface ManifestDirectoryOptions {
  readonly path: string;
  readonly quiet: Pick<QuietPeriods, "settleMs">;
}

interface ManifestDirectoryDeps {
  readonly clock: Clock;
  readonly lastGood: Pick<LastGoodStore, "loadDirectory" | "saveDirectory">;
}

/**
 * Distinguishes a directory whose manifests were removed from a directory that only has
 * the same path, since the file system of the manifests is not mounted (any more).
 *
 * While the agent runs, a directory is another if its device or its inode is. The
 * next agent compares the inode only: devices are numbered anew at each boot, and
 * some file systems have a new number at each mount, while the inodes of a mount
 * point and of what is mounted there practically always differ. File systems that
 * number inodes anew as well (FAT below its root) look like another directory after
 * each mount, which matters only if the directory is empty then.
 *
 * Only emptiness is doubted, which directories in it do not change: another directory with
 * manifests in place of the first, by renaming, a link or a mount, is taken as wanted.
 */
export class ManifestDirectory {
  readonly #options: ManifestDirectoryOptions;
  readonly #deps: ManifestDirectoryDeps;
  #current: DirectoryLook | undefined;
  /** Since when another took the place of each that was listed; how long the last wait was. */
  #unsteady: { readonly sinceMs: number; readonly waitMs: number } | undefined;
  /** Since when it is waited for an editor that may be at work. */
  #editedMs: number | undefined;
  /** What the next agent will read, once this one has said so: the rest is swept away. */
  #kept: DirectoryNote | undefined;

  /** Touches nothing until asked to. */
  constructor(options: ManifestDirectoryOptions, deps: ManifestDirectoryDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Whether this is the directory that the manifests were in at the last full look. */
  isCurrent(look: DirectoryLook | undefined): boolean {
    return look !== undefined && look.inode === this.#current?.inode &&
      look.device === this.#current.device;
  }

  /**
   * When to list it again if another took its place meanwhile, and why it cannot be listed
   * if that goes on; `undefined` if it was the same all the while.
   */
  waitToBeSteady(
    { isExchanged }: { readonly isExchanged: boolean },
  ): { readonly dueMs: number; readonly message?: string } | undefined {
    if (!isExchanged) {
      this.#unsteady = undefined;
      return undefined;
    }
    const nowMs = this.#deps.clock.monotonic();
    const { sinceMs, waitMs: before } = this.#unsteady ??
      { sinceMs: nowMs, waitMs: 0 };
    const isOver = nowMs - sinceMs >= PATIENCE_MS;
    const waitMs = isOver ? nextDelay(before, RECALL) : 0;
    this.#unsteady = { sinceMs, waitMs };
    const message = isOver && describeAway(this.#options.path, "unsteady");
    return { dueMs: nowMs + waitMs, ...message && { message } };
  }

  /**
   * Whether an editor may be at work: it moves a manifest aside and writes it anew, and
   * nobody knows what was there when the agent starts in between. Not any more if something
   * comes or goes all the time.
   */
  isBeingEdited(look: DirectoryLook | undefined): boolean {
    const { clock } = this.#deps;
    const { settleMs } = this.#options.quiet;
    const nowMs = clock.monotonic();
    const ageMs = clock.now() - (look?.modifiedMs ?? -Infinity);
    const isYoung = ageMs >= 0 && ageMs < settleMs;
    this.#editedMs ??= nowMs;
    const isOver = nowMs - this.#editedMs >= settleMs * 10;
    if (isOver || isYoung) return !isOver;
    // A full look takes time, and what came or went meanwhile was not listed.
    const listed = this.isCurrent(look) ? this.#current : look;
    return listed?.modifiedMs !== look?.modifiedMs;
  }

  /**
   * Says why it is not believed that manifests were removed, if there were any, from what
   * has none now; `undefined` if they were. Never rejects.
   *
   * @param look `undefined` if there is no directory, or not the same all the while
   */
  async doubtEmpty(
    look: DirectoryLook | undefined,
    how: "gone" | "empty",
  ): Promise<string | undefined> {
    if (this.isCurrent(look)) return undefined;
    if (this.#current === undefined) {
      const kept = await this.#deps.lastGood.loadDirectory(this.#options.path);
      if (kept.kind === "unknown") return kept.reason;
      const inode = kept.kind === "present" ? kept.content.inode : undefined;
      if (look !== undefined && look.inode === inode) return undefined;
    }
    return describeAway(this.#options.path, how);
  }

  /**
   * Whether this is the directory in which an agent before had a single manifest. Never
   * rejects.
   */
  async wasBelow(above: DirectoryLook | undefined): Promise<boolean> {
    const kept = await this.#deps.lastGood.loadDirectory(this.#options.path);
    return kept.kind === "present" && kept.content.isAbove === true &&
      kept.content.inode === above?.inode;
  }

  /**
   * From now on the manifests are here.
   *
   * @returns Whether they were elsewhere at the last full look.
   */
  settle(
    look: DirectoryLook,
    options: { readonly isAbove?: true } = {},
  ): boolean {
    const isOther = this.#current !== undefined && !this.isCurrent(look);
    this.#current = look;
    const { inode } = look;
    const kept = this.#kept;
    if (kept?.inode !== inode || kept.isAbove !== options.isAbove) {
      this.#kept = { inode, ...options };
      this.#deps.lastGood.saveDirectory(this.#options.path, this.#kept);
    }
    return isOther;
  }
}

/** Says why the manifests at a path cannot be listed. */
export function describeAway(
  path: string,
  how: "gone" | "empty" | "unsteady" | "without_directory" | "elsewhere",
): string {
  switch (how) {
    case "gone":
      return `Cannot read "${path}": it does not exist any more`;
    case "empty":
      return `Cannot read the manifests in "${path}": it is empty and another directory than before, as without a mount; an empty PodList there removes all pods`;
    case "unsteady":
      return `Cannot read the manifests in "${path}": it is another directory at each look, wanted the same for a moment`;
    case "without_directory":
      return `Cannot read "${path}": its directory is gone, or may not be looked at`;
    case "elsewhere":
      return `Cannot read "${path}": it does not exist, and its directory is another than before, as without a mount; an empty PodList there removes all pods`;
  }
}
