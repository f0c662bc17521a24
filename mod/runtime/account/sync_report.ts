/**
 * What one execution of a plan did, and how it ended.
 *
 * @module
 */

import { type Clock, defined } from "../../base/mod.ts";
import type { PodFailure, SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";

/** Collects what happens while a plan is executed, and sums it up. */
export class SyncReport {
  readonly #clock: Clock;
  readonly #failures: SyncFailure[] = [];
  #podFailure: PodFailure | undefined;
  #actedAtMs: number | undefined;
  #onlyStarted = true;
  #isPulling = false;
  #unstopped: readonly string[] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True while nothing was done but starting, and nothing failed half way. */
  get onlyStarted(): boolean {
    return this.#onlyStarted && this.#actedAtMs !== undefined;
  }

  /** Something was started. */
  changed(): void {
    this.#actedAtMs = this.#clock.monotonic();
  }

  /** Something was stopped or removed, or is in an unknown state. */
  stopped(): void {
    this.changed();
    this.#onlyStarted = false;
  }

  /** These sandboxes could not be stopped, though nothing runs in them. */
  leftUnstopped(sandboxIds: readonly string[]): void {
    this.#unstopped = sandboxIds;
  }

  /** One container waits for an image that is being pulled. */
  pulling(): void {
    this.#isPulling = true;
  }

  /** One container could not be started. */
  failed(failure: SyncFailure): void {
    this.#failures.push(failure);
  }

  /** The pod as a whole could not go on. */
  podFailed(failure: PodFailure): void {
    this.#podFailure = failure;
  }

  /** The pod is to be looked at again at once. */
  again(reason: PodFailure["reason"], message: string): void {
    this.stopped();
    this.failed({ reason, message, retryAtMs: this.#clock.monotonic() });
  }

  /** A time after the last change, on the monotonic clock. */
  timeAfter(): number {
    const nowMs = this.#clock.monotonic();
    // Two calls may have the same time on a coarse clock.
    return Math.max(nowMs, (this.#actedAtMs ?? nowMs) + 0.001);
  }

  /** The sum. */
  outcome(observed?: SyncOutcome["observed"]): SyncOutcome {
    return defined({
      acted: this.#actedAtMs !== undefined,
      actedAtMs: this.#actedAtMs ?? this.#clock.monotonic(),
      failures: this.#failures,
      isPulling: this.#isPulling,
      unstopped: this.#unstopped,
      podFailure: this.#podFailure,
      observed,
    });
  }
}

/** What was done for a pod, and what is known of it now. */
export interface SyncOutcome {
  /** True when something in the runtime may have changed: look before the next plan. */
  readonly acted: boolean;
  /** When the last change was over, on the monotonic clock in milliseconds. */
  readonly actedAtMs: number;
  /** In the order they happened; one without a container asks for another sync. */
  readonly failures: readonly SyncFailure[];
  /** An image is still being pulled; the pod is synced again when that has ended. */
  readonly isPulling: boolean;
  /** Sandboxes in which nothing runs any more and which could not be stopped. */
  readonly unstopped?: readonly string[];
  /** Why none of the pod's containers could be started or kept. */
  readonly podFailure?: PodFailure;
  /**
   * The pod as the runtime showed it after the last change, when that could be said
   * without looking at all of it again; `atMs` is when it was asked, on the monotonic
   * clock and after `actedAtMs`.
   */
  readonly observed?: { readonly pod: ObservedPod; readonly atMs: number };
}
