/**
 * Which of the wanted pods get a worker, and when.
 *
 * @module
 */

import type { Clock, Sessions } from "../../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { EventSink, Pod, PodStatus } from "../../api/types/mod.ts";
import { type ObjectGetter, podRef } from "../../api/objects/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import {
  type AdmissionNode,
  admit,
  type Rejection,
  runtimeClassConflict,
  withRuntimeClass,
} from "../../pod/admission/mod.ts";
import { mayReturn } from "../../pod/recovery/mod.ts";
import { isTerminalPhase, statusOfNotTaken } from "../../pod/status/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import {
  isRemoved,
  type PodWorkers,
  stopOf,
  type WorkerView,
} from "../workers/mod.ts";
import type { ResizeGate } from "./resize_gate.ts";
import type { ListedPods } from "./listed_pods.ts";
import { type ShareHolder, ShareHolders } from "./share_holders.ts";
import { sourceOf } from "./wanted_pods.ts";
import type { PodObjects } from "../../pod/inputs/mod.ts";

interface AdmissionDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly sessions: Sessions;
  readonly statuses: Pick<StatusManager, "get" | "setPodStatus" | "remove">;
  readonly objects: PodObjects;
  readonly workers: Pick<PodWorkers, "get" | "list" | "remove" | "update">;
  readonly seen: Pick<ListedPods, "unclaimed">;
  readonly resizes: Pick<ResizeGate, "holding" | "retry">;
  /** What the node offers now. */
  readonly node: () => AdmissionNode;
  /** Whether a pod was taken before and has not been cleared away. */
  readonly owns: (uid: string) => boolean;
}

/** A pod without a worker, or whose worker ends an earlier life of it. */
interface PendingPod {
  readonly pod: Pod;
  /** Wall time at which it came. */
  readonly sinceMs: number;
  /** `undefined` until it is judged for the first time. */
  readonly verdict: PendingVerdict | undefined;
}

/** Why a pod is pending. */
export type PendingVerdict = Rejection & {
  /** `waits`: what stands in its way is ending, or may turn out to have ended. */
  readonly kind: "waits" | "refused";
};

/**
 * Judges pods before they start and holds those that the node does not take. It is the
 * only way from a pod that is wanted to a worker.
 *
 * A pod that is put back while it ends is judged like any other, when it has ended: what
 * others waited for may be theirs by then. Its own old share does not count against it.
 *
 * Upstream judges a pod once and for all. Here a pod that was refused is judged
 * again when something has changed, so that it runs when it can; but not one of a cluster,
 * where a controller makes another in its place. One that the node
 * took before the agent's start is not judged again: it may be running, and a
 * restart of the agent changes no pod (I2).
 */
export class PodAdmission {
  readonly #deps: AdmissionDeps;
  readonly #rejections: Counter;
  /** By UID, in the order in which they came: before there is a worker and its session. */
  readonly #pending = new Map<string, PendingPod>();
  /** Taken before the agent's start; whether they have ended is seen when they have a status. */
  readonly #unproven: Map<string, true>;
  #changed = false;

  constructor(deps: AdmissionDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#unproven = deps.sessions.map();
    this.#rejections = deps.metrics.counter(
      "kubelet_admission_rejections_total",
      "Pods that the node refused to run, by reason",
      ["reason"],
    );
  }

  /** Wants a pod to run as it says: a pod of the node at once, another when it is judged. */
  want(pod: Pod): void {
    const { uid } = pod.metadata;
    this.#changed = true;
    const pending = this.#pending.get(uid);
    const worker = this.#deps.workers.get(uid);
    if (pending !== undefined) {
      this.#pending.set(uid, { ...pending, pod });
    } else if (worker !== undefined && !isLeaving(worker)) {
      if (hasEnded(worker.state)) this.#noteChange(pod);
      this.#start(pod);
    } else if (worker === undefined && this.#wasTaken(pod)) {
      this.#unproven.set(uid, true);
      this.#start(pod);
    } else {
      const sinceMs = this.#deps.clock.now();
      this.#pending.set(uid, { pod, sinceMs, verdict: undefined });
    }
  }

  /**
   * Begins a pod anew that has ended, if the node takes it now; else it stays as it is.
   *
   * @returns why it is not taken
   */
  renew(pod: Pod): Pick<PendingVerdict, "message"> | undefined {
    const { seen, workers } = this.#deps;
    const unclaimed = seen.unclaimed();
    if (unclaimed === undefined) {
      return { message: "it is not known yet what runs on the node" };
    }
    const verdict = this.#judge(pod, this.#holders(unclaimed));
    if (verdict !== undefined) return verdict;
    // The one and then the other at once: what there is of it goes but for the logs.
    workers.remove(pod.metadata.uid);
    this.#start(pod);
    return undefined;
  }

  /** Forgets a pending pod that is not wanted any more. */
  drop(uid: string): void {
    this.#changed = true;
    const pending = this.#pending.get(uid);
    this.#pending.delete(uid);
    // The status of one that still ends says how.
    if (pending?.verdict !== undefined) this.#deps.statuses.remove(uid);
  }

  /** Something changed by which a pending pod may now be taken. */
  touch(): void {
    this.#changed = true;
  }

  /** The pods that are pending, by UID, as their sources have them. */
  pending(): ReadonlyMap<string, Pod> {
    return new Map([...this.#pending].map(([uid, { pod }]) => [uid, pod]));
  }

  /** Why the pod has no worker; `undefined` for one that has, or was not judged yet. */
  pendingVerdict(uid: string): PendingVerdict | undefined {
    return this.#pending.get(uid)?.verdict;
  }

  /** The pods that have no worker, shaped like those that have one. */
  list(): readonly WorkerView[] {
    const { workers } = this.#deps;
    return [...this.#pending].flatMap(([uid, { pod }]) =>
      workers.get(uid) !== undefined ? [] : [{
        uid,
        fullName: podFullName(pod),
        state: { kind: "syncing", pod, wanted: pod },
      }]
    );
  }

  /**
   * Judges the pending pods, first come, first served, and starts those that are
   * taken; pods that may not be resized are looked at again. Costs nothing while
   * nothing has changed.
   */
  review(): void {
    // Nothing says when what a waiting pod waits for is over.
    const isWaiting = [...this.#pending.values()]
      .some(({ verdict }) => verdict?.kind === "waits");
    if (!this.#changed && !isWaiting) return;
    const isResizing = this.#changed && this.#deps.resizes.retry();
    if (this.#pending.size === 0 && !isResizing) {
      this.#changed = false;
      return;
    }
    // What runs without a manifest holds its share, too: nothing is given away before
    // that is known.
    const unclaimed = this.#deps.seen.unclaimed();
    this.#changed = unclaimed === undefined;
    if (unclaimed === undefined) return;
    const holders = this.#holders(unclaimed);
    for (const [uid, each] of this.#pending) {
      if (isOver(each)) continue;
      const worker = this.#deps.workers.get(uid);
      // One whose stop is deferred goes on if it has its place.
      const isEnding = worker?.state.kind === "terminating" &&
        worker.state.stop.kind !== "deferred";
      if (isEnding) continue;
      const verdict = this.#judge(each.pod, holders);
      if (verdict === undefined) {
        this.#take(uid, each);
        this.#hold(uid, holders);
      } else if (worker === undefined) {
        // What is left of an earlier life goes first, and takes its status along.
        this.#keepPending(uid, each, verdict);
      }
    }
  }

  #take(uid: string, { pod, verdict }: PendingPod): void {
    this.#pending.delete(uid);
    if (verdict !== undefined) {
      // It begins anew, without the refusal in its past.
      this.#deps.statuses.remove(uid);
      const { kind, reason } = verdict;
      this.#deps.log.info("pod_admitted", {
        pod: podFullName(pod),
        uid,
        after: kind,
        reason,
      });
    }
    this.#start(pod);
  }

  #keepPending(
    uid: string,
    pending: PendingPod,
    verdict: PendingVerdict,
  ): void {
    this.#pending.set(uid, { ...pending, verdict });
    const { pod, sinceMs, verdict: before } = pending;
    const { kind, reason, message } = verdict;
    const isSame = before?.kind === kind && before.reason === reason;
    if (isSame && before.message === message) return;
    const { statuses, events, log } = this.#deps;
    const why = { pod, kind, reason, message, nowMs: sinceMs };
    statuses.setPodStatus(pod, statusOfNotTaken(why));
    // The figures in the message move with every other pod: an event needs a new cause.
    if (isSame) return;
    if (kind === "waits") {
      log.info("pod_waits", { pod: podFullName(pod), uid, reason, message });
      return;
    }
    this.#rejections.inc({ reason: metricReason(reason) });
    events.record(podRef(pod), { type: "Warning", reason, message });
  }

  /**
   * Upstream too: only a pod that was removed and added again starts anew. In a cluster
   * there is none with the same UID.
   */
  #noteChange(pod: Pod): void {
    const { statuses, events } = this.#deps;
    const status = statuses.get(pod.metadata.uid) ?? {};
    // It comes back as it is wanted then.
    if (mayReturn(pod, status) || isOfCluster(pod)) return;
    const { phase = "Unknown" } = status;
    events.record(podRef(pod), {
      type: "Warning",
      reason: "PodChangeIgnored",
      message:
        `Cannot run the changed pod: under its UID it has ended as "${phase}", wanted another metadata.uid, or the manifest removed and then added again`,
    });
  }

  #judge(
    pod: Pod,
    all: ShareHolders,
  ): PendingVerdict | undefined {
    const runtimeClass = this.#classOf(pod);
    const conflict = runtimeClass && runtimeClassConflict(pod, runtimeClass);
    if (conflict !== undefined) {
      return { kind: "refused", reason: "NodeAffinity", message: conflict };
    }
    const request = {
      pod: this.#withRuntimeClass(pod),
      node: this.#deps.node(),
    };
    const { others, lasting: stayers } = all.beside(pod);
    const rejection = admit({ ...request, others });
    if (rejection === undefined) return undefined;
    const lasting = admit({ ...request, others: stayers });
    return lasting === undefined
      ? { kind: "waits", ...rejection }
      : { kind: "refused", ...lasting };
  }

  /** The pods whose share of the node is taken, by UID. */
  #holders(unclaimed: readonly Pod[]): ShareHolders {
    const holders = new ShareHolders();
    for (const { uid } of this.#deps.workers.list()) this.#hold(uid, holders);
    for (const pod of unclaimed) {
      // They end, or their source says that they stay.
      holders.set(pod.metadata.uid, { pod, stays: false });
    }
    return holders;
  }

  /** Puts the share of a pod with a worker among the others. */
  #hold(uid: string, holders: ShareHolders): void {
    const worker = this.#deps.workers.get(uid);
    const held = worker && this.#holder(worker);
    if (held !== undefined) holders.set(uid, held);
  }

  #holder(
    { uid, state }: WorkerView,
  ): ShareHolder | undefined {
    const { resizes } = this.#deps;
    const { pod } = state;
    const next = stopOf(state)?.next;
    if (next !== undefined) return { pod: next, stays: true };
    if (pod === undefined) return undefined;
    switch (state.kind) {
      case "syncing":
        return { pod: resizes.holding(pod), stays: this.#isProven(uid) };
      case "terminating":
        return { pod: resizes.holding(pod), stays: false };
      case "terminated":
      case "finished":
        return undefined;
    }
  }

  /** Whether it is known of a pod that it runs or is going to. */
  #isProven(uid: string): boolean {
    const status = this.#deps.statuses.get(uid);
    if (isTerminalPhase(status?.phase)) return false;
    return !this.#unproven.has(uid) || status?.containerStatuses !== undefined;
  }

  /**
   * Whether the pod ever had a place here; what ended for good is not judged again, nor
   * what its source says has.
   */
  #wasTaken({ metadata: { uid }, status: told }: Pod): boolean {
    const status = this.#deps.statuses.get(uid);
    return this.#deps.owns(uid) || hasRunToItsEnd(status) ||
      hasRunToItsEnd(told);
  }

  #start(pod: Pod): void {
    this.#deps.workers.update(this.#withRuntimeClass(pod), pod);
  }

  /** The pod with what its RuntimeClass adds, as an API server stores it. */
  #withRuntimeClass(pod: Pod): Pod {
    const runtimeClass = this.#classOf(pod);
    return runtimeClass === undefined
      ? pod
      : withRuntimeClass(pod, runtimeClass);
  }

  #classOf(pod: Pod): ReturnType<ObjectGetter["runtimeClass"]> {
    const { runtimeClassName = "" } = pod.spec;
    return runtimeClassName === ""
      ? undefined
      : this.#deps.objects.seenBy(pod).runtimeClass(runtimeClassName);
  }
}

/** It came to its end by itself or was evicted, and does not begin anew. */
function hasEnded(state: WorkerView["state"]): boolean {
  return state.kind !== "syncing" && !isRemoved(state);
}

function hasRunToItsEnd(status: PodStatus | undefined): boolean {
  return isTerminalPhase(status?.phase) &&
    status?.containerStatuses !== undefined;
}

/** In a cluster what is refused has failed for good, and was told so. */
function isOver({ pod, verdict }: PendingPod): boolean {
  return verdict?.kind === "refused" && isOfCluster(pod);
}

function isOfCluster({ metadata }: Pod): boolean {
  return sourceOf(metadata.annotations) === "api";
}

/** It is to go, and what is wanted under its UID is a new life. */
function isLeaving({ state }: WorkerView): boolean {
  return isRemoved(state) && stopOf(state)?.next === undefined;
}

/** Resources with a domain of their own are many; upstream counts them as one. */
function metricReason(reason: string): string {
  return reason.startsWith("OutOf") && reason.includes("/")
    ? "OutOfExtendedResources"
    : reason;
}
