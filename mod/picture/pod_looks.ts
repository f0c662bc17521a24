/**
 * Looking at single pods: because of a hint, or because somebody asks.
 *
 * @module
 */

import { type Clock, deadline, Semaphore, WorkQueue } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import type { Moved } from "../cri/events/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodCache } from "./cache.ts";
import { hintNeed } from "./hint_need.ts";
import { UnknownHints } from "./unknown_hints.ts";

/** What looking at single pods needs. */
export interface PodLooksDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: PodCache;
  /** The pod that a container or sandbox belongs to, if anybody knows. */
  readonly ownerOf: (containerId: string) => string | undefined;
  readonly isOurs: (uid: string) => boolean;
  readonly isBusy: (uid: string) => boolean;
  /** Lists one pod by itself and tells what moved. */
  readonly list: (uid: string, signal: AbortSignal) => Promise<void>;
  /** Looks at one container and tells what moved; absent when only lists can. */
  readonly glimpse:
    | ((uid: string, containerId: string, signal: AbortSignal) => Promise<void>)
    | undefined;
  /** Hears that what was told has been found so; returns at once. */
  readonly confirmed: () => void;
  /** Hears that something moved of which nobody knows the pod; returns at once. */
  readonly unknown: () => void;
  /** Whether the next list of all comes soon anyway. */
  readonly isListNear: () => boolean;
}

/** A hint on its way to being believed or dropped. */
interface Pending {
  readonly hint: Moved;
  readonly sinceMs: number;
  /** Looks that did not show it. */
  tries: number;
  /** Times that it was told and looked for anew, the first included. */
  repeats: number;
  /** When to look next; `undefined` when there is nothing to look for. */
  dueMs: number | undefined;
}

interface Wanted {
  /** A look is under way; what is wanted next is seen to at its end. */
  isWorking: boolean;
  readonly hints: Map<string, Pending>;
  /** When to list the pod; `undefined` when nobody asked for it. */
  listMs: number | undefined;
  /** A look made after this is as good. */
  newerThanMs: number;
}

/**
 * The pauses between looks until the runtime shows what it has told. containerd's own
 * events come before its CRI knows: by 50 ms on an idle machine, by more on a busy one.
 */
const LAG_MS: readonly number[] = [
  ...[3, 7, 10, 10, 15, 20, 30, 60, 100],
  ...[300, 1_000],
];

/** How often the same may be told before it is no longer looked for at once. */
const MAX_REPEATS = 4;

/** A hint that looks have not borne out is worth one look this often. */
const VAIN_MS = 1_000;

/**
 * So long a hint is kept in mind: what the agent records of an action of its own may be
 * built upon a look from before that hint.
 */
const KEEP_MS = 10_000;

/** A pod is looked at again when the agent's own action is over, at the latest so soon after. */
const BUSY_MS = 1_000;

/** So long who waits for a look waits for the list of all, which looks at many at once. */
const PATIENCE_MS = 5_000;

/** How soon a pod is listed of which something dead was removed. */
const REMOVED_MS = 1_000;

/** More than a pod has containers and sandboxes; what is over is for a list to tell. */
const MAX_HINTS = 100;

/** One look; a pod that takes longer is left to the list of all. */
const LOOK_DEADLINE_MS = 10_000;

/** How soon to ask again for whoever waits, after the runtime could not answer. */
const RETRY_MS = 5_000;

/** The same for one that waits: the clock may be too coarse to tell two moments apart. */
const TICK_MS = 1;

const PARALLEL_LOOKS = 8;

/** A look that takes longer than this gives its place to another. */
const PLACE_MS = 1_000;

/**
 * One worker a pod, so that pods do not wait for each other, nor for a list of all; and
 * of one pod one look at a time, so that a flood of hints is no flood of calls.
 */
export class PodLooks implements AsyncDisposable {
  readonly #deps: PodLooksDeps;
  readonly #queue: WorkQueue<string>;
  readonly #places = new Semaphore(PARALLEL_LOOKS);
  readonly #wanted = new Map<string, Wanted>();
  readonly #unknown: UnknownHints;
  readonly #watch: Disposable;

  constructor(deps: PodLooksDeps) {
    this.#deps = deps;
    this.#queue = new WorkQueue({ clock: deps.clock });
    this.#unknown = new UnknownHints({
      ...deps,
      known: (uid, hint) => this.#addOurs(uid, hint),
    });
    this.#watch = deps.cache.watch({
      recorded: (uid) => this.#recorded(uid),
      awaited: (uid, newerThanMs) =>
        this.#list(uid, {
          newerThanMs,
          delayMs: deps.isListNear() ? PATIENCE_MS : 0,
        }),
    });
  }

  /** Looks until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run((uid, scope) => this.#work(uid, scope), signal);
  }

  /** Drops all that was asked for. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#unknown[Symbol.dispose]();
    this.#wanted.clear();
    await this.#queue[Symbol.asyncDispose]();
  }

  /** Takes a hint: looks at what it names, unless that is known already. */
  take(hint: Moved): void {
    const { containerId, podUid } = hint;
    const uid = this.#deps.ownerOf(containerId) ?? podUid;
    if (uid === undefined) this.#unknown.add(hint);
    else this.#addOurs(uid, hint);
  }

  /** Asks for a pod to be listed in `delayMs`, whatever is known by then. */
  list(uid: string, delayMs: number = 0): void {
    this.#list(uid, { delayMs, newerThanMs: Infinity });
  }

  #list(
    uid: string,
    { delayMs, newerThanMs }: {
      readonly delayMs: number;
      readonly newerThanMs: number;
    },
  ): void {
    const wanted = this.#wantedOf(uid);
    const dueMs = this.#deps.clock.monotonic() + delayMs;
    wanted.newerThanMs = wanted.listMs === undefined
      ? newerThanMs
      : Math.max(wanted.newerThanMs, newerThanMs);
    wanted.listMs = Math.min(wanted.listMs ?? Infinity, dueMs);
    this.#schedule(uid, wanted);
  }

  #addOurs(uid: string, hint: Moved): void {
    if (this.#deps.isOurs(uid)) this.#add(uid, hint);
  }

  #add(uid: string, hint: Moved): void {
    const wanted = this.#wantedOf(uid);
    const key = `${hint.what} ${hint.containerId}`;
    const nowMs = this.#deps.clock.monotonic();
    const known = wanted.hints.get(key);
    if (known === undefined && wanted.hints.size >= MAX_HINTS) {
      return this.list(uid, VAIN_MS);
    }
    const pending = known ?? newPending(hint, nowMs);
    wanted.hints.set(key, pending);
    if (pending.repeats < MAX_REPEATS) {
      pending.repeats++;
      pending.tries = 0;
      pending.dueMs = nowMs;
    } else if (pending.tries >= LAG_MS.length) {
      pending.dueMs ??= nowMs + VAIN_MS;
    }
    this.#review(uid, pending);
    this.#schedule(uid, wanted);
  }

  /** Without asking anybody: is there anything to look for? */
  #review(uid: string, pending: Pending): void {
    if (pending.dueMs === undefined || this.#deps.isBusy(uid)) return;
    const need = hintNeed(this.#deps.cache.get(uid), pending.hint);
    if (need !== "nothing") return;
    pending.dueMs = undefined;
    this.#deps.confirmed();
    // Nobody waits for it, but a pod that comes back must not find its dead there.
    const isRemoved = pending.hint.what === "deleted" &&
      isShownIn(this.#deps.cache.get(uid), pending.hint.containerId);
    if (isRemoved && !this.#deps.isListNear()) this.list(uid, REMOVED_MS);
  }

  /** Somebody looked at the pod: what was told may be known now, or be hidden again. */
  #recorded(uid: string): void {
    const pod = this.#deps.cache.get(uid);
    if (pod !== undefined) this.#unknown.seen(pod);
    const wanted = this.#wanted.get(uid);
    if (wanted === undefined) return;
    for (const pending of wanted.hints.values()) {
      const isGivenUp = pending.tries >= LAG_MS.length;
      const need = hintNeed(pod, pending.hint);
      if (need === "nothing") pending.dueMs = undefined;
      else if (!isGivenUp) pending.dueMs ??= this.#deps.clock.monotonic();
    }
    this.#schedule(uid, wanted);
  }

  #wantedOf(uid: string): Wanted {
    const known = this.#wanted.get(uid);
    if (known !== undefined) return known;
    const wanted: Wanted = {
      isWorking: false,
      hints: new Map(),
      listMs: undefined,
      newerThanMs: -Infinity,
    };
    this.#wanted.set(uid, wanted);
    return wanted;
  }

  /** Sets the pod's next run, or forgets it when there is nothing left to do. */
  #schedule(uid: string, wanted: Wanted): void {
    if (wanted.isWorking) return;
    const nowMs = this.#deps.clock.monotonic();
    let dueMs = wanted.listMs ?? Infinity;
    for (const [key, { dueMs: hintMs, sinceMs }] of wanted.hints) {
      const endMs = sinceMs + KEEP_MS;
      if (hintMs === undefined && endMs <= nowMs) wanted.hints.delete(key);
      else dueMs = Math.min(dueMs, hintMs ?? endMs);
    }
    if (dueMs === Infinity) {
      this.#wanted.delete(uid);
      this.#queue.forget(uid);
    } else if (dueMs <= nowMs) this.#queue.add(uid);
    else this.#queue.schedule(uid, dueMs - nowMs);
  }

  async #work(uid: string, signal: AbortSignal): Promise<void> {
    const wanted = this.#wanted.get(uid);
    if (wanted === undefined) return;
    if (this.#deps.isBusy(uid)) {
      this.#queue.schedule(uid, BUSY_MS);
      return;
    }
    wanted.isWorking = true;
    try {
      await this.#serveList(uid, { wanted, signal });
      await this.#serveHints(uid, { wanted, signal });
    } finally {
      wanted.isWorking = false;
    }
    this.#schedule(uid, wanted);
  }

  async #serveList(
    uid: string,
    { wanted, signal }: { wanted: Wanted; signal: AbortSignal },
  ): Promise<void> {
    const { cache, clock } = this.#deps;
    const { listMs, newerThanMs } = wanted;
    const nowMs = clock.monotonic();
    if (listMs === undefined || listMs > nowMs) return;
    const isForWaiters = newerThanMs !== Infinity;
    if (isForWaiters && nowMs <= newerThanMs) {
      wanted.listMs = nowMs + TICK_MS;
      return;
    }
    wanted.listMs = undefined;
    if (isForWaiters && !cache.isAwaited(uid)) return;
    const isDone = await this.#try(
      uid,
      signal,
      (scope) => this.#deps.list(uid, scope),
    );
    if (!isDone && cache.isAwaited(uid)) {
      wanted.listMs ??= clock.monotonic() + RETRY_MS;
      wanted.newerThanMs = newerThanMs;
    }
  }

  async #serveHints(
    uid: string,
    { wanted, signal }: { wanted: Wanted; signal: AbortSignal },
  ): Promise<void> {
    const { cache, clock } = this.#deps;
    const nowMs = clock.monotonic();
    const due = [...wanted.hints.values()].filter(({ dueMs }) =>
      dueMs !== undefined && dueMs <= nowMs
    );
    const glimpses = new Set<string>();
    let isListed = false;
    for (const pending of due) {
      const need = hintNeed(cache.get(uid), pending.hint);
      const { glimpse } = this.#deps;
      if (need === "glimpse" && glimpse !== undefined) {
        glimpses.add(pending.hint.containerId);
      } else if (need !== "nothing") isListed = true;
    }
    await Promise.all(
      [...glimpses].map((id) =>
        this.#try(
          uid,
          signal,
          async (scope) => await this.#deps.glimpse?.(uid, id, scope),
        )
      ),
    );
    const isShown = isListed &&
      await this.#try(uid, signal, (scope) => this.#deps.list(uid, scope));
    const pod = cache.get(uid);
    const endMs = clock.monotonic();
    for (const pending of due) {
      if (hintNeed(pod, pending.hint) === "nothing") {
        pending.dueMs = undefined;
        this.#deps.confirmed();
        continue;
      }
      if (isShown && !isShownIn(pod, pending.hint.containerId)) {
        // The list lacks it: it came and went, or was never of this pod.
        pending.tries = LAG_MS.length;
        pending.dueMs = undefined;
        continue;
      }
      const pauseMs = LAG_MS[pending.tries];
      pending.tries++;
      pending.dueMs = pauseMs === undefined ? undefined : endMs + pauseMs;
    }
  }

  /** @returns whether the look succeeded; that it did not is for the list of all to tell */
  async #try(
    uid: string,
    signal: AbortSignal,
    look: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const { clock, log } = this.#deps;
    using place = await this.#places.acquire(signal);
    using _hurry = clock.after(PLACE_MS, () => place[Symbol.dispose]());
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

function newPending(hint: Moved, nowMs: number): Pending {
  return { hint, sinceMs: nowMs, tries: 0, repeats: 0, dueMs: undefined };
}

function isShownIn(pod: ObservedPod | undefined, itemId: string): boolean {
  return pod !== undefined &&
    [...pod.containers, ...pod.sandboxes].some(({ id }) => id === itemId);
}
