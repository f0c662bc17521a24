/**
 * Calls that take a thing away.
 *
 * @module
 */

import { CriError } from "../model/mod.ts";

/**
 * Waits for a call that takes a thing away; that it is gone is no failure.
 *
 * The CRI wants these calls to succeed then, yet not every runtime does so.
 *
 * @throws {unknown} Whatever else the call rejects with.
 */
export async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CriError && error.kind === "not_found")) throw error;
  }
}
