/**
 * Files beside the manifests that are none.
 *
 * @module
 */

import type { Logger } from "../../base/telemetry/mod.ts";

/** Tells once of each name that is not taken for a manifest's. */
export class IgnoredNames {
  readonly #log: Logger;
  #told: ReadonlySet<string> = new Set();

  constructor(deps: { readonly log: Logger }) {
    this.#log = deps.log;
  }

  /** Takes all that are there at present; hidden ones are nobody's mistake. */
  log(names: readonly string[]): void {
    const skipped = names.filter((name) => !name.startsWith("."))
      .slice(0, MAX_SKIPPED);
    for (const name of skipped) {
      if (this.#told.has(name)) continue;
      this.#log.debug("manifest_name_skipped", { name });
    }
    this.#told = new Set(skipped);
  }
}

// Whoever throws a hundred thousand files in there gets the first of them named.
const MAX_SKIPPED = 100;
