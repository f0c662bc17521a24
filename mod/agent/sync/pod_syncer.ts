/**
 * What is done for one pod: bring it nearer to its spec, stop it, clear it away.
 *
 * @module
 */

import { jitter } from "../../base/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { allocatedPod, planPod, type PodPlan } from "../../pod/plan/mod.ts";
import { deadlineLeftMs, isTerminalPhase } from "../../pod/status/mod.ts";
import type { SyncFailure } from "../../pod/lifecycle/mod.ts";
import type { ObservedPod } from "../../pod/observed/mod.ts";
import type { SyncOutcome } from "../../runtime/account/mod.ts";
import {
  mountFailure,
  type UnreadyVolume,
  type VolumeSetup,
  type VolumeWarning,
} from "../../volume/mod.ts";
import { noLaterThan, type PodOutcome, SyncMemory } from "./sync_memory.ts";
import type {
  EndingPod,
  NameOwnership,
  PodParker,
  Retention,
  SyncResult,
} from "../workers/mod.ts";
import { isAlive, PodTerminator } from "./pod_terminator.ts";
import { PodInspector } from "./pod_inspector.ts";
import { PodReporter } from "./pod_reporter.ts";
import type { SyncDeps } from "./sync_deps.ts";
import {
  NO_DIRECTORIES,
  recordFailure,
  STATUS_UNKNOWN,
} from "./record_failure.ts";
import { hasObjectVolumes, mustWait, withoutVolumes } from "./volume_gate.ts";

/** Base wait after a failure that names no better time (upstream backOffPeriod). */
const FAILURE_RETRY_MS = 10_000;

/** Spread of that wait, so that pods that failed together do not retry together. */
const RETRY_JITTER = 0.5;

/** How often a pod is looked at while it waits for a pull, whose end wakes it (upstream syncFrequency). */
const PULL_LOOK_MS = 60_000;

/** One sync's circumstances. */
interface SyncOptions {
  readonly nameOwnership: () => NameOwnership;
  readonly signal: AbortSignal;
}

/** A pod as it is, and what is to be done about it. */
interface SyncJob {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly plan: PodPlan;
}

/** What a sync came to. */
interface Synced {
  readonly result: SyncResult;
  readonly failures: readonly SyncFailure[];
}

/**
 * Syncs pods against the runtime.
 *
 * Holds per pod only what the runtime does not know: see {@linkcode SyncMemory}.
 */
export class RuntimePodSyncer implements PodParker {
  readonly #deps: SyncDeps;
  readonly #memory: SyncMemory;
  readonly #inspector: PodInspector;
  readonly #reporter: PodReporter;
  readonly #terminator: PodTerminator;

  constructor(deps: SyncDeps) {
    const memory = new SyncMemory(deps);
    const inspector = new PodInspector({ ...deps, memory });
    const reporter = new PodReporter({ ...deps, memory });
    this.#deps = deps;
    this.#memory = memory;
    this.#inspector = inspector;
    this.#reporter = reporter;
    this.#terminator = new PodTerminator({
      ...deps,
      memory,
      inspector,
      reporter,
    });
  }

  /** What the last steps of a pod came to; `undefined` once it is cleared away. */
  outcome(uid: string): PodOutcome | undefined {
    return this.#memory.get(uid);
  }

  async sync(pod: Pod, options: SyncOptions): Promise<SyncResult> {
    const { uid } = pod.metadata;
    try {
      const { result: wanted, failures } = await this.#syncOnce(pod, options);
      await this.#deps.records.keep(uid);
      const result = this.#withDeadline(pod, wanted);
      this.#memory.of(uid).ended(result, failures);
      return result;
    } catch (error) {
      options.signal.throwIfAborted();
      const observed = this.#inspector.known(uid);
      this.#memory.of(uid).broken({ pod, observed }, error);
      throw error;
    }
  }

  async pullAhead(
    successor: Pod,
    { before, signal }: {
      readonly before: string;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { statuses, executor } = this.#deps;
    const { containerStatuses = [] } = statuses.get(before) ?? {};
    const runs = containerStatuses.some(({ state }) => state?.running);
    return runs && await executor.fetch(successor, { signal });
  }

  async terminate(ending: EndingPod, signal: AbortSignal): Promise<void> {
    try {
      await this.#terminator.terminate(ending, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#memory.of(ending.uid).notEnded(error);
      throw error;
    }
  }

  async park(
    pod: Pod,
    options: Parameters<PodParker["park"]>[1],
  ): Promise<void> {
    await this.#terminator.park(pod, options);
  }

  release(ending: EndingPod, keep: Retention): Promise<void> {
    return this.#terminator.release(ending, keep);
  }

  async #syncOnce(wanted: Pod, options: SyncOptions): Promise<Synced> {
    const { uid } = wanted.metadata;
    const { signal } = options;
    const { prober, remains, executor, resizes } = this.#deps;
    remains.reclaim(wanted);
    executor.keepPulls(wanted);
    const observed = await recordFailure(this.#inspector.latest(uid, signal), {
      pod: wanted,
      failure: STATUS_UNKNOWN,
      events: this.#deps.events,
      signal,
    });
    const allocated = allocatedPod(wanted, observed);
    const refusal = resizes.judge(wanted, allocated);
    const pod = refusal === undefined ? wanted : allocated;
    this.#probe(pod);
    const status = this.#reporter.report(pod, observed, { terminal: false });
    if (isTerminalPhase(status.phase)) return plain({ kind: "terminal" });
    const plan = planPod({ pod, observed, probes: prober });
    const memory = this.#memory.of(uid);
    memory.decided({ pod, observed, plan });
    const right = options.nameOwnership();
    if (right === "lost" && isAlive(observed)) {
      const stopped = await this.#terminator.yieldName(
        { pod, observed },
        signal,
      );
      this.#reporter.report(pod, stopped, { terminal: false });
      return plain({ kind: "held" });
    }
    if (isIdle(plan)) {
      if (memory.waiting.size > 0) {
        memory.waiting = new Map();
        this.#reporter.report(pod, observed, { terminal: false });
      }
      remains.prune(observed);
      return await this.#refresh(pod, signal);
    }
    if (right !== "has") return plain({ kind: "held" });
    return await this.#act({ pod, observed, plan }, signal);
  }

  /**
   * Has the containers asked, as the newest spec says.
   *
   * The kubelet begins when the volumes are there. Nothing is asked of a container that
   * does not run, so it makes no difference for one that is to start; and of one that
   * runs already the prober has to know what is remembered before its status is reported.
   */
  #probe(pod: Pod): void {
    const { statuses, prober } = this.#deps;
    const { uid } = pod.metadata;
    if (isTerminalPhase(statuses.get(uid)?.phase)) return;
    prober.add(pod);
    prober.look(uid);
  }

  /** Brings what the pod's files say up to date; the pod itself runs on whatever comes of it. */
  async #refresh(pod: Pod, signal: AbortSignal): Promise<Synced> {
    if (!hasObjectVolumes(pod)) return plain({ kind: "settled" });
    const refreshed = await this.#deps.volumes.refresh(pod, { signal });
    if (refreshed.kind === "ok") return plain({ kind: "settled" });
    return {
      result: { kind: "settled", againMs: this.#retryMs() },
      failures: [this.#unready(pod, refreshed.failures)],
    };
  }

  /** The failure of a pod that waits for volumes, after an event of it. */
  #unready(pod: Pod, volumes: ReadonlyMap<string, UnreadyVolume>): SyncFailure {
    const failure = mountFailure(volumes.values());
    this.#warn(pod, failure);
    return failure;
  }

  #warn(pod: Pod, { reason, message }: VolumeWarning): void {
    this.#deps.events.record(podRef(pod), { type: "Warning", reason, message });
  }

  async #act(job: SyncJob, signal: AbortSignal): Promise<Synced> {
    const { pod, plan } = job;
    const { uid } = pod.metadata;
    await recordFailure(this.#deps.directories.prepare(pod), {
      pod,
      failure: NO_DIRECTORIES,
      events: this.#deps.events,
      signal,
    });
    // Before anything that takes long: its deadline counts from now. What
    // goes on in its sandbox began long ago, and need not wait for the disk.
    const kept = this.#deps.records.keep(uid);
    if (plan.sandbox.kind === "create") await kept;
    const volumes = await this.#setUp(pod, signal);
    for (const warning of volumes.warnings ?? []) this.#warn(pod, warning);
    if (volumes.kind === "failed" && mustWait(job, volumes)) {
      return {
        result: { kind: "retry", delayMs: this.#retryMs() },
        failures: [this.#unready(pod, volumes.failures)],
      };
    }
    if (plan.sandbox.kind === "create") await this.#deps.refreshNode();
    const outcome = await this.#execute(job, { volumes, signal });
    await kept;
    return await this.#conclude(job, outcome, signal);
  }

  async #setUp(
    pod: Pod,
    signal: AbortSignal,
  ): Promise<VolumeSetup> {
    const { volumes, executor } = this.#deps;
    const making = { kind: "making_volumes" } as const;
    using _making = executor.activities.begin(pod.metadata.uid, making);
    return await volumes.setUp(pod, { signal });
  }

  /** Does what the plan says, but for what needs a volume that is not ready. */
  async #execute(
    job: SyncJob,
    { volumes, signal }: { volumes: VolumeSetup; signal: AbortSignal },
  ): Promise<SyncOutcome> {
    const { pod } = job;
    const { uid } = pod.metadata;
    const { sources } = volumes;
    const gated = withoutVolumes(job.plan, pod, volumes);
    const messages = new Set(gated.failures.map(({ message }) => message));
    const message = [...messages].join("; ");
    if (message !== "") this.#warn(pod, { reason: "FailedMount", message });
    const { plan } = gated;
    const beforeMs = this.#memory.of(uid).actedAtMs;
    const outcome = await this.#memory.acted(
      uid,
      () =>
        this.#deps.executor.execute({ ...job, plan, volumes: sources, signal }),
    );
    // What was seen still holds: a wake-up that is due soon need not wait for a list.
    if (!outcome.acted) this.#memory.of(uid).actedAtMs = beforeMs;
    return { ...outcome, failures: [...outcome.failures, ...gated.failures] };
  }

  /** Sees what came of an action, and says when to go on. */
  async #conclude(
    { pod, observed, plan }: SyncJob,
    outcome: SyncOutcome,
    signal: AbortSignal,
  ): Promise<Synced> {
    const { uid } = pod.metadata;
    const { prober, remains } = this.#deps;
    this.#memory.of(uid).tried(outcome.failures);
    const { unstopped = [] } = outcome;
    if (unstopped.length > 0) remains.stopSandboxes(observed, unstopped);
    const now = outcome.acted
      ? await this.#lookAfter(uid, outcome, signal)
      : observed;
    const { podFailure } = outcome;
    const failures = [...outcome.failures, ...podFailure ? [podFailure] : []];
    const status = this.#reporter.report(pod, now, { terminal: false });
    if (isTerminalPhase(status.phase)) {
      return { result: { kind: "terminal" }, failures };
    }
    remains.prune(now);
    const next = planPod({ pod, observed: now, probes: prober });
    if (failures.length > 0) {
      // One whose start failed and that runs all the same waits for its hook.
      const isHookNew = plan.postStart.length < next.postStart.length;
      const result = isHookNew
        ? { kind: "retry", delayMs: 0 } as const
        : this.#retryAfter(outcome, failures);
      return { result, failures };
    }
    // No event comes of what the look above has seen already: a sidecar that runs and
    // lets the next container start, or a container that ended at once.
    const isMore = outcome.acted && !isIdle(next);
    if (isMore) return plain({ kind: "retry", delayMs: 0 });
    return plain(
      outcome.isPulling
        ? { kind: "retry", delayMs: PULL_LOOK_MS }
        : { kind: "settled" },
    );
  }

  /** The pod after an action: what the action itself learned, else a look of our own. */
  async #lookAfter(
    uid: string,
    outcome: SyncOutcome,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    const { observed, actedAtMs } = outcome;
    if (observed === undefined) return await this.#inspector.now(uid, signal);
    this.#memory.of(uid).actedAtMs = actedAtMs;
    return this.#inspector.learn(uid, observed);
  }

  #retryAfter(
    { isPulling }: SyncOutcome,
    failures: readonly SyncFailure[],
  ): SyncResult {
    const nowMs = this.#deps.clock.monotonic();
    // One that has to wait long must not hold up another that says nothing.
    const delays = failures.map(({ retryAtMs }) =>
      retryAtMs === undefined ? this.#retryMs() : Math.max(0, retryAtMs - nowMs)
    );
    if (isPulling) delays.push(PULL_LOOK_MS);
    return { kind: "retry", delayMs: Math.min(...delays) };
  }

  #retryMs(): number {
    return jitter(this.#deps.random, FAILURE_RETRY_MS, RETRY_JITTER);
  }

  /** No later than the pod may run. */
  #withDeadline(pod: Pod, result: SyncResult): SyncResult {
    const { uid } = pod.metadata;
    const { startTime } = this.#deps.statuses.get(uid) ?? {};
    const activeMs = this.#memory.of(uid).activeMs(startTime);
    if (activeMs === undefined) return result;
    return noLaterThan(result, deadlineLeftMs(pod, activeMs));
  }
}

/** Where nothing went wrong. */
function plain(result: SyncResult): Synced {
  return { result, failures: [] };
}

function isIdle(plan: PodPlan): boolean {
  return plan.sandbox.kind === "keep" && plan.kill.length === 0 &&
    plan.reset.length === 0 && plan.resize === undefined &&
    plan.postStart.length === 0 &&
    plan.start.length === 0 && plan.startInit.length === 0 &&
    plan.startEphemeral.length === 0;
}
