/**
 * Feeds every source of events into one inbox and handles them one at a time.
 *
 * @module
 */

import { Inbox, TaskGroup } from "../base/mod.ts";
import type { SyncEvent } from "./sync_event.ts";

/** As upstream's channel of pod lifecycle events; a full inbox makes its feeders wait. */
const INBOX_CAPACITY = 1000;

/** What the loop does with each kind of event. Handlers mark work and return at once. */
export interface SyncHandler {
  handle(event: SyncEvent): void;
}

/** One source of events; it has to end when `signal` aborts. */
export type SyncFeed = (signal: AbortSignal) => AsyncIterable<SyncEvent>;

/**
 * Runs until `signal` aborts.
 *
 * @param feeds given a signal of the loop's own, which aborts as well when the loop
 * fails: it waits for all of them, and one that has nothing to tell would never end
 * @throws what a source or the handler threw: the loop never goes on without one of its feeders
 */
export async function runSyncLoop(
  feeds: readonly SyncFeed[],
  handler: SyncHandler,
  signal: AbortSignal,
): Promise<void> {
  using inbox = new Inbox<SyncEvent>(INBOX_CAPACITY);
  await using pumps = new TaskGroup(signal);
  const close = (): void => inbox[Symbol.dispose]();
  pumps.signal.addEventListener("abort", close, { once: true });
  // An already aborted signal fires no event, so check it.
  if (pumps.signal.aborted) close();
  for (const feed of feeds) {
    pumps.start(async (scope) => {
      for await (const event of feed(scope)) {
        if (!await inbox.put(event)) return;
      }
    });
  }
  for await (const event of inbox) handler.handle(event);
  if (pumps.failure !== undefined) throw pumps.failure;
}
