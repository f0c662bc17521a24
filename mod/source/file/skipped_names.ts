/**
 * The names in a directory that are not taken for a manifest's.
 *
 * @module
 */

import type { Logger } from "../../base/telemetry/mod.ts";

/** Logs them, so that it can be found out why a file is not read. */
export class SkippedNames {
  readonly #log: Logger;
  #known: ReadonlySet<string> = new Set();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Names each once; hidden ones are passed over. */
  log(names: readonly string[]): void {
    const skipped = names.filter((name) => !name.startsWith("."))
      .slice(0, MAX_SKIPPED);
    for (const name of skipped) {
      if (this.#known.has(name)) continue;
      this.#log.debug("manifest_name_skipped", { name });
    }
    this.#known = new Set(skipped);
  }
}

// There may be a hundred thousand skipped files; only the first are named.
const MAX_SKIPPED = 100;
