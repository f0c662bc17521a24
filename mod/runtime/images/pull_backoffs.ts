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
  /** How long it waits now. */
  readonly entry: BackoffEntry;
  /** What doubles when it fails once more; `undefined` while the runtime was never asked. */
  readonly asked: BackoffEntry | undefined;
  readonly failure: PullFailure;
  readonly tried: string;
}

/** So long one waits that came too soon after others; upstream's first delay. */
const REFUSED_MS = 10_000;

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
  waitOf(key: PullKey, logins: string): PullFailure | undefined {
    const known = this.#of(key);
    if (known === undefined || known.tried !== logins) return undefined;
    const verdict = pullDelay(known.entry, this.#clock.monotonic());
    return verdict.kind === "pull"
      ? undefined
      : { ...known.failure, retryAtMs: verdict.untilMs };
  }

  /** A pull with these logins failed: the next one waits, longer each time. */
  failed(key: PullKey, failed: Pick<FailedPull, "failure" | "tried">): void {
    const asked = pullFailed(this.#of(key)?.asked, this.#clock.monotonic());
    this.#note(key, { ...failed, entry: asked, asked });
  }

  /**
   * A pull came too soon after others, and the runtime was not asked. That says nothing of
   * the image, so it does not wait longer each time: images that can never be pulled would
   * else use up what may be pulled, and keep this one away for an hour.
   */
  refused(key: PullKey, refused: Pick<FailedPull, "failure" | "tried">): void {
    const updatedAtMs = this.#clock.monotonic();
    const entry = { delayMs: REFUSED_MS, updatedAtMs };
    this.#note(key, { ...refused, entry, asked: this.#of(key)?.asked });
  }

  /** A pull succeeded. */
  succeeded({ uid, image }: PullKey): void {
    this.#failures.get(uid)?.delete(image);
  }

  #of({ uid, image }: PullKey): FailedPull | undefined {
    return this.#failures.get(uid)?.get(image);
  }

  #note({ uid, image }: PullKey, failed: FailedPull): void {
    const nowMs = this.#clock.monotonic();
    const failures = this.#failures.get(uid) ?? new Map<string, FailedPull>();
    for (const [key, { entry }] of failures) {
      if (isBackoffExpired(entry, nowMs)) failures.delete(key);
    }
    this.#failures.set(uid, failures.set(image, failed));
  }
}
