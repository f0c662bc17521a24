/**
 * Waiting for what a test's fakes cannot hurry: a socket, the kernel, another thread.
 *
 * @module
 */

import { waitUntil } from "../../scripts/lib/wait_until.ts";

/** How often is looked: what is waited for comes within a few milliseconds. */
const EVERY_MS = 2;

/**
 * Looks until it holds. The limit only ends a test that would hang; no test counts on it.
 *
 * @param saw what there was instead, for the message of the failure
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what?: string,
  saw?: () => unknown,
): Promise<void> {
  const options = { everyMs: EVERY_MS, ...saw && { saw } };
  await waitUntil(what ?? "what the test waits for", holds, options);
}
