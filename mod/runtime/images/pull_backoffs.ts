/**
 * Which images wait after a pull that failed.
 *
 * @module
 */

import type { Clock, Sessions } from "../../base/mod.ts";
import {
  type BackoffEntry,
  isBackoffExpired,
  pullDelay,
  pullFailed,
} from "../../pod/recovery/mod.ts";
import type { PullEnd, PullKey } from "./pull_tasks.ts";

type PullFailure = PullEnd & { readonly kind: "failed" };

interface FailedPull {
  readonly entry: BackoffEntry;
  readonly failure: PullFailure;
  readonly tried: string;
}

/** Remembers the failed pulls of pods, image by image. */
export class PullBackoffs {
  readonly #clock: Clock;
  /** By pod UID, then by image. */
  readonly #failures: Map<string, Map<string, FailedPull>>;

  constructor(
    deps: { readonly clock: Clock; readonly sessions: Sessions },
  ) {
    this.#clock = deps.clock;
    this.#failures = deps.sessions.map();
  }

  /**
   * Why a pull has to wait, and until when; `undefined` when it may begin.
   *
   * @param logins which logins it would try: others than the last one had are no repetition
   */
  waitOf({ uid, image }: PullKey, logins: string): PullFailure | undefined {
    const known = this.#failures.get(uid)?.get(image);
    if (known === undefined || known.tried !== logins) return undefined;
    const verdict = pullDelay(known.entry, this.#clock.monotonic());
    return verdict.kind === "pull"
      ? undefined
      : { ...known.failure, retryAtMs: verdict.untilMs };
  }

  /** A pull with these logins failed: the next one waits, longer each time. */
  failed(
    { uid, image }: PullKey,
    { failure, tried }: Omit<FailedPull, "entry">,
  ): void {
    const nowMs = this.#clock.monotonic();
    const failures = this.#failures.get(uid) ?? new Map<string, FailedPull>();
    for (const [key, { entry }] of failures) {
      if (isBackoffExpired(entry, nowMs)) failures.delete(key);
    }
    const entry = pullFailed(failures.get(image)?.entry, nowMs);
    this.#failures.set(uid, failures.set(image, { entry, failure, tried }));
  }

  /** A pull succeeded. */
  succeeded({ uid, image }: PullKey): void {
    this.#failures.get(uid)?.delete(image);
  }
}
