/**
 * Dead containers and sandboxes of pods that live on, looked for apart from their syncs.
 *
 * @module
 */

import type { EventSink, PodRef } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { GarbageCollector, GarbageFailure } from "../../collect/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import {
  type DeadKept,
  fairShare,
  NEWEST_ONLY,
} from "../../runtime/end/mod.ts";
import type { PodRemains } from "./pod_remains.ts";

/** Upstream's ContainerGCPeriod. */
const PERIOD_MS = 60_000;

/** How many dead containers are kept, and how long they are kept at least. */
export interface DeadContainerOptions {
  /** Since they were made. */
  readonly minimumAgeMs: number;
  /** Of one container of a pod; the newest always stays. Negative for any number. */
  readonly perContainer: number;
  /** Of all pods together; the newest of each container always stays. Negative for any number. */
  readonly total: number;
}

interface DeadContainersDeps {
  readonly clock: Clock;
  readonly remains: Pick<PodRemains, "prune" | "ofThisLife" | "isGone">;
  /** The agent's own pods as they were last seen. */
  readonly pods: () => Iterable<ObservedPod>;
  readonly collector: Pick<GarbageCollector, "failures">;
  readonly events: EventSink;
  /** The node, about which events are. */
  readonly node: PodRef;
}

/**
 * Hands over what pods keep too many of, once a minute. A sync does so as well, for its own
 * pod: here what has become old enough since, what all pods have together, and what is of pods
 * that are not synced any more. Asks the runtime nothing, and does nothing while
 * there is nothing to remove.
 */
export class DeadContainers {
  readonly #deps: DeadContainersDeps;
  readonly #options: DeadContainerOptions;

  constructor(deps: DeadContainersDeps, options: DeadContainerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#deps.clock.sleep(PERIOD_MS, signal);
      this.collect();
    }
  }

  /** Looks once at all pods, and says what of containers cannot be removed. */
  collect(): void {
    this.#handOver();
    const { collector, events, node } = this.#deps;
    const message = failureText(collector.failures());
    if (message === undefined) return;
    // As upstream each minute, as long as it lasts.
    events.record(node, {
      type: "Warning",
      reason: "ContainerGCFailed",
      message,
    });
  }

  #handOver(): void {
    const { remains, clock } = this.#deps;
    const pods = [...this.#deps.pods()].filter(({ uid }) =>
      !remains.isGone(uid)
    )
      .map((pod) => remains.ofThisLife(pod));
    const kept = keptAt(clock.now(), this.#options);
    const { total } = this.#options;
    const perContainer = total < 0
      ? kept.perContainer
      : fairShare(pods, kept, total);
    for (const pod of pods) remains.prune(pod, { ...kept, perContainer });
  }
}

/** What are containers and sandboxes, by themselves or with all that is left of a pod. */
const OF_CONTAINERS = /^(?:container|sandbox|network|pod)\//;

/** The message of an event is cut at 1024 characters. */
const MOST_FAILURES = 3;

/** What of containers and sandboxes cannot be removed, in one sentence. Pure. */
export function failureText(
  failures: readonly GarbageFailure[],
): string | undefined {
  const found = failures.filter(({ key }) => OF_CONTAINERS.test(key));
  if (found.length === 0) return undefined;
  const named = found.slice(0, MOST_FAILURES)
    .map(({ what, why }) => `${what}: ${why}`).join("; ");
  const more = found.length - MOST_FAILURES;
  return `Cannot remove ${named}${more > 0 ? `; and ${more} more` : ""}`;
}

/** What each pod keeps by these options at a wall time in milliseconds. Pure. */
export function keptAt(
  nowMs: number,
  { perContainer, minimumAgeMs }: DeadContainerOptions,
): DeadKept {
  return {
    perContainer: perContainer < 0 ? Infinity : perContainer,
    // Without an age the clock does not matter, right or wrong.
    bornBefore: minimumAgeMs === 0
      ? NEWEST_ONLY.bornBefore
      : BigInt(Math.trunc(nowMs - minimumAgeMs)) * 1_000_000n,
  };
}
