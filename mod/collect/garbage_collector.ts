/**
 * Removing garbage in the background, each piece on its own.
 *
 * @module
 */

import { type Clock, nextDelay, WorkQueue } from "../base/mod.ts";
import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";

/** One thing that is of no use any more. */
export interface Garbage {
  /** What it is, the same when it is found again: `sandbox/<id>`. */
  readonly key: string;
  /** What it is, for the operator: `sandbox "1f…" of pod "shop/web"`. */
  readonly what: string;
  /**
   * Removes it; what is gone already counts as removed. Called until it succeeds, so
   * it goes on where an earlier try ended.
   *
   * @throws {Error} when some of it is left
   */
  remove(signal: AbortSignal): Promise<void>;
}

/** A piece that could not be removed at the last try. */
export interface GarbageFailure extends Pick<Garbage, "key" | "what"> {
  readonly why: string;
}

/** Between two tries; the longest is short enough for what is mended by hand. */
const RETRY = { baseMs: 1_000, maxMs: 60_000 };

/**
 * Tries beside each other: a thousand pieces must not be a thousand calls at once, for which
 * pods that start would wait. A try that hangs holds up no other for long.
 */
const AT_ONCE = { places: 16, patienceMs: 2_000 };

/** A piece and how its removal goes. */
interface Piece {
  readonly garbage: Garbage;
  retryMs: number | undefined;
  /** Why the last try failed. */
  failure: string | undefined;
  /** Ends the try that is under way. */
  cancel: AbortController | undefined;
}

/** Tries to remove what it was given until it is gone. */
export class GarbageCollector {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queue: WorkQueue<string>;
  readonly #pieces = new Map<string, Piece>();
  /** Those whose last try failed. */
  readonly #failing = new Set<Piece>();
  readonly #pendingGauge: Gauge;
  readonly #failingGauge: Gauge;
  readonly #removed: Counter;

  constructor(
    deps: {
      readonly clock: Clock;
      readonly log: Logger;
      readonly metrics: MetricsRegistry;
    },
  ) {
    const { clock, log, metrics } = deps;
    this.#clock = clock;
    this.#log = log.named("collect");
    this.#queue = new WorkQueue<string>({ clock }, AT_ONCE);
    this.#pendingGauge = metrics.gauge(
      "skerry_garbage_pieces",
      "Dead containers, sandboxes and directories that are still to be removed",
    );
    this.#failingGauge = metrics.gauge(
      "skerry_garbage_failing",
      "Of the pieces of garbage those that could not be removed at the last try",
    );
    this.#removed = metrics.counter(
      "skerry_garbage_removed_total",
      "Pieces of garbage that were removed",
    );
  }

  /** Works until `signal` aborts; then waits for the tries under way. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#queue.run((key, scope) => this.#work(key, scope), signal);
  }

  /** Takes a piece over, in place of one with the same key, and tries it at once. */
  add(garbage: Garbage): void {
    const { key } = garbage;
    const before = this.#pieces.get(key);
    if (before !== undefined) this.#failing.delete(before);
    before?.cancel?.abort();
    this.#pieces.set(key, {
      garbage,
      retryMs: undefined,
      failure: undefined,
      cancel: undefined,
    });
    this.#measure();
    this.#queue.add(key);
  }

  /** Gives a piece back: it is of use again. A try that is under way is ended. */
  drop(key: string): void {
    const piece = this.#pieces.get(key);
    if (piece === undefined) return;
    this.#forget(key);
    piece.cancel?.abort();
  }

  /** Whether a piece is still to be removed. */
  has(key: string): boolean {
    return this.#pieces.has(key);
  }

  /** What could not be removed at the last try, what failed first at first. */
  failures(): readonly GarbageFailure[] {
    return [...this.#failing].map(({ garbage: { key, what }, failure }) => ({
      key,
      what,
      why: failure ?? "",
    }));
  }

  /** Tries everything again at once: what failed may have been mended. */
  retryAll(): void {
    for (const [key, piece] of this.#pieces) {
      piece.retryMs = undefined;
      this.#queue.add(key);
    }
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    const piece = this.#pieces.get(key);
    if (piece === undefined) return;
    const cancel = new AbortController();
    piece.cancel = cancel;
    const follow = (): void => cancel.abort(signal.reason);
    signal.addEventListener("abort", follow);
    try {
      await piece.garbage.remove(cancel.signal);
      if (this.#pieces.get(key) === piece) this.#done(piece);
    } catch (error) {
      // What was dropped or exchanged meanwhile need not be removed.
      const isPending = this.#pieces.get(key) === piece;
      if (!cancel.signal.aborted && isPending) this.#failed(piece, error);
    } finally {
      signal.removeEventListener("abort", follow);
      piece.cancel = undefined;
    }
  }

  #done(piece: Piece): void {
    const { garbage: { key, what }, failure } = piece;
    this.#forget(key);
    this.#removed.inc();
    if (failure !== undefined) {
      this.#log.info("garbage_removed", { what });
    }
  }

  #failed(piece: Piece, error: unknown): void {
    const { garbage: { key, what } } = piece;
    const isFirst = piece.failure === undefined;
    piece.failure = describeError(error);
    piece.retryMs = nextDelay(piece.retryMs, RETRY);
    this.#failing.add(piece);
    this.#measure();
    const fields = { what, retryMs: piece.retryMs, error: piece.failure };
    if (isFirst) this.#log.warn("garbage_not_removed", fields);
    else this.#log.debug("garbage_not_removed_again", fields);
    this.#queue.schedule(key, piece.retryMs);
  }

  #forget(key: string): void {
    const piece = this.#pieces.get(key);
    if (piece !== undefined) this.#failing.delete(piece);
    this.#pieces.delete(key);
    this.#queue.forget(key);
    this.#measure();
  }

  #measure(): void {
    this.#pendingGauge.set(this.#pieces.size);
    this.#failingGauge.set(this.#failing.size);
  }
}
