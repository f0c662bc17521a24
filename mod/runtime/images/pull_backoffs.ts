/**
 * Which images wait after a pull that failed.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type {
  FailureCause,
  ImageFailureReason,
} from "../../pod/lifecycle/mod.ts";
import {
  type BackoffEntry,
  isBackoffExpired,
  pullDelay,
  pullFailed,
  pullKey,
} from "../../pod/recovery/mod.ts";

/** A pull that may not begin yet. */
export interface PullWait extends PullFailure {
  /** On the monotonic clock in milliseconds. */
  readonly retryAtMs: number;
}

/** Why the last pull failed. */
export interface PullFailure {
  readonly reason: ImageFailureReason;
  readonly message: string;
  readonly cause: FailureCause;
}

/** Remembers the failed pulls of pods, image by image. */
export class PullBackoffs {
  readonly #clock: Clock;
  readonly #maxMs: number | undefined;
  readonly #failures = new Map<
    string,
    { readonly entry: BackoffEntry; readonly failure: PullFailure }
  >();

  /** @param options.maxMs the longest wait */
  constructor(
    deps: { readonly clock: Clock },
    options: { readonly maxMs?: number | undefined },
  ) {
    this.#clock = deps.clock;
    this.#maxMs = options.maxMs;
  }

  /** How long a pull has to wait; `undefined` when it may begin. */
  waitOf(podUid: string, image: string): PullWait | undefined {
    const known = this.#failures.get(pullKey(podUid, image));
    if (known === undefined) return undefined;
    const verdict = pullDelay(known.entry, this.#clock.monotonic());
    return verdict.kind === "pull"
      ? undefined
      : { ...known.failure, retryAtMs: verdict.untilMs };
  }

  /** A pull failed: the next one waits, longer each time. */
  failed(podUid: string, image: string, failure: PullFailure): void {
    const nowMs = this.#clock.monotonic();
    for (const [key, { entry }] of this.#failures) {
      if (isBackoffExpired(entry, nowMs)) this.#failures.delete(key);
    }
    const key = pullKey(podUid, image);
    const entry = pullFailed(this.#failures.get(key)?.entry, {
      nowMs,
      ...(this.#maxMs === undefined ? {} : { maxMs: this.#maxMs }),
    });
    this.#failures.set(key, { entry, failure });
  }

  /** A pull succeeded. */
  succeeded(podUid: string, image: string): void {
    this.#failures.delete(pullKey(podUid, image));
  }

  /** Forgets a pod that is gone. */
  forget(podUid: string): void {
    const prefix = pullKey(podUid, "");
    for (const key of this.#failures.keys()) {
      if (key.startsWith(prefix)) this.#failures.delete(key);
    }
  }
}
