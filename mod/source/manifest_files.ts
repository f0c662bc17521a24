/**
 * The file system of this machine, as the file source sees it.
 *
 * @module
 */

import type { Clock, Logger } from "../base/mod.ts";
import {
  FileError,
  lookAtFile,
  readFileBounded,
  watchPath,
} from "../host/mod.ts";
import type { ManifestFiles } from "./ports.ts";

/** What {@linkcode createManifestFiles} needs. */
export interface ManifestFilesDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Opens the way to this machine's files.
 *
 * What does not answer in time (a hung network or FUSE mount) is treated as
 * unreadable, and is not asked again before it has answered, so that no more than
 * one thread waits for each path.
 */
export function createManifestFiles(deps: ManifestFilesDeps): ManifestFiles {
  const limit = new TimeLimit(deps.clock);
  return {
    look: (path) => limit.run(path, () => lookAtFile(path)),
    list: (path) => limit.run(path, () => listNames(path)),
    read: (path, maxBytes) =>
      limit.run(path, () => readFileBounded(path, maxBytes)),
    watch: (path, signal) => watchPath(path, signal, deps),
  };
}

// A healthy disk answers in milliseconds, and shutting down must not wait longer
// for a sick one.
const LIMIT_MS = 3000;

class TimeLimit {
  readonly #clock: Clock;
  readonly #hung = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (this.#hung.has(path)) {
      throw new FileError("use", path, { cause: stillWaiting() });
    }
    const { promise, reject } = Promise.withResolvers<never>();
    const working = work();
    using _timer = this.#clock.after(LIMIT_MS, () => {
      this.#hung.add(path);
      const answered = (): void => {
        this.#hung.delete(path);
      };
      working.then(answered, answered);
      reject(new FileError("use", path, { cause: stillWaiting() }));
    });
    return await Promise.race([working, promise]);
  }
}

function stillWaiting(): Error {
  return new Error(`The file system does not answer within ${LIMIT_MS} ms`);
}

async function listNames(path: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(path)) names.push(entry.name);
  } catch (error) {
    throw new FileError("list", path, { cause: error });
  }
  return names;
}
