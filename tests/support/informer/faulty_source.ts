/**
 * A server that does to its clients what servers do.
 *
 * @module
 */

import type { Clock, Random } from "../../../mod/base/mod.ts";
import {
  ApiFailure,
  type FailureReason,
  type ListerWatcher,
  type ListOptions,
  type ObjectList,
  type WatchEvent,
  type WatchOptions,
} from "../../../mod/api/access/mod.ts";
import { pick } from "../fuzz/fuzz.ts";
import { type Item, ITEM_KIND } from "./object_server.ts";

/** What a faulty source works with. */
export interface FaultDeps {
  readonly random: Random;
  readonly clock: Pick<Clock, "sleep">;
}

type Changed = Extract<WatchEvent<Item>, { readonly object: Item }>;

/** What may be wrong with a list or with the opening of a watch. */
const REFUSALS: readonly [FailureReason, ...FailureReason[]] = [
  "Expired",
  "ResourceVersionTooLarge",
  "TooManyRequests",
  "InternalError",
  "Unreachable",
  "Garbage",
  "Forbidden",
];

/**
 * Stands between a server and its reader while it is stormy, and lets everything through
 * when it is calm.
 *
 * Lists fail, take long, are older than what was asked for, or hold what cannot be read.
 * Watches do not open, end, break, say 410, say nothing more, say things twice, late, or
 * in another order, and say what cannot be read in the place of an object.
 */
export class FaultySource implements ListerWatcher<Item> {
  readonly #inner: ListerWatcher<Item>;
  readonly #deps: FaultDeps;
  /** The answers to lists of the past. */
  readonly #past: ObjectList<Item>[] = [];
  isStormy = true;
  /** How many faults there were, by what they are. */
  readonly faults: Map<string, number> = new Map();

  constructor(inner: ListerWatcher<Item>, deps: FaultDeps) {
    this.#inner = inner;
    this.#deps = deps;
  }

  async list(
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<ObjectList<Item>> {
    const isPart = options.continue !== undefined;
    if (this.#strikes("list_refused", .25)) throw this.#refusal();
    if (this.#strikes("list_slow", .1)) await this.#dawdle(signal);
    const answer = await this.#inner.list(options, signal);
    // What is asked for without a version is read from where it is written.
    const isFree = options.resourceVersion !== undefined && !isPart;
    const [old] = this.#past;
    if (isFree && old !== undefined && this.#strikes("list_old", .2)) {
      return old;
    }
    if (answer.continue === undefined && !isPart && this.#past.length < 3) {
      this.#past.push(answer);
    }
    const [first, ...rest] = answer.items;
    return first !== undefined && this.#strikes("list_garbage", .15)
      ? { ...answer, items: [...rest, unreadable(first)] }
      : answer;
  }

  async watch(
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent<Item>>> {
    if (this.#strikes("watch_refused", .25)) throw this.#refusal();
    return this.#pass(await this.#inner.watch(options, signal), signal);
  }

  async *#pass(
    events: AsyncIterable<WatchEvent<Item>>,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>> {
    if (this.#strikes("watch_short", .1)) return;
    let held: Changed | undefined;
    let last: Changed | undefined;
    for await (const event of events) {
      if (!("object" in event)) {
        yield event;
        continue;
      }
      if (held !== undefined) {
        // Nothing comes between the two, or one would be lost and nobody could know.
        yield event;
        yield held;
        held = undefined;
        continue;
      }
      if (this.#strikes("events_swapped", .05)) {
        held = event;
        continue;
      }
      if (yield* this.#spoil(event, last, signal)) return;
      last = event;
    }
    if (held !== undefined) yield held;
  }

  /** One event, or what becomes of it. @returns whether the watch is over */
  async *#spoil(
    event: Changed,
    last: Changed | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Item>, boolean> {
    if (this.#strikes("watch_ended", .03)) return true;
    if (this.#strikes("watch_broken", .03)) throw this.#refusal();
    if (this.#strikes("watch_error", .03)) {
      yield { type: "ERROR", failure: this.#refusal() };
      return true;
    }
    if (this.#strikes("watch_stalled", .02)) {
      await this.#deps.clock.sleep(Infinity, signal).catch(() => {});
      return true;
    }
    if (this.#strikes("event_garbage", .03)) {
      yield { type: event.type, object: unreadable(event.object) };
      return false;
    }
    yield event;
    if (this.#strikes("event_twice", .05)) yield event;
    if (last !== undefined && this.#strikes("event_late", .03)) yield last;
    return false;
  }

  #strikes(what: string, chance: number): boolean {
    if (!this.isStormy || this.#deps.random.next() >= chance) return false;
    this.faults.set(what, (this.faults.get(what) ?? 0) + 1);
    return true;
  }

  #refusal(): ApiFailure {
    const { random } = this.#deps;
    const reason = pick(random, REFUSALS);
    const retryAfterMs = pick(random, [0, 0, 0, -1, 700, 7_000, 1e9]);
    return new ApiFailure(reason, `a fault: ${reason}`, { retryAfterMs });
  }

  async #dawdle(signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(this.#deps.random.next() * 150_000, signal);
  }
}

/** What stands in the place of an object after something went wrong. */
function unreadable(object: Item): Item {
  return { ...object, kind: `Not${ITEM_KIND.kind}` };
}
