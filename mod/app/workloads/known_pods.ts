/**
 * When it is known how the pods are that an earlier agent has left.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { type BackoffOptions, type Clock, nextDelay } from "../../base/mod.ts";
import type { StatusManager } from "../../status/mod.ts";

/** What is asked. */
export interface KnownPodsDeps {
  readonly clock: Clock;
  /** The pods of the node's store. */
  readonly pods: () => readonly Pod[];
  readonly statuses: Pick<StatusManager, "stored">;
  /** Whether the runtime was asked what runs. */
  readonly isListed: () => boolean;
  /** Whether the store has every status that there is. */
  readonly isWritten: () => boolean;
}

/** Between two looks: it is mostly over soon, and the runtime may be away for hours. */
const LOOKS: BackoffOptions = { baseMs: 50, maxMs: 1000 };

/** One pod that hangs must not hold up all controllers, once the runtime has answered. */
const MOST_MS = 30_000;

/**
 * Waits until this agent has looked at every pod of the store. What an earlier one wrote of
 * them lacks what is ready: a controller that acted on that would take pods for broken that
 * run well, and would end them in the middle of an update.
 *
 * @throws {unknown} The reason of `signal` when it aborts first.
 */
export async function knownPods(
  deps: KnownPodsDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock, isListed } = deps;
  let listedMs: number | undefined;
  let delayMs: number | undefined;
  while (!areKnown(deps)) {
    const nowMs = clock.monotonic();
    if (isListed()) listedMs ??= nowMs;
    if (listedMs !== undefined && nowMs - listedMs >= MOST_MS) return;
    delayMs = nextDelay(delayMs, LOOKS);
    await clock.sleep(delayMs, signal);
  }
}

function areKnown({ pods, statuses, isWritten }: KnownPodsDeps): boolean {
  const isEach = pods().every(({ metadata }) =>
    metadata.deletionTimestamp !== undefined ||
    statuses.stored(metadata.uid) !== undefined
  );
  return isEach && isWritten();
}
