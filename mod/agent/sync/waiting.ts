/**
 * Why containers have not started.
 *
 * @module
 */

import type { SyncOutcome } from "../../runtime/account/mod.ts";

/** Why a container waits, as its last attempt to start said. */
export type Waiting = ReadonlyMap<
  string,
  { readonly reason: string; readonly message: string }
>;

/** Where nothing was tried, or all went well. */
export const NOTHING_WAITS: Waiting = new Map();

/** What the containers wait for that an attempt could not start. */
export function waitingAfter(outcome: SyncOutcome): Waiting {
  return new Map(
    outcome.failures.flatMap(({ container, reason, message }) =>
      container === undefined ? [] : [[container, { reason, message }] as const]
    ),
  );
}
