/**
 * What is remembered of pods between two syncs.
 *
 * @module
 */

import type { Clock, Sessions } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { RuntimePicture } from "../../picture/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { PodPlan } from "../../pod/plan/mod.ts";
import { parseTime } from "../../pod/status/mod.ts";
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

/** What the last steps of a pod came to. */
export interface PodOutcome {
  /** `undefined` before the first sync. */
  readonly decision: PodDecision | undefined;
  /** Why the pod could not be ended when that was last tried. */
  readonly endFailure: EndFailure | undefined;
}

/** The same, but due in `leftMs` at the latest; `undefined` says that nothing presses. */
export function noLaterThan(
  result: SyncResult,
  leftMs: number | undefined,
): SyncResult {
  if (leftMs === undefined) return result;
  switch (result.kind) {
    case "settled":
      return { ...result, againMs: Math.min(result.againMs ?? leftMs, leftMs) };
    case "retry":
      return { ...result, delayMs: Math.min(result.delayMs, leftMs) };
    case "held":
    case "terminal":
      return result;
  }
}

/** By container name. */
type WaitReasons = ReadonlyMap<
  string,
  { readonly reason: string; readonly message: string }
>;

/** What a sync found, and what it is going to do about it. */
type Finding = Pick<PodDecision, "pod" | "observed" | "plan">;

/**
 * Remembers of one pod only what the runtime does not report: why a container waits, the
 * result of the last sync, and the time of the last action. No plan is made from a picture
 * older than that time (I1).
 */
export class PodMemory implements PodOutcome {
  /** Why containers have not started, as the last attempt said. */
  waiting: WaitReasons = new Map();
  decision: PodDecision | undefined;
  endFailure: EndFailure | undefined;
  /** When something was last done for the pod, on the monotonic clock. */
  actedAtMs: number | undefined;
  readonly #clock: Clock;
  #start: { readonly time: string; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Milliseconds since the pod's `startTime`; `undefined` when that is no time.
   *
   * Within a run of the agent the monotonic clock counts. The time before that
   * is by the wall clock, which is read once for each start time.
   */
  activeMs(startTime: string | undefined): number | undefined {
    const startMs = parseTime(startTime);
    if (startMs === undefined || startTime === undefined) return undefined;
    const nowMs = this.#clock.monotonic();
    if (this.#start?.time !== startTime) {
      const activeMs = Math.max(0, this.#clock.now() - startMs);
      this.#start = { time: startTime, atMs: nowMs - activeMs };
    }
    return nowMs - this.#start.atMs;
  }

  /** A plan was made and is carried out from now on. */
  decided(finding: Finding): void {
    const { earlier, failures = [] } = this.decision ?? {};
    this.decision = {
      ...finding,
      atMs: this.#clock.now(),
      failures: [],
      earlier: earlier ?? failures,
      next: { kind: "acting" },
    };
  }

  /** An attempt to start containers left these failures: the containers wait. */
  tried(failures: readonly SyncFailure[]): void {
    this.waiting = new Map(
      failures.flatMap(({ container, reason, message }) =>
        container === undefined
          ? []
          : [[container, { reason, message }] as const]
      ),
    );
  }

  /** A sync is over. */
  ended(result: SyncResult, failures: readonly SyncFailure[]): void {
    if (this.decision === undefined) return;
    const { earlier: _earlier, ...made } = this.decision;
    const next = nextAfter(result, this.#clock.monotonic());
    this.decision = { ...made, failures, next };
  }

  /** A sync could not be finished; when it is tried again, its worker knows. */
  broken(finding: Omit<Finding, "plan">, error: unknown): void {
    const [message, cause] = [describeError(error), causeOf(error)];
    this.decision = {
      ...finding,
      plan: undefined,
      atMs: this.#clock.now(),
      // Upstream's event.
      failures: [{ reason: "FailedSync", message, cause }],
      next: { kind: "retry" },
    };
  }

  /** The pod could not be ended; that is tried again. */
  notEnded(error: unknown): void {
    const { words, brief = words } = causeOf(error);
    this.endFailure = { words: brief, atMs: this.#clock.now() };
  }
}

interface SyncMemoryDeps {
  readonly clock: Clock;
  readonly sessions: Sessions;
  /** Notes each action for the pod. */
  readonly picture: Pick<RuntimePicture, "act">;
}

/** One memory a pod, as long as its session lasts. */
export class SyncMemory {
  readonly #deps: SyncMemoryDeps;
  readonly #pods: Map<string, PodMemory>;

  constructor(deps: SyncMemoryDeps) {
    this.#deps = deps;
    this.#pods = deps.sessions.map();
  }

  /** The memory of a pod, if there is one. */
  get(uid: string): PodMemory | undefined {
    return this.#pods.get(uid);
  }

  /** The memory of a pod, new where there is none. */
  of(uid: string): PodMemory {
    const memory = this.#pods.get(uid) ?? new PodMemory(this.#deps.clock);
    this.#pods.set(uid, memory);
    return memory;
  }

  /** Does what changes a pod. */
  async acted<T>(uid: string, act: () => Promise<T>): Promise<T> {
    using _acting = this.#deps.picture.act(uid);
    try {
      return await act();
    } finally {
      // Also when it was cut short: what it began must be seen before the next plan.
      this.of(uid).actedAtMs = this.#deps.clock.monotonic();
    }
  }

  /** Ends the session of a pod that begins anew, but not that its end changed what is to be seen. */
  renew(uid: string): void {
    const actedAtMs = this.#pods.get(uid)?.actedAtMs;
    this.#deps.sessions.delete(uid);
    if (actedAtMs !== undefined) this.of(uid).actedAtMs = actedAtMs;
  }
}

/** When the next sync is due after one that ended so at `nowMs`. */
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
