/**
 * What is known of all pods, and which of them are to be looked at.
 *
 * @module
 */

import { Bell, type Clock, WorkQueue } from "../base/mod.ts";
import type { ContainerEvent } from "../cri/events/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { RuntimeListing } from "../runtime/observe/mod.ts";
import { ItemOwners } from "./item_owners.ts";
import type { ListPace } from "./list_pace.ts";
import {
  type DueEvent,
  eventNeed,
  isShownIn,
  PodDue,
  VAIN_MS,
} from "./pod_due.ts";
import {
  NO_PICTURE,
  type PictureSignal,
  type PodPicture,
  type Stepped,
  stepPicture,
  unseenPod,
} from "./pod_picture.ts";
import { UnknownEvents } from "./unknown_events.ts";

interface RuntimePictureDeps {
  readonly clock: Clock;
  readonly pace: ListPace;
  /** The agent's own pods; others are listed, but not inspected, and have no events. */
  readonly managed: { has(uid: string): boolean };
  /** Called when a caller of {@linkcode RuntimePicture.latest} has to wait. */
  readonly waits?: (uid: string) => void;
}

type LookHandler = (
  uid: string,
  due: PodDue,
  signal: AbortSignal,
) => Promise<void>;

/** A container without a known pod is mostly one that the agent starts at the moment. */
const ASK_MS = 1_000;

/** How long a caller waits for the list of all before its pod is listed by itself. */
const PATIENCE_MS = 5_000;

/** How soon a pod is listed after the removal of something dead in it. */
const REMOVED_MS = 1_000;

/** The longest time from the end of the agent's own action to the next look at the pod. */
const ACTING_MS = 1_000;

/**
 * The newest look at each pod, what its listeners know, and which looks are due.
 *
 * It never calls the runtime. {@linkcode RuntimePicture.work} hands out the looks that are
 * due, and their results are recorded here.
 *
 * Upstream: pkg/kubelet/container/cache.go.
 */
export class RuntimePicture {
  readonly #deps: RuntimePictureDeps;
  readonly #pods = new Map<string, PodPicture>();
  readonly #due = new Map<string, PodDue>();
  readonly #queue: WorkQueue<string>;
  readonly #unknown = new UnknownEvents();
  /** By pod, while a caller waits for a newer look at it. */
  readonly #newer = new Map<string, Bell>();
  readonly #acting = new Set<string>();
  #unknownTimer: Disposable | undefined;
  #isOver = false;
  #listing: RuntimeListing | undefined;
  #listedMs: number | undefined;
  readonly #owners = new ItemOwners();
  /** The last time at which every pod was as recorded, or absent. */
  #allAtMs = -Infinity;
  /** The exceptions: an earlier time counts for each of these pods. */
  readonly #exceptions = new Map<string, number>();

  constructor(deps: RuntimePictureDeps) {
    this.#deps = deps;
    this.#queue = new WorkQueue(deps);
  }

  /** The last list of all that succeeded, unmanaged pods included; `undefined` before it. */
  get listing(): RuntimeListing | undefined {
    return this.#listing;
  }

  /** When that list was asked for, on the monotonic clock. */
  get listedMs(): number | undefined {
    return this.#listedMs;
  }

  /** The UIDs of all known pods. */
  uids(): Iterable<string> {
    return this.#pods.keys();
  }

  /** Whether the listeners know of any pod. */
  get hasPublished(): boolean {
    return this.#pods.values().some((pod) => pod.published !== undefined);
  }

  /** What is known of a pod. */
  of(uid: string): PodPicture {
    return this.#pods.get(uid) ?? NO_PICTURE;
  }

  /** The pod as it was observed last; `undefined` for one that was not. */
  get(uid: string): ObservedPod | undefined {
    return this.#pods.get(uid)?.look.pod;
  }

  /** When the pod was last looked at, on the monotonic clock; `-Infinity` for never. */
  timeOf(uid: string): number {
    const allAtMs = this.#exceptions.get(uid) ?? this.#allAtMs;
    return Math.max(this.of(uid).look.atMs, allAtMs);
  }

  /** The pod of a container or sandbox; `undefined` unless a look or list has shown it. */
  ownerOf(itemId: string): string | undefined {
    return this.#owners.of(itemId);
  }

  /** Whether the pod is this agent's. */
  isManaged(uid: string): boolean {
    return this.#deps.managed.has(uid);
  }

  /** Whether the agent acts upon the pod at the moment; afterwards it looks at it itself. */
  isActing(uid: string): boolean {
    return this.#acting.has(uid);
  }

  /** Whether a caller waits for a newer look at the pod. */
  isAwaited(uid: string): boolean {
    return this.#newer.has(uid);
  }

  /**
   * Waits for a look at a whole pod that began after `newerThanMs`, and answers with it. A
   * look at one container does not count.
   *
   * @returns the pod; without sandboxes and containers when the runtime has none
   * @throws {Error} Why that look failed.
   * @throws {unknown} The reason of `signal` when it aborts first.
   */
  async latest(
    uid: string,
    options: { readonly newerThanMs: number; readonly signal: AbortSignal },
  ): Promise<ObservedPod> {
    const { newerThanMs, signal } = options;
    const { pace } = this.#deps;
    signal.throwIfAborted();
    while (this.timeOf(uid) <= newerThanMs) {
      const newer = this.#waitForLook(uid, signal);
      this.enqueue(uid, pace.isNear ? PATIENCE_MS : 0, { newerThanMs });
      this.#deps.waits?.(uid);
      await newer;
    }
    const { look } = this.of(uid);
    if (look.kind === "unreadable") throw look.error;
    return look.pod ?? unseenPod(uid);
  }

  async #waitForLook(uid: string, signal: AbortSignal): Promise<void> {
    const bell = this.#newer.get(uid) ?? new Bell();
    this.#newer.set(uid, bell);
    await bell.wait(signal);
    // Another caller may wait by a new bell by now.
    const isLast = !bell.isAwaited && this.#newer.get(uid) === bell;
    if (isLast) this.#newer.delete(uid);
    signal.throwIfAborted();
  }

  /** The agent acts upon the pod until this is disposed of, or what it is a part of. */
  act(uid: string): Disposable {
    const isPart = this.isActing(uid);
    this.#acting.add(uid);
    return { [Symbol.dispose]: () => isPart || this.#acting.delete(uid) };
  }

  /**
   * Records a look at a pod as a whole, unless a newer one is known.
   *
   * @returns whether it was recorded
   */
  record(uid: string, seen: ObservedPod | Error, atMs: number): boolean {
    const before = this.of(uid);
    const signal: PictureSignal = seen instanceof Error
      ? { kind: "failed", error: seen, atMs }
      : { kind: "seen", pod: seen, atMs };
    const { picture } = this.step(uid, signal);
    if (picture === before) return false;
    this.#newer.get(uid)?.ring();
    this.#recorded(uid, picture.look.pod);
    return true;
  }

  /** Records that at `atMs` the pod was as recorded, or absent if it is not. */
  confirm(uid: string, atMs: number): void {
    const { look } = this.of(uid);
    if (look.kind === "unreadable") return;
    this.record(uid, look.pod ?? unseenPod(uid), atMs);
  }

  /** Forgets a pod that the agent has removed for good, and the looks that are due at it. */
  forget(uid: string): void {
    this.step(uid, { kind: "dropped", atMs: this.#deps.clock.monotonic() });
    if (!this.isAwaited(uid)) this.#due.delete(uid);
  }

  /** Changes what is known of a pod; wakes no caller that waits for it. */
  step(uid: string, signal: PictureSignal): Stepped {
    const before = this.of(uid);
    const stepped = stepPicture(uid, before, signal);
    const { picture, picture: { look, published } } = stepped;
    const isKnown = look.atMs !== -Infinity || published !== undefined;
    if (isKnown) this.#pods.set(uid, picture);
    else this.#pods.delete(uid);
    this.#owners.changed(uid, before, isKnown ? picture : NO_PICTURE);
    return stepped;
  }

  /** Takes a list of all that was asked for at `atMs`. */
  listed(listing: RuntimeListing, atMs: number): void {
    this.#listing = listing;
    this.#listedMs = atMs;
    this.#owners.listed(listing);
  }

  /**
   * Records that at `atMs` every pod was as recorded, or absent if it is not.
   *
   * @param except the pods for which that is not certain
   */
  confirmAll(atMs: number, except: ReadonlySet<string> = NO_PODS): void {
    if (atMs <= this.#allAtMs) return;
    for (const uid of this.#exceptions.keys()) {
      if (!except.has(uid)) this.#exceptions.delete(uid);
    }
    for (const uid of except) {
      if (!this.#exceptions.has(uid)) this.#exceptions.set(uid, this.#allAtMs);
    }
    this.#allAtMs = atMs;
    for (const bell of this.#newer.values()) bell.ring();
  }

  /** Takes a runtime event: a look at what it names is due, unless its news is known. */
  announce(event: ContainerEvent): void {
    const { clock } = this.#deps;
    const uid = this.ownerOf(event.containerId) ?? event.podUid;
    if (uid !== undefined) return this.#add(uid, event);
    this.#unknown.add(event, clock.monotonic());
    this.#awaitOwners();
  }

  /** Requests a list of one pod in `delayMs`; a look newer than `newerThanMs` replaces it. */
  enqueue(
    uid: string,
    delayMs: number,
    { newerThanMs = Infinity }: { readonly newerThanMs?: number } = {},
  ): void {
    const due = this.#dueOf(uid);
    due.list(this.#deps.clock.monotonic() + delayMs, newerThanMs);
    this.#schedule(uid, due);
  }

  /** Requests a list of one pod, unless the next list of all comes soon anyway. */
  followUp(uid: string): void {
    if (!this.#deps.pace.isNear) this.enqueue(uid, this.#deps.pace.baseMs);
  }

  /**
   * Hands out the looks that are due, one at a time for each pod, until `signal` aborts.
   * Then it drops all looks that are due.
   */
  async work(handler: LookHandler, signal: AbortSignal): Promise<void> {
    await using _queue = this.#queue;
    try {
      await this.#queue.run(
        (uid, scope) => this.#work(uid, handler, scope),
        signal,
      );
    } finally {
      this.#isOver = true;
      this.#unknownTimer?.[Symbol.dispose]();
      this.#unknown.clear();
      this.#due.clear();
    }
  }

  async #work(
    uid: string,
    handler: LookHandler,
    signal: AbortSignal,
  ): Promise<void> {
    const due = this.#due.get(uid);
    if (due === undefined) return;
    if (this.isActing(uid)) return this.#queue.schedule(uid, ACTING_MS);
    due.isWorking = true;
    try {
      await handler(uid, due, signal);
    } finally {
      due.isWorking = false;
    }
    // Those of a pod that was forgotten meanwhile say nothing of another of its UID.
    if (this.#due.get(uid) === due) this.#schedule(uid, due);
  }

  #add(uid: string, event: ContainerEvent): void {
    if (!this.isManaged(uid)) return;
    const due = this.#dueOf(uid);
    const added = due.add(event, this.#deps.clock.monotonic());
    if (added === undefined) return this.enqueue(uid, VAIN_MS);
    this.#review(uid, added);
    this.#schedule(uid, due);
  }

  /** Drops an event whose news the picture has already. */
  #review(uid: string, due: DueEvent): void {
    const { event } = due;
    const { pace } = this.#deps;
    const pod = this.get(uid);
    if (due.dueMs === undefined || this.isActing(uid)) return;
    if (eventNeed(pod, event) !== "nothing") return;
    due.dueMs = undefined;
    pace.confirm();
    // Not urgent, but a pod that comes back must not find its old containers here.
    const isRemoved = event.what === "deleted" &&
      isShownIn(pod, event.containerId);
    if (isRemoved && !pace.isNear) this.enqueue(uid, REMOVED_MS);
  }

  /** Handles a new look at a whole pod. */
  #recorded(uid: string, pod: ObservedPod | undefined): void {
    const items = [...pod?.containers ?? [], ...pod?.sandboxes ?? []];
    for (const event of this.#unknown.take(items)) this.#add(uid, event);
    const due = this.#due.get(uid);
    if (due === undefined) return;
    due.seen(pod, this.#deps.clock.monotonic());
    this.#schedule(uid, due);
  }

  #dueOf(uid: string): PodDue {
    const due = this.#due.get(uid) ?? new PodDue();
    this.#due.set(uid, due);
    return due;
  }

  /** Schedules the pod's next look, or forgets the pod when none is due. */
  #schedule(uid: string, due: PodDue): void {
    if (due.isWorking) return;
    const nowMs = this.#deps.clock.monotonic();
    const nextMs = due.nextMs(nowMs);
    if (nextMs === Infinity) {
      this.#due.delete(uid);
      this.#queue.forget(uid);
    } else if (nextMs <= nowMs) this.#queue.add(uid);
    else this.#queue.schedule(uid, nextMs - nowMs);
  }

  #awaitOwners(): void {
    const { clock, pace } = this.#deps;
    if (this.#isOver || this.#unknown.isEmpty) return;
    this.#unknownTimer ??= clock.after(ASK_MS, () => {
      this.#unknownTimer = undefined;
      const { known, mustList } = this.#unknown.review(
        (id) => this.ownerOf(id),
        clock.monotonic(),
      );
      for (const [uid, event] of known) this.#add(uid, event);
      if (mustList) pace.pull("soon");
      this.#awaitOwners();
    });
  }
}

const NO_PODS: ReadonlySet<string> = new Set();
