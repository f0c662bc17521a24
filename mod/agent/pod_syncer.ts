/**
 * What is done for one pod: bring it nearer to its spec, stop it, clear it away.
 *
 * @module
 */

import { jitter } from "../base/mod.ts";
import { type Pod, podRef, type PodStatus } from "../api/mod.ts";
import {
  allocatedPod,
  buildPodStatus,
  DEADLINE_EXCEEDED_REASON,
  isTerminalPhase,
  type ObservedPod,
  planPod,
  type PodPlan,
  type ResizeRefusal,
  untilDeadlineMs,
  WITHOUT_PROBES,
} from "../pod/mod.ts";
import type { SyncOutcome } from "../runtime/mod.ts";
import { STATUS_RECORD } from "../status/mod.ts";
import type { VolumeSource, VolumeWarning } from "../volume/mod.ts";
import { hasContent } from "./content_volumes.ts";
import type {
  EndingPod,
  EvictionReason,
  Keep,
  PodSyncer,
  SyncResult,
} from "./ports.ts";
import type { SyncDeps } from "./sync_deps.ts";
import { NOTHING_WAITS, type Waiting, waitingAfter } from "./waiting.ts";

/** Base wait after a failure that names no better time (upstream backOffPeriod). */
const FAILURE_RETRY_MS = 10_000;

/** Spread of that wait, so that pods that failed together do not retry together. */
const RETRY_JITTER = 0.5;

/** Why a pod waits for its volumes, or has them as they were. */
const FAILED_MOUNT = "FailedMount";

/** One sync's circumstances. */
interface SyncOptions {
  readonly mayAct: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * Syncs pods against the runtime.
 *
 * Holds per pod only what the runtime cannot tell: why a container waits and when
 * the last look was, so that a plan is never made from a picture older than the
 * last action (I1).
 */
export class RuntimePodSyncer implements PodSyncer {
  readonly #deps: SyncDeps;
  readonly #waiting = new Map<string, Waiting>();
  readonly #actedAtMs = new Map<string, number>();
  readonly #acting = new Set<string>();
  readonly #refusedResizes = new Map<string, ResizeRefusal>();

  constructor(deps: SyncDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
  }

  /**
   * Whether something is being done for the pod of which the cache will hear only
   * when it is over. A list meanwhile shows a pod half way, not worth a close look.
   */
  isActing(uid: string): boolean {
    return this.#acting.has(uid);
  }

  async sync(pod: Pod, options: SyncOptions): Promise<SyncResult> {
    const result = await this.#syncOnce(pod, options);
    await this.#deps.records.keep(pod.metadata.uid);
    const status = this.#deps.statuses.get(pod.metadata.uid);
    const dueMs = status &&
      untilDeadlineMs(pod, status, this.#deps.clock.now());
    if (dueMs === undefined) return result;
    switch (result.kind) {
      case "settled":
        return {
          kind: "settled",
          againMs: Math.min(result.againMs ?? dueMs, dueMs),
        };
      case "retry":
        return { kind: "retry", delayMs: Math.min(result.delayMs, dueMs) };
      case "held":
      case "terminal":
        return result;
    }
  }

  async #syncOnce(wanted: Pod, options: SyncOptions): Promise<SyncResult> {
    const { uid } = wanted.metadata;
    const { signal } = options;
    const observed = await this.#observed(uid, signal);
    const pod = this.#allocate(wanted, observed);
    const status = this.#report(pod, observed, { terminal: false });
    if (isTerminalPhase(status.phase)) return { kind: "terminal" };
    const plan = planPod({ pod, observed, probes: WITHOUT_PROBES });
    if (isIdle(plan)) {
      if (this.#waiting.delete(uid)) {
        this.#report(pod, observed, { terminal: false });
      }
      await this.#deps.collector.pruneDead(observed, { signal });
      return await this.#refresh(pod, signal);
    }
    if (!options.mayAct()) return { kind: "held" };
    return await this.#act({ pod, observed, plan }, signal);
  }

  /** The pod with the resources that it may have now. */
  #allocate(wanted: Pod, observed: ObservedPod): Pod {
    const { uid } = wanted.metadata;
    const allocated = allocatedPod(wanted, observed);
    const refusal = this.#deps.resizes.judge(wanted, allocated);
    if (refusal === undefined) {
      this.#refusedResizes.delete(uid);
      return wanted;
    }
    this.#refusedResizes.set(uid, refusal);
    return allocated;
  }

  /** Brings what the pod's files say up to date; the pod itself runs on whatever comes of it. */
  async #refresh(pod: Pod, signal: AbortSignal): Promise<SyncResult> {
    if (!hasContent(pod)) return { kind: "settled" };
    const refreshed = await this.#deps.volumes.refresh(pod, { signal });
    if (refreshed.kind === "ok") return { kind: "settled" };
    this.#warn(pod, { reason: FAILED_MOUNT, message: refreshed.message });
    return { kind: "settled", againMs: this.#retryMs() };
  }

  #warn(pod: Pod, warning: VolumeWarning): void {
    this.#deps.events.record(podRef(pod), { type: "Warning", ...warning });
  }

  async #act(
    job: { pod: Pod; observed: ObservedPod; plan: PodPlan },
    signal: AbortSignal,
  ): Promise<SyncResult> {
    const { pod, observed, plan } = job;
    const { uid } = pod.metadata;
    await this.#deps.volumes.prepare(pod);
    // Before anything that takes long: its deadline counts from now, whoever asks.
    await this.#deps.records.keep(uid);
    const volumes = await this.#deps.volumes.materialise(pod, { signal });
    if (volumes.kind === "failed") {
      this.#warn(pod, { reason: FAILED_MOUNT, message: volumes.message });
      return { kind: "retry", delayMs: this.#retryMs() };
    }
    for (const warning of volumes.warnings ?? []) this.#warn(pod, warning);
    if (plan.sandbox.kind === "create") await this.#deps.refreshNode();
    const outcome = await this.#execute({ pod, observed, plan }, {
      volumes: volumes.sources,
      signal,
    });
    this.#waiting.set(uid, waitingAfter(outcome));
    const now = outcome.acted
      ? await this.#lookAfter(uid, outcome, signal)
      : observed;
    const status = this.#report(pod, now, { terminal: false });
    if (isTerminalPhase(status.phase)) return { kind: "terminal" };
    await this.#deps.collector.pruneDead(now, { signal });
    const result = this.#resultOf(outcome);
    // Nobody tells us of what our own look has seen already: a sidecar that runs and
    // lets the next container start, or a container that ended at once.
    const isDone = !outcome.acted ||
      isIdle(planPod({ pod, observed: now, probes: WITHOUT_PROBES }));
    return result.kind === "settled" && !isDone
      ? { kind: "retry", delayMs: 0 }
      : result;
  }

  async #execute(
    job: { pod: Pod; observed: ObservedPod; plan: PodPlan },
    options: {
      volumes: ReadonlyMap<string, VolumeSource>;
      signal: AbortSignal;
    },
  ): Promise<SyncOutcome> {
    const { uid } = job.pod.metadata;
    const beforeMs = this.#actedAtMs.get(uid);
    const outcome = await this.#acted(
      uid,
      () => this.#deps.executor.execute({ ...job, ...options }),
    );
    if (!outcome.acted) {
      // What was seen still holds: a wake-up that is due soon need not wait for a list.
      if (beforeMs === undefined) this.#actedAtMs.delete(uid);
      else this.#actedAtMs.set(uid, beforeMs);
    }
    return outcome;
  }

  /** Does what changes a pod. */
  async #acted<T>(uid: string, act: () => Promise<T>): Promise<T> {
    this.#acting.add(uid);
    try {
      return await act();
    } finally {
      // Also when it was cut short: what it began must be seen before the next plan.
      this.#actedAtMs.set(uid, this.#deps.clock.monotonic());
      this.#acting.delete(uid);
    }
  }

  /** The pod after an action: what the action itself learned, else a look of our own. */
  async #lookAfter(
    uid: string,
    outcome: SyncOutcome,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    if (outcome.observed === undefined) {
      return await this.#deps.observer.look(uid, signal);
    }
    this.#actedAtMs.set(uid, outcome.actedAtMs);
    this.#deps.cache.set(uid, outcome.observed.pod, outcome.observed.atMs);
    return outcome.observed.pod;
  }

  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    const { uid, pod, eviction } = ending;
    const before = await this.#observed(uid, signal);
    if (pod !== undefined) {
      this.#report(pod, before, { terminal: false, eviction });
      await this.#deps.records.keep(uid);
    }
    const { graceSeconds } = ending;
    await this.#acted(uid, () =>
      this.#deps.executor.killPod({
        pod,
        observed: before,
        ...(graceSeconds !== undefined && { graceSeconds }),
        signal,
      }));
    const after = await this.#deps.observer.look(uid, signal);
    const running = after.containers.filter((container) =>
      container.state === "running"
    );
    if (running.length > 0) {
      throw new Error(
        `Cannot end pod "${after.namespace}/${after.name}": ${
          running.map((container) => `"${container.name}"`).join(", ")
        } still running after the grace period`,
      );
    }
    if (pod !== undefined) {
      this.#report(pod, after, { terminal: true, eviction });
      await this.#deps.records.keep(uid);
    }
  }

  async release(
    ending: EndingPod,
    keep: Keep,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid } = ending;
    await this.#deps.resources?.remove(uid, signal);
    if (keep === "all") return;
    const observed = await this.#deps.observer.look(uid, signal);
    await this.#deps.collector.removePod(observed, {
      keepLogs: keep === "logs",
      signal,
    });
    // The same UID starts again: from what is there now, not from what was.
    if (keep === "logs") await this.#deps.observer.look(uid, signal);
    // Of an evicted pod the record says so: were it gone for a moment, a crash then
    // would run the pod again.
    const removal = await this.#deps.volumes.remove(
      uid,
      keep === "evidence" ? { keep: STATUS_RECORD } : {},
    );
    if (removal.kind === "left") {
      throw new Error(
        `Cannot remove the directory of pod "${uid}": something is still mounted at "${
          removal.mounts.join('", "')
        }"; unmount it`,
      );
    }
    this.#waiting.delete(uid);
    this.#actedAtMs.delete(uid);
    this.#refusedResizes.delete(uid);
    this.#deps.executor.forget(uid);
    if (keep === "evidence") return;
    this.#deps.records.forget(uid);
    if (keep === "logs") this.#deps.statuses.renew(uid);
    else this.#deps.statuses.remove(uid);
    // What is left of it in the cache goes when the next list lacks it.
  }

  async #observed(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    // -1: any look since the agent's start will do for a pod never acted upon.
    const pod = await this.#deps.cache.getNewerThan(
      uid,
      this.#actedAtMs.get(uid) ?? -1,
      signal,
    );
    if (pod.sandboxes.length + pod.containers.length > 0) return pod;
    // A list that lacks what ran before may be that of a runtime still starting, and
    // one that nothing told to be ours was not looked at: better ask than run it twice.
    const mayBeThere = this.#deps.statuses.get(uid) !== undefined ||
      this.#deps.isListed(uid);
    return mayBeThere ? await this.#deps.observer.look(uid, signal) : pod;
  }

  #report(
    pod: Pod,
    observed: ObservedPod,
    options: {
      readonly terminal: boolean;
      readonly eviction?: EvictionReason | undefined;
    },
  ): PodStatus {
    const { uid } = pod.metadata;
    const previous = this.#deps.statuses.get(uid);
    const built = buildPodStatus({
      pod,
      observed,
      previous,
      waiting: this.#waiting.get(uid) ?? NOTHING_WAITS,
      probes: WITHOUT_PROBES,
      probing: false,
      nowMs: this.#deps.clock.now(),
      runtimeName: this.#deps.runtimeName(),
      terminal: options.terminal,
      hostIps: this.#deps.hostIps(),
      resizeRefusal: this.#refusedResizes.get(uid),
    });
    const { eviction } = options;
    // One that ended by itself meanwhile stays what it became.
    const status: PodStatus =
      eviction === undefined || isTerminalPhase(built.phase)
        ? built
        : { ...built, ...eviction, phase: "Failed" };
    this.#deps.statuses.set(uid, status);
    this.#tellDeadline(pod, { before: previous?.phase, after: status });
    return status;
  }

  #tellDeadline(
    pod: Pod,
    status: { readonly before: string | undefined; readonly after: PodStatus },
  ): void {
    const { reason, message = "" } = status.after;
    const isNew = !isTerminalPhase(status.before);
    if (!isNew || reason !== DEADLINE_EXCEEDED_REASON) return;
    this.#deps.events.record(podRef(pod), { type: "Normal", reason, message });
  }

  #resultOf(outcome: SyncOutcome): SyncResult {
    if (outcome.failures.length === 0 && outcome.podFailure === undefined) {
      return { kind: "settled" };
    }
    const { failures, podFailure } = outcome;
    const all = podFailure === undefined ? failures : [...failures, podFailure];
    const nowMs = this.#deps.clock.monotonic();
    // One that has to wait long must not hold up another that says nothing.
    const delays = all.map(({ retryAtMs }) =>
      retryAtMs === undefined ? this.#retryMs() : Math.max(0, retryAtMs - nowMs)
    );
    return { kind: "retry", delayMs: Math.min(...delays) };
  }

  #retryMs(): number {
    return jitter(this.#deps.random, FAILURE_RETRY_MS, RETRY_JITTER);
  }
}

function isIdle(plan: PodPlan): boolean {
  return plan.sandbox.kind === "keep" && plan.kill.length === 0 &&
    plan.reset.length === 0 && plan.resize === undefined &&
    plan.start.length === 0 && plan.startInit.length === 0 &&
    plan.startEphemeral.length === 0;
}
