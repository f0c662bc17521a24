/**
 * The looks at single pods, and the publishing of what moved. A list, an event or a waiting
 * caller leads to a look.
 *
 * @module
 */

import {
  type Clock,
  deadline,
  Semaphore,
  type TaskGroup,
} from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type {
  Histogram,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import {
  listPod,
  type ListService,
  nothingListed,
  type PodListing,
  type RuntimeListing,
} from "../runtime/observe/mod.ts";
import type { Changes } from "./changes.ts";
import type { PodLifecycleEvent } from "./diff.ts";
import type { ListPace } from "./list_pace.ts";
import { eventNeed, lookedFor, type PodDue } from "./pod_due.ts";
import type { PodObserver } from "./pod_observer.ts";
import { differs, isSettled, type PodPart } from "./pod_picture.ts";
import type { RuntimePicture } from "./runtime_picture.ts";

/** What {@linkcode PodLooks} needs. */
export interface PodLooksDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly runtime: ListService;
  readonly observer: Pick<PodObserver, "inspect" | "inspectContainer">;
  readonly picture: RuntimePicture;
  readonly pace: ListPace;
  readonly changes: Pick<Changes, "publish">;
}

/** A list that shows a pod, or lacks it. */
export interface SettleOptions {
  /** When the list was asked for, on the monotonic clock. */
  readonly startMs: number;
  /** The earliest time of the changes that it shows; `undefined` when any time is possible. */
  readonly sinceMs: number | undefined;
  readonly signal: AbortSignal;
  /** Limits how many inspections run at once. */
  readonly places?: Semaphore;
}

/** A pod that hangs must not delay the others; the next list of all looks at it again. */
const LOOK_DEADLINE_MS = 10_000;

/** How soon a failed list is repeated while a caller waits for it. */
const RETRY_MS = 5_000;

/** The same when the clock is too coarse: the list must be later than a given moment. */
const TICK_MS = 1;

/** A runtime answers a few calls at once as fast as one. */
const PARALLEL_LOOKS = 8;

/** After this time a look frees its place for another and no longer delays a list. */
const LATE_MS = 1_000;

/**
 * Updates the picture of a pod from lists, inspections and events. A newer look in the
 * picture is never replaced by an older one.
 *
 * Each pod has one due look at a time, so many events do not cause many calls. Pods do not
 * wait for each other, nor for a list of all.
 */
export class PodLooks {
  readonly #deps: PodLooksDeps;
  readonly #places = new Semaphore(PARALLEL_LOOKS);
  /** The pods in which a list found a change, while their details are being read. */
  readonly #looking = new Set<string>();
  readonly #duration: Histogram;

  constructor(deps: PodLooksDeps) {
    this.#deps = deps;
    this.#duration = deps.metrics.histogram(
      "kubelet_pleg_pod_relist_duration_seconds",
      "Time that the list of one pod took",
    );
  }

  /** Makes the looks that are due until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { picture } = this.#deps;
    await picture.work(async (uid, due, scope) => {
      await this.#serveList(uid, due, scope);
      await this.#serveEvents(uid, due, scope);
    }, signal);
  }

  /**
   * Lists one pod by itself and publishes what moved. Then the picture answers the callers
   * that wait for a look at it.
   *
   * @throws {CriError} when the list fails
   */
  async list(uid: string, signal: AbortSignal): Promise<void> {
    const { clock, runtime, picture } = this.#deps;
    const startMs = clock.monotonic();
    const sinceMs = picture.listedMs;
    const listing = await listPod(runtime, uid, { signal });
    const isEmpty = listing.sandboxes.length + listing.containers.length === 0;
    const shown = isEmpty ? undefined : listing;
    await this.settle(uid, shown, { startMs, sinceMs, signal });
    const mayConfirm = !isEmpty || picture.isAwaited(uid);
    if (!this.#mustInspect(uid) && mayConfirm) picture.confirm(uid, startMs);
    this.#duration.observe((clock.monotonic() - startMs) / 1000);
  }

  /**
   * Inspects one container and publishes what moved.
   *
   * @throws {CriError} when the runtime cannot answer
   */
  async inspect(
    uid: string,
    containerId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, observer, picture, changes } = this.#deps;
    const atMs = clock.monotonic();
    const part = await observer.inspectContainer(uid, containerId, signal);
    if (part === undefined) return;
    // An event led to this look, so its changes were announced and the pace need not judge.
    changes.publish(this.#amend(uid, part, atMs));
    if (this.#mustInspect(uid)) picture.followUp(uid);
  }

  /**
   * Looks at the pods in which a list of all shows that something moved.
   *
   * @param options.tasks takes over the looks that take long; without it this call waits
   * @returns the pods whose looks are not done yet
   */
  async settleAll(
    listing: RuntimeListing,
    options: Omit<SettleOptions, "places"> & {
      readonly tasks: TaskGroup | undefined;
    },
  ): Promise<ReadonlySet<string>> {
    const { startMs, tasks } = options;
    const places = new Semaphore(PARALLEL_LOOKS);
    const looks = new Map<string, Promise<void>>();
    const late = new Set<string>(this.#looking);
    for (const uid of this.#moved(listing, startMs)) {
      if (late.has(uid)) continue;
      this.#looking.add(uid);
      const pod = listing.pods.get(uid);
      const look = this.settle(uid, pod, { ...options, places }).finally(() => {
        this.#looking.delete(uid);
        looks.delete(uid);
      });
      looks.set(uid, look);
    }
    if (looks.size > 0) {
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const limitMs = tasks === undefined ? Infinity : LATE_MS;
      using _timer = this.#deps.clock.after(limitMs, resolve);
      await Promise.race([Promise.all(looks.values()), isLate]);
    }
    for (const [uid, look] of looks) {
      late.add(uid);
      tasks?.start(() => look);
    }
    return late;
  }

  /** The pods that have to be looked at. */
  *#moved(listing: RuntimeListing, startMs: number): Iterable<string> {
    const { picture } = this.#deps;
    const uids = new Set(picture.uids());
    for (const uid of listing.pods.keys()) {
      if (picture.isManaged(uid)) uids.add(uid);
    }
    for (const uid of uids) {
      const pod = listing.pods.get(uid);
      const known = picture.of(uid);
      if (isSettled(known, pod, startMs)) {
        // A newer look, at least at one container, came after the request for this list.
        if (differs(uid, known, pod)) picture.followUp(uid);
      } else if (pod !== undefined && picture.isActing(uid)) {
        // `published` stays as it is, so a look after the action finds the change again.
        picture.followUp(uid);
      } else yield uid;
    }
  }

  /**
   * Updates the picture of one pod from a list, and publishes what moved.
   *
   * A list may lack an item that is still there, so known items are asked for by their ids.
   * Two looks at a pod may run at once; the look of the newest list counts.
   *
   * @param listing `undefined` when the list does not have the pod
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async settle(
    uid: string,
    listing: PodListing | undefined,
    options: SettleOptions,
  ): Promise<void> {
    const { picture, changes } = this.#deps;
    changes.publish(await this.#settle(uid, listing, options));
    if (this.#mustInspect(uid)) picture.followUp(uid);
  }

  /** @returns the events to publish; the picture already shows what they are about */
  async #settle(
    uid: string,
    listing: PodListing | undefined,
    options: SettleOptions,
  ): Promise<readonly PodLifecycleEvent[]> {
    const { startMs, sinceMs, places, signal } = options;
    const { picture, pace, clock } = this.#deps;
    if (picture.of(uid).look.atMs > startMs) return [];
    const caught = picture.step(uid, { kind: "caught_up" }).moved;
    const gone = { kind: "gone", atMs: startMs } as const;
    if (!differs(uid, picture.of(uid), listing) && !this.#mustInspect(uid)) {
      if (listing === undefined) picture.step(uid, gone);
      return caught;
    }
    using place = await places?.acquire(signal);
    using _release = place &&
      clock.after(LATE_MS, () => place[Symbol.dispose]());
    if (!await this.#inspect(listing ?? nothingListed(uid), options)) {
      return caught;
    }
    // Another look may have published something meanwhile.
    const before = picture.of(uid).published;
    const settled = picture.step(uid, { kind: "settled", atMs: startMs });
    const { moved: found, picture: { published } } = settled;
    pace.judge(found, sinceMs);
    if (published?.states.size === 0) picture.step(uid, gone);
    const isAgain = found.length === 0 && before?.mustInspect === true &&
      before.states.size > 0;
    const again = { kind: "pod_sync", podUid: uid } as const;
    return [...caught, ...isAgain ? [again] : found];
  }

  /**
   * Records the details of a pod in the picture, or why they cannot be read.
   *
   * @returns whether this look is now the newest one
   */
  async #inspect(
    listing: PodListing,
    { startMs, signal }: SettleOptions,
  ): Promise<boolean> {
    const { picture, clock, observer } = this.#deps;
    const { uid } = listing;
    using limit = deadline(clock, LOOK_DEADLINE_MS, signal);
    try {
      const observed = await observer.inspect(listing, limit.signal);
      return picture.record(uid, observed, startMs);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error
        ? error
        : new Error(describeError(error));
      this.#logFailure(listing, reason);
      picture.record(uid, reason, startMs);
      return false;
    }
  }

  /** Warns once an outage, not once a look. */
  #logFailure({ uid, name, namespace }: PodListing, error: Error): void {
    const { picture, log } = this.#deps;
    const { look } = picture.of(uid);
    const fields = {
      pod: `${namespace || look.pod?.namespace}/${name || look.pod?.name}`,
      uid,
      error,
    };
    if (look.kind === "unreadable") {
      log.debug("pod_inspection_failed_again", fields);
    } else log.warn("pod_inspection_failed", fields);
  }

  /** Updates the picture from a look at one container. */
  #amend(uid: string, part: PodPart, atMs: number): PodLifecycleEvent[] {
    const { picture } = this.#deps;
    const caught = picture.step(uid, { kind: "caught_up" }).moved;
    const { look, published } = picture.of(uid);
    const amended = picture.step(uid, { kind: "part", part, atMs });
    if (published === undefined || amended.picture.look === look) {
      return [...caught];
    }
    // The time of `published` stays: only a look at the whole pod changes it.
    const settled = picture.step(uid, {
      kind: "settled",
      atMs: published.atMs,
    });
    if (published.mustInspect) picture.step(uid, { kind: "inspection_wanted" });
    return [...caught, ...settled.moved];
  }

  #mustInspect(uid: string): boolean {
    return this.#deps.picture.of(uid).published?.mustInspect === true;
  }

  async #serveList(
    uid: string,
    due: PodDue,
    signal: AbortSignal,
  ): Promise<void> {
    const { picture, clock } = this.#deps;
    const { listMs, newerThanMs } = due;
    const nowMs = clock.monotonic();
    if (listMs === undefined || listMs > nowMs) return;
    const isForWaiters = newerThanMs !== Infinity;
    if (isForWaiters && nowMs <= newerThanMs) {
      due.listMs = nowMs + TICK_MS;
      return;
    }
    due.listMs = undefined;
    if (isForWaiters && !picture.isAwaited(uid)) return;
    const isDone = await this.#try(
      uid,
      signal,
      (scope) => this.list(uid, scope),
    );
    if (!isDone && picture.isAwaited(uid)) {
      // One that was asked for meanwhile is not for these callers alone.
      due.list(clock.monotonic() + RETRY_MS, newerThanMs);
    }
  }

  async #serveEvents(
    uid: string,
    due: PodDue,
    signal: AbortSignal,
  ): Promise<void> {
    const { picture, clock, pace } = this.#deps;
    const events = due.dueEvents(clock.monotonic());
    const containers = new Set<string>();
    let mustList = false;
    for (const { event } of events) {
      const need = eventNeed(picture.get(uid), event);
      if (need === "inspect") containers.add(event.containerId);
      else if (need === "list") mustList = true;
    }
    await Promise.all(
      [...containers].map((id) =>
        this.#try(uid, signal, (scope) => this.inspect(uid, id, scope))
      ),
    );
    const isListed = mustList &&
      await this.#try(uid, signal, (scope) => this.list(uid, scope));
    const pod = picture.get(uid);
    const nowMs = clock.monotonic();
    for (const event of events) {
      if (lookedFor(event, pod, { isListed, nowMs })) pace.confirm();
    }
  }

  /** @returns whether the look succeeded; after a failure the list of all looks again */
  async #try(
    uid: string,
    signal: AbortSignal,
    look: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const { clock, log } = this.#deps;
    using place = await this.#places.acquire(signal);
    using _release = clock.after(LATE_MS, () => place[Symbol.dispose]());
    using limit = deadline(clock, LOOK_DEADLINE_MS, signal);
    try {
      await look(limit.signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.debug("pod_look_failed", { uid, error });
      return false;
    }
  }
}
