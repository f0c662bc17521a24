/**
 * What wakes the sync loop, feeder by feeder.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { PodLifecycleEvent } from "../picture/mod.ts";
import type { ProbeChange } from "../prober/mod.ts";
import type { SourceSet } from "../source/merge/mod.ts";
import type { SyncEvent } from "./sync_event.ts";

/** Upstream's housekeeping period. */
const HOUSEKEEPING_PERIOD_MS = 2_000;

/** What a source says. */
export async function* sourceEvents(
  sets: AsyncIterable<SourceSet>,
): AsyncIterable<SyncEvent> {
  for await (const set of sets) yield { kind: "source_delivered", set };
}

/**
 * What moves in the runtime, but for removals of dead containers (upstream:
 * isSyncPodWorthy). The agent itself removes what it could not start, so a sync for each
 * removal would try again at once, and again.
 */
export async function* runtimeEvents(
  events: AsyncIterable<PodLifecycleEvent>,
): AsyncIterable<SyncEvent> {
  for await (const event of events) {
    if (event.kind === "container_removed") continue;
    yield event.kind === "runtime_returned"
      ? { kind: "runtime_returned" }
      : { kind: "container_moved", uid: event.podUid };
  }
}

/** Which pods may go on, since a pull of theirs has ended. */
export async function* pullEvents(
  uids: AsyncIterable<string>,
): AsyncIterable<SyncEvent> {
  for await (const uid of uids) yield { kind: "pull_ended", uid };
}

/** What containers answer. */
export async function* probeEvents(
  changes: AsyncIterable<ProbeChange>,
): AsyncIterable<SyncEvent> {
  for await (const change of changes) yield { kind: "probe_changed", change };
}

/** The ticks of housekeeping; ends when `signal` aborts. */
export async function* housekeepingEvents(
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<SyncEvent> {
  while (!signal.aborted) {
    try {
      await clock.sleep(HOUSEKEEPING_PERIOD_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    yield { kind: "housekeeping_due" };
  }
}
