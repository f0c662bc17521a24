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

/**
 * Runs until `signal` aborts.
 *
 * @throws what a source or the handler threw: the loop never goes on without one of its feeders
 */
export async function runSyncLoop(
  sources: readonly AsyncIterable<SyncEvent>[],
  handler: SyncHandler,
  signal: AbortSignal,
): Promise<void> {
  using inbox = new Inbox<SyncEvent>(INBOX_CAPACITY);
  await using pumps = new TaskGroup(signal);
  const close = (): void => inbox[Symbol.dispose]();
  pumps.signal.addEventListener("abort", close, { once: true });
  // Who was told to stop before it began hears of no abort any more.
  if (pumps.signal.aborted) close();
  for (const source of sources) {
    pumps.start(async () => {
      for await (const event of source) {
        if (!await inbox.put(event)) return;
      }
    });
  }
  for await (const event of inbox) handler.handle(event);
  if (pumps.failure !== undefined) throw pumps.failure;
}
