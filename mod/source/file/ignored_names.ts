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

  /** Takes all names that are there at present; hidden ones are passed over. */
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

// Of a hundred thousand files the first are named.
const MAX_SKIPPED = 100;
