/**
 * How soon another sandbox of a pod may be made.
 *
 * @module
 */

import { type Clock, nextDelay, type Sessions } from "../../base/mod.ts";
import { BACKOFF_EXPIRY_MS } from "../../pod/recovery/mod.ts";
import type { PodFailure } from "../../pod/lifecycle/mod.ts";

type SandboxWait = PodFailure & { readonly retryAtMs: number };

interface FailedSandbox {
  readonly failure: PodFailure;
  readonly atMs: number;
  readonly delayMs: number;
}

interface Made {
  readonly atMs: number;
  /** How long after it another may be made; 0 for the first. */
  readonly delayMs: number;
}

/** Soon again, then seldom. */
const PAUSE = { baseMs: 2_000, maxMs: 30_000 };

/**
 * Remembers of each pod how its sandboxes fared.
 *
 * Runtime events say what became of a sandbox, and each has the pod looked at again:
 * one that cannot be made, or that breaks soon after it was made, would else be made
 * again in a tight loop. Upstream has no such pause for the latter.
 */
export class SandboxPauses {
  readonly #clock: Clock;
  /** The last failure by pod UID, until a sandbox is made. */
  readonly #failed: Map<string, FailedSandbox>;
  /** The last sandbox by pod UID. */
  readonly #made: Map<string, Made>;

  constructor(deps: { readonly clock: Clock; readonly sessions: Sessions }) {
    this.#clock = deps.clock;
    this.#failed = deps.sessions.map();
    this.#made = deps.sessions.map();
  }

  /** Counts a sandbox that could not be made, and says when to try again. */
  failed(uid: string, failure: PodFailure): SandboxWait {
    const delayMs = nextDelay(this.#failed.get(uid)?.delayMs, PAUSE);
    const atMs = this.#clock.monotonic();
    this.#failed.set(uid, { failure, atMs, delayMs });
    return { ...failure, retryAtMs: atMs + delayMs };
  }

  /** Counts a sandbox that was made: the next one but one has to wait. */
  made(uid: string): void {
    this.#failed.delete(uid);
    const before = this.#made.get(uid);
    const atMs = this.#clock.monotonic();
    const isCalm = before === undefined ||
      atMs - before.atMs > BACKOFF_EXPIRY_MS;
    const delayMs = isCalm ? 0 : nextDelay(before.delayMs || undefined, PAUSE);
    this.#made.set(uid, { atMs, delayMs });
  }

  /** Why the pod has to wait before its next sandbox, or `undefined` to make it now. */
  waitOf(uid: string): SandboxWait | undefined {
    const nowMs = this.#clock.monotonic();
    const failed = this.#failed.get(uid);
    if (failed !== undefined) {
      const retryAtMs = failed.atMs + failed.delayMs;
      return nowMs < retryAtMs ? { ...failed.failure, retryAtMs } : undefined;
    }
    const made = this.#made.get(uid);
    if (made === undefined || nowMs >= made.atMs + made.delayMs) {
      return undefined;
    }
    return {
      reason: "CreatePodSandboxError",
      message:
        "Waiting to make another pod sandbox: the last ones broke soon after they were made",
      cause: { kind: "sandboxes_broke" },
      retryAtMs: made.atMs + made.delayMs,
    };
  }
}
