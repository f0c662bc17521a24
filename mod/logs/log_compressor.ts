/**
 * Compressing rotated files in the background.
 *
 * @module
 */

import { basename, dirname } from "node:path";
import { Bell } from "../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { fileErrorKind } from "../host/paths/mod.ts";
import type { LogFiles } from "./log_files.ts";
import { compressedName, draftName } from "./log_names.ts";

/**
 * Compresses one file after the other; a failure costs no more than the room of a plain file.
 *
 * A file is removed when its compressed copy is on the disk under its own name, so a crash
 * between any two steps leaves at least one of them whole.
 */
export class LogCompressor {
  readonly #files: LogFiles;
  readonly #log: Logger;
  readonly #failures: Counter;
  readonly #waiting = new Set<string>();
  readonly #bell = new Bell();
  #current:
    | {
      readonly path: string;
      readonly cancel: AbortController;
      readonly ended: Promise<void>;
    }
    | undefined;
  /** Whether the last try failed: a full disk is reported once. */
  #isFailing = false;

  constructor(
    deps: {
      readonly files: LogFiles;
      readonly log: Logger;
      readonly metrics: MetricsRegistry;
    },
  ) {
    this.#files = deps.files;
    this.#log = deps.log;
    this.#failures = deps.metrics.counter(
      "skerry_log_compression_failures_total",
      "Rotated logs that could not be compressed and stay as they are",
    );
  }

  /** Has a file compressed, when its turn comes. */
  add(path: string): void {
    if (this.#current?.path === path) return;
    this.#waiting.add(path);
    this.#bell.ring();
  }

  /**
   * Resolves when nothing is done with files whose paths begin so, nor will be. Only then does
   * a list of their directory say which of two copies is the whole one.
   */
  async release(prefix: string): Promise<void> {
    for (const path of this.#waiting) {
      if (path.startsWith(prefix)) this.#waiting.delete(path);
    }
    const current = this.#current;
    if (current?.path.startsWith(prefix) !== true) return;
    current.cancel.abort();
    await current.ended;
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      // Made before looking, so that a file added meanwhile is not overlooked.
      const woken = this.#bell.wait(signal);
      for (const path of this.#waiting) {
        this.#waiting.delete(path);
        await this.#work(path, signal);
        signal.throwIfAborted();
      }
      await woken;
      signal.throwIfAborted();
    }
  }

  async #work(path: string, signal: AbortSignal): Promise<void> {
    const cancel = new AbortController();
    const follow = (): void => cancel.abort(signal.reason);
    signal.addEventListener("abort", follow);
    const ended = this.#compress(path, cancel.signal);
    this.#current = { path, cancel, ended };
    await ended;
    this.#current = undefined;
    signal.removeEventListener("abort", follow);
  }

  /** Never rejects. */
  async #compress(path: string, signal: AbortSignal): Promise<void> {
    const files = this.#files;
    const draft = draftName(path);
    try {
      await files.remove(draft);
      await files.compress(path, draft, signal);
      signal.throwIfAborted();
      // Its container was removed meanwhile, with all of its logs.
      const names = await files.list(dirname(path));
      if (!names.includes(basename(path))) return await files.remove(draft);
      await files.rename(draft, compressedName(path));
      // The plain file must not be gone before the other has its name for good.
      await files.syncDirectory(dirname(path));
      await files.remove(path);
      this.#isFailing = false;
    } catch (error) {
      await files.remove(draft).catch(() => {
        // The next rotation finds it.
      });
      // Its pod is gone, and its logs with it.
      const isGone = fileErrorKind(error) === "missing";
      if (!signal.aborted && !isGone) this.#report(path, error);
    }
  }

  #report(path: string, error: unknown): void {
    this.#failures.inc();
    const level = this.#isFailing ? "debug" : "warn";
    this.#isFailing = true;
    this.#log[level]("log_not_compressed", { path, error });
  }
}
