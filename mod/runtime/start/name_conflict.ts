/**
 * When a runtime says that a name is taken: a reply was lost, or something stale
 * was left behind.
 *
 * @module
 */

import { CriError } from "../../cri/model/mod.ts";

/**
 * The id of what holds the name of a sandbox or container to be created; empty when
 * the runtime does not say, `undefined` when the failure is another one.
 *
 * containerd answers `name "x" is reserved for "<id>"` without a status of its own,
 * CRI-O `the container name "x" is already in use by <id>`. Pure.
 */
export function nameHolder(error: unknown): string | undefined {
  if (!(error instanceof CriError)) return undefined;
  const match = /is (?:reserved for|already in use by) "?([0-9a-f]{12,64})\b/
    .exec(error.detail);
  if (match?.[1] !== undefined) return match[1];
  return error.kind === "already_exists" ? "" : undefined;
}
