/**
 * What is done for one pod: bring it nearer to its spec, stop it, clear it away.
 *
 * @module
 */

import { type Clock, jitter, type Logger, type Random } from "../base/mod.ts";
import type { EventSink, Pod, PodRef, PodStatus } from "../api/mod.ts";
import {
  buildPodStatus,
  describePlan,
  type ObservedPod,
  planPod,
  type PodPlan,
  WITHOUT_PROBES,
} from "../pod/mod.ts";
import type {
  PodCache,
  PodCollector,
  PodExecutor,
  PodObserver,
  SyncOutcome,
} from "../runtime/mod.ts";
import type { PodVolumes, VolumeSource } from "../volume/mod.ts";
import type { StatusStore } from "../status/mod.ts";
import type { EndingPod, PodSyncer, SyncResult } from "./ports.ts";

/** Base wait after a failure that names no better time (upstream backOffPeriod). */
const FAILURE_RETRY_MS = 10_000;

/** Spread of that wait, so that pods that failed together do not retry together. */
const RETRY_JITTER = 0.5;

/** Everything a sync works with. */
export interface SyncDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventSink;
  readonly cache: PodCache;
  readonly executor: PodExecutor;
  readonly collector: PodCollector;
  readonly volumes: Pick<PodVolumes, "prepare" | "materialise" | "remove">;
  readonly statuses: StatusStore;
  readonly observer: PodObserver;
  /** Reads again what the node tells every pod (resolver, hosts file), if it changed. */
  readonly refreshNode: () => Promise<void>;
  /** The runtime's name, for container ids in the status; empty until it is known. */
  readonly runtimeName: () => string;
  readonly hostIps: () => readonly string[];
}

/** Why a container waits, as its last attempt to start said. */
type Waiting = ReadonlyMap<
  string,
  { readonly reason: string; readonly message: string }
>;

const NOTHING_WAITS: Waiting = new Map();

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
  readonly #decisions = new Map<string, string>();

  constructor(deps: SyncDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
  }

  /** What the last plan of a pod decided, in words. */
  lastDecision(uid: string): string | undefined {
    return this.#decisions.get(uid);
  }

  async sync(pod: Pod, signal: AbortSignal): Promise<SyncResult> {
    const { uid } = pod.metadata;
    const observed = await this.#observed(uid, signal);
    const status = this.#report(pod, observed, { terminal: false });
    if (isTerminal(status)) return { kind: "terminal" };
    const plan = planPod({ pod, observed, probes: WITHOUT_PROBES });
    this.#decisions.set(uid, describePlan(plan));
    if (isIdle(plan)) {
      if (this.#waiting.delete(uid)) {
        this.#report(pod, observed, { terminal: false });
      }
      await this.#deps.collector.pruneDead(observed, { signal });
      return { kind: "settled" };
    }
    return await this.#act({ pod, observed, plan }, signal);
  }

  async #act(
    job: { pod: Pod; observed: ObservedPod; plan: PodPlan },
    signal: AbortSignal,
  ): Promise<SyncResult> {
    const { pod, observed, plan } = job;
    const { uid } = pod.metadata;
    await this.#deps.volumes.prepare(pod);
    const volumes = await this.#deps.volumes.materialise(pod);
    if (volumes.kind === "failed") {
      this.#deps.events.record(refOf(pod), {
        type: "Warning",
        reason: "FailedMount",
        message: volumes.message,
      });
      return this.#retryLater();
    }
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
    if (isTerminal(status)) return { kind: "terminal" };
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
    try {
      return await this.#deps.executor.execute({ ...job, ...options });
    } finally {
      // Also when it was cut short: what it began must be seen before the next plan.
      this.#actedAtMs.set(job.pod.metadata.uid, this.#deps.clock.monotonic());
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
    const { uid, pod } = ending;
    const before = await this.#observed(uid, signal);
    if (pod !== undefined) this.#report(pod, before, { terminal: false });
    try {
      await this.#deps.executor.killPod({
        pod,
        observed: before,
        ...(ending.graceSeconds !== undefined &&
          { graceSeconds: ending.graceSeconds }),
        signal,
      });
    } finally {
      this.#actedAtMs.set(uid, this.#deps.clock.monotonic());
    }
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
    if (pod !== undefined) this.#report(pod, after, { terminal: true });
  }

  async release(
    ending: EndingPod,
    keep: "all" | "logs" | "nothing",
    signal: AbortSignal,
  ): Promise<void> {
    const { uid } = ending;
    if (keep === "all") return;
    const observed = await this.#deps.observer.look(uid, signal);
    await this.#deps.collector.removePod(observed, {
      keepLogs: keep === "logs",
      signal,
    });
    const removal = await this.#deps.volumes.remove(uid);
    if (removal.kind === "left") {
      throw new Error(
        `Cannot remove the directory of pod "${uid}": something is still mounted at "${
          removal.mounts.join('", "')
        }"; unmount it`,
      );
    }
    this.#waiting.delete(uid);
    this.#actedAtMs.delete(uid);
    this.#decisions.delete(uid);
    this.#deps.executor.forget(uid);
    this.#deps.statuses.remove(uid);
    // What is left of it in the cache goes when the next list lacks it.
  }

  #observed(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    // -1: any look since the agent's start will do for a pod never acted upon.
    return this.#deps.cache.getNewerThan(
      uid,
      this.#actedAtMs.get(uid) ?? -1,
      signal,
    );
  }

  #report(
    pod: Pod,
    observed: ObservedPod,
    options: { terminal: boolean },
  ): PodStatus {
    const { uid } = pod.metadata;
    const status = buildPodStatus({
      pod,
      observed,
      previous: this.#deps.statuses.get(uid),
      waiting: this.#waiting.get(uid) ?? NOTHING_WAITS,
      probes: WITHOUT_PROBES,
      probing: false,
      nowMs: this.#deps.clock.now(),
      runtimeName: this.#deps.runtimeName(),
      terminal: options.terminal,
      hostIps: this.#deps.hostIps(),
    });
    this.#deps.statuses.set(uid, status);
    return status;
  }

  #resultOf(outcome: SyncOutcome): SyncResult {
    if (outcome.failures.length === 0 && outcome.podFailure === undefined) {
      return { kind: "settled" };
    }
    const times = outcome.failures.flatMap(({ retryAtMs }) => retryAtMs ?? []);
    if (times.length === 0) return this.#retryLater();
    const delayMs = Math.min(...times) - this.#deps.clock.monotonic();
    return { kind: "retry", delayMs: Math.max(0, delayMs) };
  }

  #retryLater(): SyncResult {
    return {
      kind: "retry",
      delayMs: jitter(this.#deps.random, FAILURE_RETRY_MS, RETRY_JITTER),
    };
  }
}

function waitingAfter(outcome: SyncOutcome): Waiting {
  return new Map(
    outcome.failures.flatMap(({ container, reason, message }) =>
      container === undefined ? [] : [[container, { reason, message }] as const]
    ),
  );
}

function isTerminal(status: PodStatus): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

function isIdle(plan: PodPlan): boolean {
  return plan.sandbox.kind === "keep" && plan.kill.length === 0 &&
    plan.reset.length === 0 &&
    plan.start.length === 0 && plan.startInit.length === 0 &&
    plan.startEphemeral.length === 0;
}

function refOf(pod: Pod): PodRef {
  const { name, namespace, uid } = pod.metadata;
  return { name, namespace, uid };
}
