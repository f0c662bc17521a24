/**
 * What the last sync of a pod came to, for those who explain it.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import type { SyncFailure } from "../../runtime/account/mod.ts";
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
  readonly next: NextSync;
}

/** When the pod is looked at again although nothing moves. */
export interface NextSync {
  /** `acting`: the plan is being carried out at present. The others: see `SyncResult`. */
  readonly kind: "acting" | "settled" | "retry" | "held" | "terminal";
  /** On the monotonic clock, in milliseconds; absent where it is the usual period. */
  readonly dueMs?: number;
}

/** What a sync found, and what it is going to do about it. */
type Finding = Pick<PodDecision, "pod" | "observed" | "plan">;

/** The reason of a sync that could not even ask the runtime (upstream's event). */
const FAILED_SYNC = "FailedSync";

/** The last decision on every pod that is synced. */
export class Decisions {
  readonly #clock: Clock;
  readonly #last = new Map<string, PodDecision>();

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
    this.#last.set(uid, { ...finding, atMs, failures: [], next });
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
    const { result, failures } = how;
    const nowMs = this.#clock.monotonic();
    this.#last.set(uid, { ...last, failures, next: nextAfter(result, nowMs) });
  }

  /** A sync could not be finished; when it is tried again, its worker knows. */
  broken(finding: Omit<Finding, "plan">, error: unknown): void {
    const { pod: { metadata: { uid } } } = finding;
    const failure = { reason: FAILED_SYNC, message: describeError(error) };
    this.#last.set(uid, {
      ...finding,
      plan: undefined,
      atMs: this.#clock.now(),
      failures: [failure],
      next: { kind: "retry" },
    });
  }

  /** Forgets a pod that is gone. */
  forget(uid: string): void {
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
