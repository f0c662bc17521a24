/**
 * Ending pulls that do not get on.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { Ingest } from "../../cri/model/mod.ts";
import {
  bytesSoFar,
  type IngestPicture,
  seeIngests,
  waitingPieces,
} from "./ingest_picture.ts";

/**
 * Longest time of one pull without any progress that is known: the CRI reports none, and
 * only containerd says by another way what it writes. This is for a runtime that hangs
 * itself, and long enough for an image of 1 GB over a line of 2.5 Mbit/s. (The kubelet has
 * no limit.)
 */
export const PULL_LIMIT_MS = 3_600_000;

/** However well it gets on: a registry may send a byte now and then for ever. */
const LONGEST_PULL_MS = 24 * 3_600_000;

/** How often the runtime is asked while it pulls. */
const LOOK_MS = 10_000;

/** Looks within the time that a pull may stand still. */
const LOOKS_PER_DEADLINE = 3;

/** What the runtime is writing of images; `undefined` when that is not known. */
export type ListIngests = (
  options: { readonly signal: AbortSignal },
) => Promise<readonly Ingest[] | undefined>;

/** A pull that goes on, until it is disposed of. */
export interface WatchedPull extends Disposable {
  /** Aborts when the pull is to end. */
  readonly signal: AbortSignal;
  /** Why it was ended: the words behind "Cannot pull image". */
  readonly why: string | undefined;
}

interface Pull {
  readonly image: string;
  readonly begunMs: number;
  /** Of all pulls of its time, so that all that came is its own. */
  isOnly: boolean;
  why: string | undefined;
  readonly cancel: AbortController;
  limit: Disposable;
}

/**
 * Watches pulls: one that stands still is ended.
 *
 * Which piece is of which pull is not known. So a pull ends only when nothing moves of any
 * while some wait for bytes, for the deadline times their number: containerd shows a piece
 * a mebibyte at a time, and all may share one slow line. It is the one that began last before
 * such a piece did, and the others have the same time once more: one that began earlier may have
 * all its bytes and be unpacked.
 * While the runtime only unpacks nothing waits for bytes, and a pull whose runtime says nothing
 * has {@linkcode PULL_LIMIT_MS}.
 */
export class PullProgress {
  readonly #clock: Clock;
  readonly #list: ListIngests;
  readonly #deadlineMs: number;
  readonly #pulls = new Set<Pull>();
  #picture: IngestPicture | undefined;
  /** When one was ended last: monotonic milliseconds. */
  #endedMs = -Infinity;
  /** Since when pulls are watched without a pause: monotonic milliseconds. */
  #begunMs = 0;
  /** Stops looking. */
  #looks: Disposable | undefined;

  /** @param options.progressDeadlineMs 0 for none: nothing is asked then */
  constructor(
    deps: { readonly clock: Clock; readonly ingests: ListIngests },
    options: { readonly progressDeadlineMs: number },
  ) {
    this.#clock = deps.clock;
    this.#list = deps.ingests;
    this.#deadlineMs = options.progressDeadlineMs;
  }

  /** A pull begins. */
  begin(image: string): WatchedPull {
    const begunMs = this.#clock.monotonic();
    const cancel = new AbortController();
    const isOnly = this.#pulls.size === 0;
    const limit = NOTHING;
    const pull: Pull = {
      image,
      begunMs,
      isOnly,
      why: undefined,
      cancel,
      limit,
    };
    for (const other of this.#pulls) other.isOnly = false;
    if (isOnly) this.#watch(begunMs);
    this.#pulls.add(pull);
    this.#limit(pull, PULL_LIMIT_MS);
    return {
      signal: cancel.signal,
      get why() {
        return pull.why;
      },
      [Symbol.dispose]: () => this.#end(pull),
    };
  }

  /** How many bytes have come of an image, if that is known: it alone is being pulled. */
  bytesOf(image: string): number | undefined {
    const [pull] = this.#pulls;
    return this.#picture !== undefined && pull?.isOnly && pull.image === image
      ? bytesSoFar(this.#picture)
      : undefined;
  }

  #end(pull: Pull): void {
    pull.limit[Symbol.dispose]();
    this.#pulls.delete(pull);
    if (this.#pulls.size > 0) return;
    this.#looks?.[Symbol.dispose]();
    this.#looks = undefined;
    this.#picture = undefined;
  }

  #stop(pull: Pull, why: string): void {
    pull.why = why;
    pull.cancel.abort();
  }

  /** When it last moved, as far as is known. */
  #movedMs({ begunMs }: Pull): number {
    return Math.max(begunMs, this.#picture?.movedMs ?? -Infinity);
  }

  #limit(pull: Pull, delayMs: number): void {
    pull.limit = this.#clock.after(delayMs, () => {
      const nowMs = this.#clock.monotonic();
      const forMs = nowMs - pull.begunMs;
      const idleMs = nowMs - this.#movedMs(pull);
      const leftMs = Math.min(PULL_LIMIT_MS - idleMs, LONGEST_PULL_MS - forMs);
      if (leftMs > 0) this.#limit(pull, leftMs);
      else {
        this.#stop(
          pull,
          `the runtime was still pulling after ${
            formatDuration(forMs)
          }, the longest time that a pull has`,
        );
      }
    });
  }

  /** Looks again and again, until no pull is left. */
  #watch(begunMs: number): void {
    this.#begunMs = begunMs;
    if (this.#deadlineMs === 0) return;
    const pauseMs = Math.min(LOOK_MS, this.#deadlineMs / LOOKS_PER_DEADLINE);
    const stop = new AbortController();
    const lookLater = (): Disposable =>
      this.#clock.after(pauseMs, () => {
        this.#look(stop.signal).then(() => {
          if (!stop.signal.aborted) timer = lookLater();
        });
      });
    let timer = lookLater();
    this.#looks = {
      [Symbol.dispose]: () => {
        stop.abort();
        timer[Symbol.dispose]();
      },
    };
  }

  /** Never rejects: what is not known ends nothing. */
  async #look(signal: AbortSignal): Promise<void> {
    try {
      const ingests = await this.#list({ signal });
      if (!signal.aborted && ingests !== undefined) this.#see(ingests);
    } catch {
      // The next look may tell.
    }
  }

  #see(ingests: readonly Ingest[]): void {
    const atMs = this.#clock.monotonic();
    const sinceMs = this.#clock.now() - (atMs - this.#begunMs);
    const look = { ingests, atMs, sinceMs };
    const picture = this.#picture = seeIngests(this.#picture, look);
    const waiting = waitingPieces(picture);
    if (waiting.length === 0) return;
    const leastMs = this.#deadlineMs * waiting.length;
    if (atMs - this.#endedMs < leastMs) return;
    const idle = this.#pulls.values().filter((pull) =>
      atMs - this.#movedMs(pull) >= leastMs
    );
    const pull = writerOf(waiting, [...idle]);
    if (pull === undefined) return;
    this.#endedMs = atMs;
    const idleMs = Math.trunc(atMs - this.#movedMs(pull));
    const bytes = this.bytesOf(pull.image);
    const latest = bytes === undefined ? "" : `; ${bytes} bytes had come`;
    this.#stop(
      pull,
      `no progress for ${
        formatDuration(idleMs)
      } (imagePullProgressDeadline)${latest}`,
    );
  }
}

/** The pull that most likely writes one of these pieces: the last that began before it. */
function writerOf(
  pieces: readonly { readonly seenMs: number }[],
  pulls: readonly Pull[],
): Pull | undefined {
  const seenMs = Math.max(...pieces.map((piece) => piece.seenMs));
  const before = pulls.filter(({ begunMs }) => begunMs <= seenMs);
  // Where none did, one goes on with what an earlier pull has begun.
  const all = before.length > 0 ? before : pulls;
  const latestMs = Math.max(...all.map(({ begunMs }) => begunMs));
  return all.find(({ begunMs }) => begunMs === latestMs);
}

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };
