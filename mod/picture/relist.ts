/**
 * Asking the runtime again and again what it holds, and telling what moved.
 *
 * @module
 */

import { formatDuration } from "../base/text/mod.ts";
import {
  Inbox,
  type Moment,
  momentOf,
  TaskGroup,
  wallTimeOf,
} from "../base/mod.ts";
import {
  listPod,
  PodLister,
  type RuntimeListing,
} from "../runtime/observe/mod.ts";
import { causeOf } from "../runtime/account/mod.ts";
import type { PodLifecycleEvent } from "./diff.ts";
import { HintStream } from "./hint_stream.ts";
import { ListLooks } from "./list_looks.ts";
import type {
  PlegDeps,
  PlegHealth,
  PlegOptions,
  RuntimeOutage,
} from "./pleg_deps.ts";
import { PlegMetrics } from "./pleg_metrics.ts";
import { PodLooks } from "./pod_looks.ts";
import { PodRecords, type Settled } from "./pod_records.ts";

// Upstream: pkg/kubelet/pleg/generic.go relistThreshold.
const HEALTH_THRESHOLD_MS = 180_000;
/** Far longer than a busy runtime takes, and soon enough for who stands before it. */
const HANG_MS = 15_000;
/** Upstream's channel holds 1000; a listener that is slower misses nothing it would not relist. */
const EVENT_CAPACITY = 1_000;

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
  readonly #lister: PodLister;
  readonly #stream: HintStream;
  readonly #listLooks: ListLooks;
  #listing: RuntimeListing | undefined;
  #lastStartMs: number | undefined;
  #lastSuccessMs: number | undefined;
  #outage: { readonly message: string; readonly since: Moment } | undefined;
  /** When the next list is due whatever the period; `undefined` for no hurry. */
  #hurry: "at_once" | "soon" | undefined;
  #inbox: Inbox<PodLifecycleEvent> | undefined;
  #looks: PodLooks | undefined;
  #tasks: TaskGroup | undefined;
  #wake: () => void = () => {};

  constructor(deps: PlegDeps, options: PlegOptions) {
    this.#deps = { ...deps, log: deps.log.named("pleg") };
    this.#periodMs = options.relistPeriodMs;
    this.#metrics = new PlegMetrics(deps.metrics);
    this.#records = new PodRecords(this.#deps);
    this.#outage = { message: NOT_YET, since: momentOf(deps.clock) };
    this.#listLooks = new ListLooks({
      ...this.#deps,
      records: this.#records,
      followUp: (uid) => this.#followUp(uid),
    });
    this.#lister = new PodLister({
      ...this.#deps,
      uids: () => [...this.#records.uids(), ...deps.cache.uids()],
    });
    this.#stream = new HintStream({
      ...this.#deps,
      take: (hint) => this.#looks?.take(hint),
      // What moved while nobody listened is found by a list.
      turned: () => this.#pull("at_once"),
      missed: () => this.#pull("at_once"),
    }, { baseMs: this.#periodMs });
  }

  /** The last list that succeeded, other people's pods included; `undefined` before the first. */
  get listing(): RuntimeListing | undefined {
    return this.#listing;
  }

  /**
   * Why the runtime could not be listed last time, or is not listed since a quarter of
   * a minute; `undefined` while it can.
   */
  get runtimeDown(): string | undefined {
    if (this.#outage === undefined) return undefined;
    return this.#listing === undefined && this.#outage.message === NOT_YET
      ? NOT_YET
      : "the runtime does not answer";
  }

  /** Why the runtime cannot be listed, and since when; `undefined` while it can. */
  get downSince(): RuntimeOutage | undefined {
    if (this.#outage === undefined) return undefined;
    const { message, since } = this.#outage;
    const sinceMs = wallTimeOf(since, momentOf(this.#deps.clock));
    return { message, sinceMs };
  }

  /** Lists at once and then again and again until `signal` aborts, and tells what moved. */
  async *run(signal: AbortSignal): AsyncIterable<PodLifecycleEvent> {
    // A signal that has aborted tells nobody any more.
    if (signal.aborted) return;
    using inbox = new Inbox<PodLifecycleEvent>(EVENT_CAPACITY);
    this.#inbox = inbox;
    await using looks = this.#newLooks();
    this.#looks = looks;
    await using tasks = new TaskGroup(signal);
    this.#tasks = tasks;
    tasks.signal.addEventListener("abort", () => inbox[Symbol.dispose](), {
      once: true,
    });
    tasks.start((scope) => this.#loop(scope));
    tasks.start((scope) => looks.run(scope));
    tasks.start((scope) => this.#stream.run(scope));
    try {
      yield* inbox;
    } finally {
      this.#inbox = undefined;
      this.#looks = undefined;
      this.#tasks = undefined;
    }
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** Asks for one pod to be listed soon, without waiting for the next list of all. */
  requestRelist(uid: string): void {
    this.#looks?.list(uid);
  }

  /** Makes the next list look closely at a pod even if nothing of it moved. */
  requestInspection(uid: string): void {
    this.#records.requestInspection(uid);
    this.#followUp(uid);
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
    const asked = momentOf(clock);
    const startMs = asked.monotonicMs;
    if (this.#lastStartMs !== undefined) {
      this.#metrics.interval.observe((startMs - this.#lastStartMs) / 1000);
    }
    this.#lastStartMs = startMs;
    let listing: RuntimeListing;
    try {
      using _watch = clock.after(HANG_MS, () => {
        if (!this.#isAway) log.warn("relist_hangs", { forMs: HANG_MS });
        this.#takeOutage(HANGS, asked);
      });
      listing = await this.#list(signal);
    } catch (error) {
      signal.throwIfAborted();
      // Once an outage, not once a tick.
      if (!this.#isAway) log.warn("relist_failed", { error });
      this.#takeOutage(causeOf(error).words, asked);
      this.#stream.listed("failed");
      return;
    }
    const before = this.#lastSuccessMs;
    this.#lastSuccessMs = startMs;
    this.#listing = listing;
    this.#metrics.lastSeen.set(clock.now() / 1000);
    this.#metrics.count(listing);
    const late = await this.#listLooks.settle(listing, {
      startMs,
      signal,
      tasks: this.#tasks,
      told: (settled) => this.#take(settled, before),
    });
    // Even when some pods could not be looked at: the others are as recorded.
    cache.touch(startMs, late);
    this.#stream.listed("done");
    const wasAway = this.#isAway;
    this.#outage = undefined;
    if (wasAway) {
      log.info("relist_recovered");
      this.#tell([{ kind: "runtime_returned" }]);
      this.#stream.runtimeReturned();
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
    const sinceMs = this.#lastSuccessMs;
    const listing = await listPod(runtime, uid, { signal });
    const isEmpty = listing.sandboxes.length + listing.containers.length === 0;
    const shown = isEmpty ? undefined : listing;
    const options = { startMs, signal };
    this.#take(await this.#records.settle(uid, shown, options), sinceMs);
    if (this.#records.mustInspect(uid)) this.#followUp(uid);
    else if (!isEmpty || cache.isAwaited(uid)) cache.confirm(uid, startMs);
    this.#metrics.podDuration.observe((clock.monotonic() - startMs) / 1000);
  }

  get #isAway(): boolean {
    return this.#outage !== undefined && this.#outage.message !== NOT_YET;
  }

  /** An outage lasts since its first list was asked for. */
  #takeOutage(message: string, asked: Moment): void {
    this.#outage = { message, since: this.#outage?.since ?? asked };
  }

  #newLooks(): PodLooks {
    const { glimpse, isOurs = EVERY_POD, isBusy = NO_POD } = this.#deps;
    return new PodLooks({
      ...this.#deps,
      isOurs,
      isBusy,
      ownerOf: (id) =>
        this.#records.ownerOf(id) ?? ownerInListing(this.#listing, id),
      list: (uid, signal) => this.relistPod(uid, signal),
      glimpse: glimpse && ((uid, id, signal) => this.#glimpse(uid, id, signal)),
      confirmed: () => this.#stream.confirm(),
      unknown: () => this.#pull("soon"),
      isListNear: () => this.#isListNear,
    });
  }

  /** Looks at one container and tells what moved. */
  async #glimpse(
    uid: string,
    containerId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const startMs = this.#deps.clock.monotonic();
    const part = await this.#deps.glimpse?.(uid, containerId, signal);
    if (part === undefined) return;
    // What a hint led to was told, so there is nothing to judge.
    this.#tell(this.#records.amend(uid, part, startMs).events);
    if (this.#records.mustInspect(uid)) this.#followUp(uid);
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      this.#hurry = undefined;
      await this.relist(signal);
      const endMs = clock.monotonic();
      for (;;) {
        signal.throwIfAborted();
        const delayMs = endMs + this.#pauseMs - clock.monotonic();
        if (delayMs <= 0) break;
        await this.#pause(delayMs, signal);
      }
    }
  }

  /** How long after the last list the next is due, as things are now. */
  get #pauseMs(): number {
    if (this.#hurry === "at_once") return 0;
    const isHurried = this.#hurry === "soon" || this.#isAway;
    return isHurried ? this.#periodMs : this.#stream.periodMs;
  }

  #pull(hurry: "at_once" | "soon"): void {
    if (this.#hurry !== "at_once") this.#hurry = hurry;
    this.#wake();
  }

  get #isListNear(): boolean {
    return this.#stream.periodMs <= this.#periodMs;
  }

  /** What the next list would tell, when that list is far off. */
  #followUp(uid: string): void {
    if (this.#isListNear) return;
    this.#looks?.list(uid, this.#periodMs);
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using _timer = this.#deps.clock.after(delayMs, resolve);
    const leave = (): void => resolve();
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener("abort", leave);
  }

  async #list(signal: AbortSignal): Promise<RuntimeListing> {
    const listing = await this.#lister.list({ signal });
    // A runtime that is starting may answer before it has found its own.
    return listing.pods.size === 0 && !this.#records.isEmpty
      ? await this.#lister.list({ signal })
      : listing;
  }

  #take({ events, found }: Settled, sinceMs: number | undefined): void {
    this.#stream.judge(found, sinceMs);
    this.#tell(events);
  }

  #tell(events: readonly PodLifecycleEvent[]): void {
    for (const event of events) {
      // Whoever made it starts it.
      if (event.kind === "container_changed") continue;
      if (this.#inbox?.offer(event) === false) this.#metrics.discarded.inc();
    }
  }
}

const NOT_YET = "the runtime has not answered yet";
const HANGS = "it does not answer when asked to list its pods";

const EVERY_POD = (): boolean => true;
const NO_POD = (): boolean => false;

function ownerInListing(
  listing: RuntimeListing | undefined,
  itemId: string,
): string | undefined {
  for (const { uid, sandboxes, containers } of listing?.pods.values() ?? []) {
    const items = [...sandboxes, ...containers];
    if (items.some(({ id }) => id === itemId)) return uid;
  }
  return undefined;
}
