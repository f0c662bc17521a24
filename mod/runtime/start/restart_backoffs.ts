/**
 * Which containers have to wait before they are started once more.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import type { Clock, Sessions } from "../../base/mod.ts";
import {
  type BackoffEntry,
  crashLoopMessage,
  restartDelay,
  restartKey,
} from "../../pod/recovery/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";

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
  readonly #maxMs: number;
  /** By pod UID, then by the key that changes with image and resources. */
  readonly #entries: Map<string, Map<string, Crashes>>;

  /** @param options.maxMs the longest wait, upstream's `maxContainerRestartPeriod` */
  constructor(
    deps: { readonly clock: Clock; readonly sessions: Sessions },
    options: { readonly maxMs: number },
  ) {
    this.#clock = deps.clock;
    this.#entries = deps.sessions.map();
    this.#maxMs = options.maxMs;
  }

  /**
   * Asks to start a container now; counts the start when it may.
   *
   * What ended with a sandbox that was stopped or replaced did not crash: it waits for
   * nothing, and does not count. (How soon another sandbox is made is another matter.)
   *
   * @param where the sandbox that it is to start in
   * @returns how long to wait, or `undefined` to start
   */
  ask(
    pod: Pod,
    container: ContainerSpec,
    where: { readonly observed: ObservedPod; readonly sandboxId: string },
  ): RestartWait | undefined {
    const { observed, sandboxId } = where;
    const ended = endedContainer(container, observed);
    if (ended === undefined) return undefined;
    const { uid } = pod.metadata;
    const key = restartKey(pod, container);
    const entries = this.#entries.get(uid) ?? new Map<string, Crashes>();
    const known = entries.get(key);
    // One that waits since a crash of its own goes on waiting.
    const hasCrashed = known?.end.containerId === ended.id;
    if (ended.sandboxId !== sandboxId && !hasCrashed) return undefined;
    const end = hasCrashed
      ? known.end
      : { containerId: ended.id, atMs: this.#endOf(ended, known) };
    const nowMs = this.#clock.monotonic();
    const verdict = restartDelay(known?.entry, {
      finishedAtMs: end.atMs,
      nowMs,
      maxMs: this.#maxMs,
    });
    this.#entries.set(uid, entries);
    if (verdict.kind === "start") {
      entries.set(key, { entry: verdict.entry, end, before: known?.entry });
      return undefined;
    }
    if (known !== undefined) entries.set(key, { ...known, end });
    const { name } = container;
    return {
      message: crashLoopMessage(verdict.delayMs, { name, pod }),
      retryAtMs: verdict.untilMs,
    };
  }

  /**
   * Says that a container which might have been started was not tried at all: what
   * {@linkcode ask} counted for it does not count.
   */
  withdraw(pod: Pod, container: ContainerSpec, observed: ObservedPod): void {
    const entries = this.#entries.get(pod.metadata.uid);
    const key = restartKey(pod, container);
    const known = entries?.get(key);
    const ended = endedContainer(container, observed);
    if (known === undefined || ended?.id !== known.end.containerId) return;
    const { before, end } = known;
    if (before === undefined) entries?.delete(key);
    else entries?.set(key, { entry: before, end, before });
  }

  /**
   * When a container ended, on the monotonic clock: as long ago as the wall clock
   * says. That may have been set since, but not before the last start that was counted
   * did it end.
   */
  #endOf(
    { finishedAt, createdAt }: ObservedContainer,
    known: Crashes | undefined,
  ): number {
    const nowMs = this.#clock.monotonic();
    // Some runtimes lose the time.
    const wall = finishedAt > 0n ? finishedAt : createdAt;
    const agoMs = Math.max(0, this.#clock.now() - Number(wall / 1_000_000n));
    const startedAtMs = known?.entry.updatedAtMs ?? -Infinity;
    return Math.max(nowMs - agoMs, startedAtMs);
  }
}

function endedContainer(
  { name }: ContainerSpec,
  { containers }: ObservedPod,
): ObservedContainer | undefined {
  return containers.find((seen) =>
    seen.name === name && seen.state === "exited"
  );
}

/** The crashes of one container. */
interface Crashes {
  readonly entry: BackoffEntry;
  /** The one before the start that was counted last. */
  readonly before: BackoffEntry | undefined;
  /** The last end that was asked about. */
  readonly end: { readonly containerId: string; readonly atMs: number };
}
