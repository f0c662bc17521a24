/**
 * Feeds every source of events into one inbox and handles them one at a time.
 *
 * @module
 */

import { type Clock, Inbox, TaskGroup } from "../base/mod.ts";
import type { PodLifecycleEvent } from "../picture/mod.ts";
import type { ProbeChange } from "../prober/mod.ts";
import type { SourceSet } from "../source/merge/mod.ts";

/**
 * One reason to look at a pod or at all of them.
 *
 * An event says look again, never what is true: the handler reads the latest
 * state, so that a lost or doubled event harms nothing.
 */
export type SyncEvent =
  | { readonly kind: "source_delivered"; readonly set: SourceSet }
  | { readonly kind: "container_moved"; readonly uid: string }
  | { readonly kind: "pull_ended"; readonly uid: string }
  | { readonly kind: "probe_changed"; readonly change: ProbeChange }
  | { readonly kind: "runtime_returned" }
  | { readonly kind: "housekeeping_due" };

/** One source of events; it has to end when `signal` aborts. */
export type SyncFeed = (signal: AbortSignal) => AsyncIterable<SyncEvent>;

/** As upstream's channel of pod lifecycle events; a full inbox makes its feeders wait. */
const INBOX_CAPACITY = 1000;

/** Upstream's housekeeping period. */
const HOUSEKEEPING_PERIOD_MS = 2_000;

/** What runs together. Each is given a signal that aborts as well when another fails. */
export interface SyncLoop {
  readonly feeds: readonly SyncFeed[];
  /** What works in the background as long as the loop runs. */
  readonly parts: readonly { run(signal: AbortSignal): Promise<void> }[];
  /** Marks work and returns at once. */
  readonly handle: (event: SyncEvent) => void;
}

/**
 * Runs until `signal` aborts, and until all feeds and parts have ended then.
 *
 * @throws what a feed, a part or `handle` threw: the loop never goes on without one of them
 */
export async function runSyncLoop(
  { feeds, parts, handle }: SyncLoop,
  signal: AbortSignal,
): Promise<void> {
  using inbox = new Inbox<SyncEvent>(INBOX_CAPACITY);
  await using tasks = new TaskGroup(signal);
  const close = (): void => inbox[Symbol.dispose]();
  tasks.signal.addEventListener("abort", close, { once: true });
  // An already aborted signal fires no event, so check it.
  if (tasks.signal.aborted) close();
  for (const part of parts) tasks.start((scope) => part.run(scope));
  for (const feed of feeds) {
    tasks.start(async (scope) => {
      for await (const event of feed(scope)) {
        if (!await inbox.put(event)) return;
      }
    });
  }
  for await (const event of inbox) handle(event);
  if (tasks.failure !== undefined) throw tasks.failure;
}

/** What items mean to the loop; `undefined` for one that it does not need. */
export async function* eventsOf<T>(
  items: AsyncIterable<T>,
  eventOf: (item: T) => SyncEvent | undefined,
): AsyncIterable<SyncEvent> {
  for await (const item of items) {
    const event = eventOf(item);
    if (event !== undefined) yield event;
  }
}

/**
 * What moves in the runtime, but for removals of dead containers (upstream:
 * isSyncPodWorthy). The agent itself removes what it could not start, so a sync for each
 * removal would try again at once, and again.
 */
export function runtimeEvent(event: PodLifecycleEvent): SyncEvent | undefined {
  switch (event.kind) {
    case "container_removed":
      return undefined;
    case "runtime_returned":
      return { kind: "runtime_returned" };
    default:
      return { kind: "container_moved", uid: event.podUid };
  }
}

/**
 * The ticks of housekeeping.
 *
 * @throws {unknown} The reason of `signal` when it aborts.
 */
export async function* housekeepingEvents(
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<SyncEvent> {
  for (;;) {
    await clock.sleep(HOUSEKEEPING_PERIOD_MS, signal);
    yield { kind: "housekeeping_due" };
  }
}
