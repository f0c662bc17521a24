/**
 * Which images wait after a pull that failed.
 *
 * @module
 */

import type { Clock, Sessions } from "../../base/mod.ts";
import type {
  FailureCause,
  ImageFailureReason,
} from "../../pod/lifecycle/mod.ts";
import {
  type BackoffEntry,
  isBackoffExpired,
  pullDelay,
  pullFailed,
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

interface Failed {
  readonly entry: BackoffEntry;
  readonly failure: PullFailure;
}

/** Remembers the failed pulls of pods, image by image. */
export class PullBackoffs {
  readonly #clock: Clock;
  readonly #maxMs: number | undefined;
  /** By pod UID, then by image. */
  readonly #failures: Map<string, Map<string, Failed>>;

  /** @param options.maxMs the longest wait */
  constructor(
    deps: { readonly clock: Clock; readonly sessions: Sessions },
    options: { readonly maxMs?: number | undefined },
  ) {
    this.#clock = deps.clock;
    this.#failures = deps.sessions.map();
    this.#maxMs = options.maxMs;
  }

  /** How long a pull has to wait; `undefined` when it may begin. */
  waitOf(podUid: string, image: string): PullWait | undefined {
    const known = this.#failures.get(podUid)?.get(image);
    if (known === undefined) return undefined;
    const verdict = pullDelay(known.entry, this.#clock.monotonic());
    return verdict.kind === "pull"
      ? undefined
      : { ...known.failure, retryAtMs: verdict.untilMs };
  }

  /** A pull failed: the next one waits, longer each time. */
  failed(podUid: string, image: string, failure: PullFailure): void {
    const nowMs = this.#clock.monotonic();
    const failures = this.#failures.get(podUid) ?? new Map<string, Failed>();
    for (const [key, { entry }] of failures) {
      if (isBackoffExpired(entry, nowMs)) failures.delete(key);
    }
    const entry = pullFailed(failures.get(image)?.entry, {
      nowMs,
      ...(this.#maxMs === undefined ? {} : { maxMs: this.#maxMs }),
    });
    this.#failures.set(podUid, failures.set(image, { entry, failure }));
  }

  /** A pull succeeded. */
  succeeded(podUid: string, image: string): void {
    this.#failures.get(podUid)?.delete(image);
  }
}
