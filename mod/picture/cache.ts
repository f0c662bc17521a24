/**
 * What was last seen of each pod, and waiting for something newer.
 *
 * @module
 */

import type { ObservedPod } from "../pod/observed/mod.ts";
import { type PodPart, withPart } from "./pod_part.ts";

interface Entry {
  /** The last look that succeeded, and what was learned of single containers since. */
  readonly pod: ObservedPod | undefined;
  /** Why a later one failed. */
  readonly error: Error | undefined;
  /** When the pod as a whole was looked at. */
  readonly atMs: number;
  /** What was learned of single containers after that, by id. */
  readonly parts: ReadonlyMap<string, TimedPart>;
}

interface TimedPart {
  readonly part: PodPart;
  readonly atMs: number;
}

/** Who hears of what happens to a cache; both return at once. */
export interface CacheWatcher {
  /** A look at a pod as a whole was recorded, whoever made it. */
  recorded(uid: string): void;
  /** Somebody waits for a look at a pod that is made after `newerThanMs`. */
  awaited(uid: string, newerThanMs: number): void;
}

interface Waiter {
  readonly newerThanMs: number;
  readonly wake: () => void;
}

/**
 * The last look at each pod, with the time it was made.
 *
 * Times are those of the monotonic clock at which the runtime was asked, not when
 * it answered. The newest look wins: an older one that comes late, or a deletion
 * decided upon an older list, changes nothing. So a list made before a container
 * was started can never hide that container (I1).
 *
 * A look at one container (`amend`) changes what is shown of that container, and not
 * the time of the pod: whoever waits for a newer look at the pod goes on waiting.
 *
 * Upstream: pkg/kubelet/container/cache.go.
 */
export class PodCache {
  readonly #entries = new Map<string, Entry>();
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #watchers = new Set<CacheWatcher>();
  /** Every pod without a newer entry was as recorded, or absent, at this time. */
  #allAtMs = -Infinity;
  /** Of these pods that is not known; in its place counts a time before. */
  readonly #exceptions = new Map<string, number>();

  /** The last look that succeeded; `undefined` for a pod that was not seen. */
  get(uid: string): ObservedPod | undefined {
    return this.#entries.get(uid)?.pod;
  }

  /**
   * Waits for a look made after `monotonicMs` and answers with it.
   *
   * @returns the pod; without sandboxes and containers when the runtime has none
   * @throws {Error} Why that look failed.
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  async getNewerThan(
    uid: string,
    monotonicMs: number,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    signal.throwIfAborted();
    while (this.timeOf(uid) <= monotonicMs) {
      await this.#change(uid, monotonicMs, signal);
    }
    const entry = this.#entries.get(uid);
    if (entry?.error !== undefined) throw entry.error;
    return entry?.pod ?? unseenPod(uid);
  }

  /** When the pod was last looked at, on the monotonic clock; `-Infinity` for never. */
  timeOf(uid: string): number {
    return Math.max(
      this.#entries.get(uid)?.atMs ?? -Infinity,
      this.#exceptions.get(uid) ?? this.#allAtMs,
    );
  }

  /** When the pod itself was last looked at; `-Infinity` when it is not recorded. */
  entryTime(uid: string): number {
    return this.#entries.get(uid)?.atMs ?? -Infinity;
  }

  /** The recorded pods. */
  uids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Whether somebody waits for a newer look at the pod. */
  isAwaited(uid: string): boolean {
    return this.#waiters.has(uid);
  }

  /** Tells `watcher` of looks and of who waits for them, until disposed. */
  watch(watcher: CacheWatcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => this.#watchers.delete(watcher) };
  }

  /** Says that at `atMs` the pod was as recorded here, or absent if it is not. */
  confirm(uid: string, atMs: number): void {
    const entry = this.#entries.get(uid);
    if (entry?.error !== undefined) return;
    this.set(uid, entry?.pod ?? unseenPod(uid), atMs);
  }

  /**
   * Records a look, or why it failed, unless a newer one is known.
   *
   * @returns whether it was recorded
   */
  set(uid: string, seen: ObservedPod | Error, atMs: number): boolean {
    const known = this.#entries.get(uid);
    if (known !== undefined && known.atMs > atMs) return false;
    const parts = new Map(
      [...known?.parts ?? []].filter(([, part]) => part.atMs > atMs),
    );
    let pod = seen instanceof Error ? known?.pod : seen;
    for (const { part } of parts.values()) pod = pod && withPart(pod, part);
    const error = seen instanceof Error ? seen : undefined;
    this.#entries.set(uid, { pod, error, atMs, parts });
    this.#wake(uid);
    for (const watcher of this.#watchers) watcher.recorded(uid);
    return true;
  }

  /**
   * Records a look at one container of a recorded pod, unless a newer one is known.
   *
   * @returns whether it was recorded
   */
  amend(uid: string, part: PodPart, atMs: number): boolean {
    const known = this.#entries.get(uid);
    if (known?.pod === undefined || known.atMs > atMs) return false;
    const before = known.parts.get(part.containerId);
    if (before !== undefined && before.atMs > atMs) return false;
    const parts = new Map(known.parts).set(part.containerId, { part, atMs });
    const pod = withPart(known.pod, part);
    this.#entries.set(uid, { ...known, pod, parts });
    return true;
  }

  /**
   * Forgets a pod that the runtime did not have at `atMs`, unless a newer look saw it.
   *
   * @param atMs left out by who knows that the pod is gone for good
   * @returns whether it is gone
   */
  delete(uid: string, atMs: number = Infinity): boolean {
    const known = this.#entries.get(uid);
    if (known !== undefined && known.atMs > atMs) return false;
    this.#entries.delete(uid);
    // Nobody is woken: that it was absent at `atMs` is said by `touch`.
    return true;
  }

  /**
   * Says that at `atMs` every pod was as recorded here, or absent if it is not.
   *
   * @param except the pods of which nobody knows that
   */
  touch(atMs: number, except: ReadonlySet<string> = NO_PODS): void {
    if (atMs <= this.#allAtMs) return;
    for (const uid of this.#exceptions.keys()) {
      if (!except.has(uid)) this.#exceptions.delete(uid);
    }
    for (const uid of except) {
      if (!this.#exceptions.has(uid)) this.#exceptions.set(uid, this.#allAtMs);
    }
    this.#allAtMs = atMs;
    for (const uid of [...this.#waiters.keys()]) this.#wake(uid);
  }

  #wake(uid: string): void {
    const atMs = this.timeOf(uid);
    for (const waiter of this.#waiters.get(uid) ?? []) {
      if (atMs > waiter.newerThanMs) waiter.wake();
    }
  }

  async #change(
    uid: string,
    newerThanMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { newerThanMs, wake: resolve };
    const waiters = this.#waiters.get(uid) ?? new Set<Waiter>();
    this.#waiters.set(uid, waiters.add(waiter));
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    for (const watcher of this.#watchers) watcher.awaited(uid, newerThanMs);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiters.get(uid) === waiters) {
        this.#waiters.delete(uid);
      }
    }
  }
}

const NO_PODS: ReadonlySet<string> = new Set();

/** A pod of which the runtime has nothing. */
export function unseenPod(uid: string): ObservedPod {
  return {
    uid,
    name: "",
    namespace: "",
    sandboxes: [],
    containers: [],
    ips: [],
  };
}
