/**
 * What the last sync of a pod came to, for those who explain it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import { causeOf } from "../../runtime/account/mod.ts";
import type { SyncResult } from "../workers/mod.ts";

/** What was found of a pod, what was to be done about it, and what came of that. */
export interface PodDecision {
  /** When it was made; wall time, milliseconds since the epoch. */
  readonly atMs: number;
  /** `undefined` where the sync ended before there was one. */
  readonly plan: PodPlan | undefined;
  /** The look that the plan was made from. */
  readonly observed: ObservedPod;
  /** With the resources that it may have. */
  readonly pod: Pod;
  /** In the order they happened; one without a container is about the pod as a whole. */
  readonly failures: readonly SyncFailure[];
  /** Those of the sync before, while this one goes on: containers still wait for them. */
  readonly earlier?: readonly SyncFailure[];
  readonly next: NextSync;
}

/** When the pod is looked at again although nothing moves. */
export interface NextSync {
  /** `acting`: the plan is being carried out at present. The others: see `SyncResult`. */
  readonly kind: "acting" | "settled" | "retry" | "held" | "terminal";
  /** On the monotonic clock, in milliseconds; absent where it is the usual period. */
  readonly dueMs?: number;
}

/** Why a pod could not be ended. */
export interface EndFailure {
  /** What the runtime or the system said. */
  readonly words: string;
  /** Wall time, milliseconds since the epoch. */
  readonly atMs: number;
}

/** What a sync found, and what it is going to do about it. */
type Finding = Pick<PodDecision, "pod" | "observed" | "plan">;

/** The last decision on every pod that is synced. */
export class Decisions {
  readonly #clock: Clock;
  readonly #last = new Map<string, PodDecision>();
  readonly #endFailures = new Map<string, EndFailure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last one on a pod; `undefined` when nobody has looked at it yet. */
  get(uid: string): PodDecision | undefined {
    return this.#last.get(uid);
  }

  /** A plan was made and is carried out from now on. */
  made(finding: Finding): void {
    const { pod: { metadata: { uid } } } = finding;
    const atMs = this.#clock.now();
    const next: NextSync = { kind: "acting" };
    const last = this.#last.get(uid);
    const earlier = last?.earlier ?? last?.failures ?? [];
    this.#last.set(uid, { ...finding, atMs, failures: [], earlier, next });
  }

  /** A sync is over. */
  ended(
    uid: string,
    how: {
      readonly result: SyncResult;
      readonly failures: readonly SyncFailure[];
    },
  ): void {
    const last = this.#last.get(uid);
    if (last === undefined) return;
    const { earlier: _earlier, ...made } = last;
    const { result, failures } = how;
    const nowMs = this.#clock.monotonic();
    this.#last.set(uid, { ...made, failures, next: nextAfter(result, nowMs) });
  }

  /** A sync could not be finished; when it is tried again, its worker knows. */
  broken(finding: Omit<Finding, "plan">, error: unknown): void {
    const { pod: { metadata: { uid } } } = finding;
    this.#last.set(uid, {
      ...finding,
      plan: undefined,
      atMs: this.#clock.now(),
      failures: [{
        // Upstream's event.
        reason: "FailedSync",
        message: describeError(error),
        cause: causeOf(error),
      }],
      next: { kind: "retry" },
    });
  }

  /** A pod could not be ended; that is tried again. */
  notEnded(uid: string, error: unknown): void {
    const { words } = causeOf(error);
    this.#endFailures.set(uid, { words, atMs: this.#clock.now() });
  }

  /** Why a pod could not be ended when that was last tried. */
  endFailure(uid: string): EndFailure | undefined {
    return this.#endFailures.get(uid);
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
    this.#endFailures.delete(uid);
    this.#last.delete(uid);
  }
}

function nextAfter(result: SyncResult, nowMs: number): NextSync {
  switch (result.kind) {
    case "settled":
      return result.againMs === undefined
        ? { kind: "settled" }
        : { kind: "settled", dueMs: nowMs + result.againMs };
    case "retry":
      return { kind: "retry", dueMs: nowMs + result.delayMs };
    case "held":
    case "terminal":
      return result;
  }
}
