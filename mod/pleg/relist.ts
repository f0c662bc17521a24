/**
 * Asking the runtime again and again what it holds, and telling what moved.
 *
 * @module
 */

import {
  type Clock,
  formatDuration,
  Inbox,
  type Logger,
  type MetricsRegistry,
  Semaphore,
  TaskGroup,
} from "../base/mod.ts";
import type { ObservedPod } from "../pod/mod.ts";
import {
  listPod,
  listPods,
  type ListService,
  type PodCache,
  type PodListing,
  type RuntimeListing,
} from "../runtime/mod.ts";
import type { PodLifecycleEvent } from "./diff.ts";
import { PlegMetrics } from "./pleg_metrics.ts";
import { PodRecords } from "./pod_records.ts";

/** What relisting needs. */
export interface PlegDeps {
  readonly runtime: ListService;
  readonly cache: PodCache;
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
  /** Looks closely at a pod of the list just made; keeps nothing. */
  readonly inspect: (
    listing: PodListing,
    signal: AbortSignal,
  ) => Promise<ObservedPod>;
  /**
   * Whether a pod is this agent's: others are listed, but neither looked at closely
   * nor told about. Asked anew at every list.
   *
   * @default every pod is
   */
  readonly isOurs?: (uid: string) => boolean;
  /**
   * Whether the agent is acting upon a pod right now: it looks at it afterwards
   * itself, so what the list shows of it meanwhile is not looked at closely.
   *
   * @default no pod is
   */
  readonly isBusy?: (uid: string) => boolean;
}

/** How often. */
export interface PlegOptions {
  /** From the end of one list to the beginning of the next, in milliseconds. */
  readonly relistPeriodMs: number;
}

/** Whether the agent still hears of the runtime. */
export interface PlegHealth {
  readonly healthy: boolean;
  /** Empty when it is healthy. */
  readonly message: string;
}

// Upstream: pkg/kubelet/pleg/generic.go relistThreshold.
const HEALTH_THRESHOLD_MS = 180_000;
/** Upstream's channel holds 1000; a listener that is slower misses nothing it would not relist. */
const EVENT_CAPACITY = 1_000;
const REQUEST_CAPACITY = 200;
/** Looks at the same time: a runtime answers a few at once as fast as one. */
const PARALLEL_INSPECTIONS = 8;
/**
 * The pod lifecycle event generator: the agent's eyes on the runtime.
 *
 * Of each pod that moved the details go into the cache first and the events out
 * afterwards. What the cache knows to be newer than a list outranks the list, so a
 * container just started is never taken for gone (I1); and what the agent has seen
 * itself is not looked at again.
 *
 * Upstream: pkg/kubelet/pleg/generic.go.
 */
export class Pleg {
  readonly #deps: PlegDeps;
  readonly #periodMs: number;
  readonly #metrics: PlegMetrics;
  readonly #records: PodRecords;
  /** Pods to be listed by themselves, with the time they were asked for. */
  readonly #requests = new Map<string, number>();
  #listing: RuntimeListing | undefined;
  #lastStartMs: number | undefined;
  #lastSuccessMs: number | undefined;
  #isAway = false;
  #inbox: Inbox<PodLifecycleEvent> | undefined;
  #wake: () => void = () => {};

  constructor(deps: PlegDeps, options: PlegOptions) {
    this.#deps = { ...deps, log: deps.log.named("pleg") };
    this.#periodMs = options.relistPeriodMs;
    this.#metrics = new PlegMetrics(deps.metrics);
    this.#records = new PodRecords(this.#deps);
  }

  /** The last list that succeeded, other people's pods included; `undefined` before the first. */
  get listing(): RuntimeListing | undefined {
    return this.#listing;
  }

  /** Why the runtime could not be listed last time; `undefined` while it can. */
  get runtimeDown(): string | undefined {
    if (this.#isAway) return "the runtime does not answer";
    return this.#listing === undefined
      ? "the runtime has not answered yet"
      : undefined;
  }

  /** Lists at once and then again and again until `signal` aborts, and tells what moved. */
  async *run(signal: AbortSignal): AsyncIterable<PodLifecycleEvent> {
    // A signal that has aborted tells nobody any more.
    if (signal.aborted) return;
    using inbox = new Inbox<PodLifecycleEvent>(EVENT_CAPACITY);
    this.#inbox = inbox;
    await using tasks = new TaskGroup(signal);
    tasks.signal.addEventListener("abort", () => inbox[Symbol.dispose](), {
      once: true,
    });
    tasks.start((scope) => this.#loop(scope));
    try {
      yield* inbox;
    } finally {
      this.#inbox = undefined;
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /**
   * Asks for one pod to be listed soon, without waiting for the next list of all.
   * Dropped when too many are asked for: the list of all comes anyway.
   */
  requestRelist(uid: string): void {
    if (this.#requests.size >= REQUEST_CAPACITY) return;
    if (!this.#requests.has(uid)) {
      this.#requests.set(uid, this.#deps.clock.monotonic());
    }
    this.#wake();
  }

  /** Makes the next list look closely at a pod even if nothing of it moved. */
  requestInspection(uid: string): void {
    this.#records.requestInspection(uid);
  }

  /** Whether a list has succeeded within the last three minutes. */
  health(): PlegHealth {
    if (this.#lastSuccessMs === undefined) {
      return { healthy: false, message: "pleg has yet to be successful" };
    }
    const agoMs = this.#deps.clock.monotonic() - this.#lastSuccessMs;
    if (agoMs <= HEALTH_THRESHOLD_MS) return { healthy: true, message: "" };
    const ago = formatDuration(Math.round(agoMs));
    const threshold = formatDuration(HEALTH_THRESHOLD_MS);
    return {
      healthy: false,
      message:
        `pleg was last seen active ${ago} ago; threshold is ${threshold}`,
    };
  }

  /**
   * Lists everything once and tells what moved. A list that fails is told in the log
   * and changes nothing.
   */
  async relist(signal: AbortSignal): Promise<void> {
    const { clock, cache, log } = this.#deps;
    const startMs = clock.monotonic();
    if (this.#lastStartMs !== undefined) {
      this.#metrics.interval.observe((startMs - this.#lastStartMs) / 1000);
    }
    this.#lastStartMs = startMs;
    let listing: RuntimeListing;
    try {
      listing = await this.#list(signal);
    } catch (error) {
      signal.throwIfAborted();
      // Once an outage, not once a tick.
      if (!this.#isAway) log.warn("relist_failed", { error });
      this.#isAway = true;
      return;
    }
    this.#lastSuccessMs = startMs;
    this.#listing = listing;
    this.#metrics.lastSeen.set(clock.now() / 1000);
    this.#metrics.count(listing);
    await this.#settleAll(listing, startMs, signal);
    // Even when some pods could not be looked at: the others are as recorded.
    cache.touch(startMs);
    if (this.#isAway) {
      this.#isAway = false;
      log.info("relist_recovered");
      this.#tell([{ kind: "runtime_returned" }]);
    }
    this.#metrics.duration.observe((clock.monotonic() - startMs) / 1000);
  }

  /**
   * Lists one pod by itself and tells what moved; then the cache can answer who waits
   * for news of it.
   *
   * @throws {CriError} when the list fails
   */
  async relistPod(uid: string, signal: AbortSignal): Promise<void> {
    const { clock, runtime, cache } = this.#deps;
    const startMs = clock.monotonic();
    const listing = await listPod(runtime, uid, { signal });
    const isEmpty = listing.sandboxes.length + listing.containers.length === 0;
    const shown = isEmpty ? undefined : listing;
    const options = { startMs, signal };
    this.#tell(await this.#records.settle(uid, shown, options));
    if (!this.#records.mustInspect(uid)) cache.confirm(uid, startMs);
    this.#metrics.podDuration.observe((clock.monotonic() - startMs) / 1000);
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      await this.relist(signal);
      const dueMs = clock.monotonic() + this.#periodMs;
      while (clock.monotonic() < dueMs) {
        signal.throwIfAborted();
        if (await this.#serveRequest(signal)) continue;
        await this.#pause(dueMs - clock.monotonic(), signal);
      }
    }
  }

  /** @returns whether there was a request */
  async #serveRequest(signal: AbortSignal): Promise<boolean> {
    const next = this.#requests.entries().next();
    if (next.done) return false;
    const [uid, askedMs] = next.value;
    this.#requests.delete(uid);
    // A list of all that began later has told it already.
    if (!this.#isAway && (this.#lastStartMs ?? -Infinity) > askedMs) {
      return true;
    }
    try {
      await this.relistPod(uid, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log.debug("pod_relist_failed", { uid, error });
    }
    return true;
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using _timer = this.#deps.clock.after(delayMs, resolve);
    const leave = (): void => resolve();
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted || this.#requests.size > 0) resolve();
    await promise;
    signal.removeEventListener("abort", leave);
    signal.throwIfAborted();
  }

  async #list(signal: AbortSignal): Promise<RuntimeListing> {
    const { runtime } = this.#deps;
    const listing = await listPods(runtime, { signal });
    // A runtime that is starting may answer before it has found its own.
    return listing.pods.size === 0 && !this.#records.isEmpty
      ? await listPods(runtime, { signal })
      : listing;
  }

  async #settleAll(
    listing: RuntimeListing,
    startMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { cache, isOurs, isBusy } = this.#deps;
    const uids = new Set([...this.#records.uids(), ...cache.uids()]);
    for (const uid of listing.pods.keys()) {
      if (isOurs === undefined || isOurs(uid)) uids.add(uid);
    }
    const places = new Semaphore(PARALLEL_INSPECTIONS);
    const work: Promise<void>[] = [];
    for (const uid of uids) {
      const pod = listing.pods.get(uid);
      if (this.#records.isSettled(uid, pod, startMs)) continue;
      // Its record stays as it is, so a list after the action finds the change again.
      if (pod !== undefined && isBusy?.(uid)) continue;
      const options = { startMs, signal, places };
      work.push(
        this.#records.settle(uid, pod, options)
          .then((events) => this.#tell(events)),
      );
    }
    await Promise.all(work);
  }

  #tell(events: readonly PodLifecycleEvent[]): void {
    for (const event of events) {
      // Whoever made it starts it.
      if (event.kind === "container_changed") continue;
      if (this.#inbox?.offer(event) === false) this.#metrics.discarded.inc();
    }
  }
}
