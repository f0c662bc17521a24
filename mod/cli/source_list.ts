/**
 * What an agent answers about its sources.
 *
 * @module
 */

import type { SourceState } from "../server/mod.ts";

/** All sources of an agent. */
export interface SourceList {
  readonly items: readonly SourceState[];
}

/** Whether an answer is a list of sources; of what is in it an agent of the same version is trusted. */
export function isSourceList(body: unknown): body is SourceList {
  return typeof body === "object" && body !== null && "items" in body &&
    Array.isArray(body.items);
}
