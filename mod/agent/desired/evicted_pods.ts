/**
 * Pods that were ended because the node ran short, and when they run again.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { mayReturn, pauseBeforeReturn } from "../../pod/recovery/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import { isRemoved, type PodWorkers } from "../workers/mod.ts";
import type { PodAdmission } from "./pod_admission.ts";

/** What a pod waits for that is to run again. */
export type PodReturn =
  /** The node is short of something, or has not been looked at yet. */
  | { readonly kind: "short" }
  /** The node has been short of nothing for too short a time; monotonic. */
  | { readonly kind: "pauses"; readonly untilMs: number }
  /** Its time has come, but the node does not take it. */
  | {
    readonly kind: "refused";
    readonly message: string;
    readonly untilMs: number;
  };

/**
 * So long is waited after each one: what it takes shows at the next look at the node. One
 * that is not taken is judged again as often.
 */
const BETWEEN_MS = 10_000;

/** What is known of shortages of the node. */
export interface NodeShortage {
  /** Whether the node was looked at and has no condition of pressure. */
  readonly isCalm: boolean;
  /** How long a condition stays after it was last found. */
  readonly transitionMs: number;
}

interface EvictedPodsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly statuses: Pick<StatusManager, "get" | "eviction">;
  readonly workers: Pick<PodWorkers, "list">;
  readonly admission: Pick<PodAdmission, "renew">;
  readonly shortage: NodeShortage;
}

interface Evicted {
  readonly pod: Pod;
  readonly message: string;
  readonly state: PodReturn;
}

/**
 * Starts pods again that were ended because the node ran short, once it is not any more.
 *
 * Upstream leaves that to the controller that made the pod; here there is none. All that
 * counts is in statuses, which outlive the agent, so a restart of it or of the machine
 * forgets none. One pod comes back at a time, the most important first. Costs next to
 * nothing while none waits.
 */
export class EvictedPods {
  readonly #deps: EvictedPodsDeps;
  readonly #returns: Counter;
  /** By UID. */
  #evicted: ReadonlyMap<string, Evicted> = new Map();
  #nextMs = -Infinity;

  constructor(deps: EvictedPodsDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#returns = deps.metrics.counter(
      "skerry_evicted_pods_returned_total",
      "Pods that were started again after the node had evicted them",
    );
  }

  /** What the pod waits for; `undefined` for one that is not to come back. */
  stateOf(uid: string): PodReturn | undefined {
    return this.#evicted.get(uid)?.state;
  }

  /** Looks who waits, and has the first of them start whose time has come. */
  review(): void {
    const nowMs = this.#deps.clock.monotonic();
    const evicted = this.#waiting(nowMs);
    this.#evicted = evicted;
    if (evicted.size === 0 || nowMs < this.#nextMs) return;
    const due = [...evicted].filter(([, { state }]) =>
      state.kind !== "short" && nowMs >= state.untilMs
    ).toSorted(([, a], [, b]) => priorityOf(b) - priorityOf(a));
    for (const [uid, each] of due) {
      const refusal = this.#deps.admission.renew(each.pod);
      if (refusal === undefined) {
        evicted.delete(uid);
        this.#nextMs = nowMs + BETWEEN_MS;
        return this.#report(each);
      }
      const { message } = refusal;
      const state = {
        kind: "refused",
        message,
        untilMs: nowMs + BETWEEN_MS,
      } as const;
      evicted.set(uid, { ...each, state });
    }
  }

  #waiting(nowMs: number): Map<string, Evicted> {
    const { workers, statuses } = this.#deps;
    const waiting = new Map<string, Evicted>();
    for (const { uid, state } of workers.list()) {
      if (state.kind !== "finished" || isRemoved(state)) continue;
      const { wanted: pod } = state;
      const status = statuses.get(uid);
      if (pod === undefined || status === undefined) continue;
      if (!mayReturn(pod, status)) continue;
      const { message = "" } = status;
      waiting.set(uid, { pod, message, state: this.#stateNow(uid, nowMs) });
    }
    return waiting;
  }

  #stateNow(uid: string, nowMs: number): PodReturn {
    const { clock, shortage, statuses } = this.#deps;
    if (!shortage.isCalm) return { kind: "short" };
    const before = this.#evicted.get(uid)?.state;
    if (before !== undefined && before.kind !== "short") return before;
    const note = statuses.eviction(uid);
    if (note === undefined) return { kind: "short" };
    const { transitionMs } = shortage;
    const pauseMs = pauseBeforeReturn(note, {
      nowMs: clock.now(),
      transitionMs,
    });
    return { kind: "pauses", untilMs: nowMs + pauseMs };
  }

  #report({ pod, message }: Evicted): void {
    const { events, log } = this.#deps;
    this.#returns.inc();
    log.info("evicted_pod_returns", { ...podRef(pod) });
    events.record(podRef(pod), {
      type: "Normal",
      reason: "EvictedPodReturned",
      message:
        `Starting the pod again, as the node is short of nothing any more. It was evicted: ${message}`,
    });
  }
}

function priorityOf({ pod }: Evicted): number {
  return pod.spec.priority ?? 0;
}
