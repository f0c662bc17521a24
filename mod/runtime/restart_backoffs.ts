/**
 * Which containers have to wait before they are started once more.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../api/mod.ts";
import type { Clock } from "../base/mod.ts";
import {
  type BackoffEntry,
  crashLoopMessage,
  type ObservedContainer,
  type ObservedPod,
  restartDelay,
  restartKey,
} from "../pod/mod.ts";

/** A container that may not start yet. */
export interface RestartWait {
  /** For the container's status. */
  readonly message: string;
  /** On the monotonic clock in milliseconds. */
  readonly retryAtMs: number;
}

/**
 * Remembers how often each container crashed lately.
 *
 * The memory is this process's: after a restart of the agent the first start of a
 * crashing container is immediate, as upstream.
 */
export class RestartBackoffs {
  readonly #clock: Clock;
  readonly #maxMs: number | undefined;
  /** By pod UID, then by the key that changes with image and resources. */
  readonly #entries = new Map<string, Map<string, BackoffEntry>>();

  /** @param options.maxMs the longest wait, upstream's `maxContainerRestartPeriod` */
  constructor(
    deps: { readonly clock: Clock },
    options: { readonly maxMs?: number | undefined } = {},
  ) {
    this.#clock = deps.clock;
    this.#maxMs = options.maxMs;
  }

  /**
   * Asks to start a container now; counts the start when it may.
   *
   * @returns how long to wait, or `undefined` to start
   */
  ask(
    pod: Pod,
    container: ContainerSpec,
    observed: ObservedPod,
  ): RestartWait | undefined {
    const ended = observed.containers.find((seen) =>
      seen.name === container.name && seen.state === "exited"
    );
    if (ended === undefined) return undefined;
    const { uid } = pod.metadata;
    const key = restartKey(pod, container);
    const entries = this.#entries.get(uid) ?? new Map<string, BackoffEntry>();
    const nowMs = this.#clock.now();
    const verdict = restartDelay(entries.get(key), {
      finishedAtMs: endOf(ended),
      nowMs,
      ...(this.#maxMs === undefined ? {} : { maxMs: this.#maxMs }),
    });
    if (verdict.kind === "start") {
      this.#entries.set(uid, entries.set(key, verdict.entry));
      return undefined;
    }
    const { name } = container;
    return {
      message: crashLoopMessage(verdict.delayMs, { name, pod }),
      retryAtMs: this.#clock.monotonic() + verdict.untilMs - nowMs,
    };
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.#entries.delete(uid);
  }
}

/** When a container ended, in wall milliseconds; some runtimes lose the time. */
function endOf(container: ObservedContainer): number {
  const { finishedAt, createdAt } = container;
  return Number((finishedAt > 0n ? finishedAt : createdAt) / 1_000_000n);
}
