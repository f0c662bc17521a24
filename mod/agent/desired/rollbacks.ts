/**
 * Watches how updates do, and goes back from those that do not become ready.
 *
 * @module
 */

import type { Clock } from "../../base/mod.ts";
import type {
  Counter,
  Gauge,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { formatDuration } from "../../base/text/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podKey, podRef } from "../../api/objects/mod.ts";
import { rollbackAfterMs } from "../../api/validate/mod.ts";
import {
  type BadRevision,
  badRevision,
  describeRollback,
  endLostTrial,
  isSameHistory,
  isSameVersion,
  judgeVersion,
  type PodHistory,
  type Readiness,
  resumeHistory,
  takeVersion,
  trialLeftMs,
  trialMarkMs,
} from "../../pod/recovery/mod.ts";
import { findCondition, isTerminalPhase } from "../../pod/status/mod.ts";
import {
  isCompleteSet,
  type SourceName,
  type SourceSet,
} from "../../source/merge/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import type { DiskRollbackStore } from "../../source/records/mod.ts";
import type { PodWorkers } from "../workers/mod.ts";

interface RollbackDeps {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly workers: Pick<PodWorkers, "get">;
  readonly statuses: Pick<StatusManager, "get">;
  /** What an earlier agent knew, and where this one keeps it. */
  readonly histories: ReadonlyMap<string, PodHistory>;
  readonly store: Pick<DiskRollbackStore, "save" | "forget">;
}

/** One version of a pod takes the place of another. */
export interface VersionSwap {
  readonly source: SourceName;
  readonly from: Pod;
  readonly to: Pod;
}

/** A pod of a source. Only {@linkcode Rollbacks} writes it. */
interface TrackedPod {
  /** Source, namespace and name. */
  readonly key: string;
  readonly source: SourceName;
  /** As its source has it. */
  readonly wanted: Pod;
  /** The wanted version, or the good one in its place. */
  run: Pod;
  history: PodHistory;
  /** Monotonic time at which the trial ends. */
  dueMs: number;
  /** Monotonic time at which the trial would have begun if it had never been cut off. */
  readonly begunMs: number;
  /** The containers that are ready, and since when without a break. */
  ready: { readonly containers: string; readonly sinceMs: number } | undefined;
  /** An event has said that there is no way back. */
  isStuck: boolean;
}

/**
 * An agent that starts looks at what runs before it ends a trial: the pod may have
 * become ready while no agent was there to see it.
 */
const LOOK_AGAIN_MS = 15_000;

/**
 * Puts the last good version of a pod in place of one that was not ready in its time.
 *
 * Going back is an edit made by the agent: what sources deliver passes through
 * here, and the rest of the agent sees pods that were replaced like any others. Time
 * counts from when a version was accepted, whatever holds it up, but only while an agent
 * runs: a device that is off tries nothing.
 */
export class Rollbacks {
  readonly #deps: RollbackDeps;
  readonly #rollbacks: Counter;
  readonly #rolledBack: Gauge;
  /** By key, and so from one UID of a name to the next: they outlive each of its pods. */
  readonly #entries = new Map<string, TrackedPod>();
  /** Those of which it is not known yet how well they do. */
  readonly #open = new Set<TrackedPod>();
  /** Known to an earlier agent and not seen yet. */
  readonly #unclaimed: Map<string, PodHistory>;

  constructor(deps: RollbackDeps) {
    this.#deps = deps;
    this.#unclaimed = new Map(deps.histories);
    this.#rollbacks = deps.metrics.counter(
      "skerry_rollbacks_total",
      "Updates that were not ready in time and were rolled back",
    );
    this.#rolledBack = deps.metrics.gauge(
      "skerry_rolled_back_pods",
      "Pods whose wanted version was rolled back: their last good one runs",
    );
    this.#rolledBack.set(0);
  }

  /** The set with the last good version in place of each that was rolled back. */
  apply(set: SourceSet): SourceSet {
    const { source, op = "set" } = set;
    // What a controller made is the controller's to roll back, here as in a cluster.
    if (source === "local" || source === "api") return set;
    const keys = new Set<string>();
    const pods = set.pods.map((pod) => {
      const key = `${source}/${podKey(pod.metadata)}`;
      // The second of a name is not going to run.
      if (keys.has(key)) return pod;
      keys.add(key);
      return this.#want(key, source, pod);
    });
    // A checkpoint may lack what the source still has, and so may a part of it.
    if (op === "set") this.#forgetOthers(set, keys);
    this.#showCount();
    return { ...set, pods };
  }

  /**
   * Looks how the versions do and says which are to be exchanged. Costs nothing
   * while all of them are known to be good, or were rolled back.
   */
  review(): readonly VersionSwap[] {
    return [...this.#open].flatMap((entry) => this.#review(entry) ?? []);
  }

  /**
   * Gives those a new try that were rolled back and that `isConcerned`: what they
   * refer to is not what it was.
   */
  retry(isConcerned: (pod: Pod) => boolean): readonly VersionSwap[] {
    const swaps: VersionSwap[] = [];
    for (
      const { key, source, history, run: from, wanted } of this.#entries
        .values()
    ) {
      const { good, bad } = history;
      if (bad === undefined || good === undefined) continue;
      if (!isConcerned(wanted)) continue;
      const taken = takeVersion({ good }, wanted);
      this.#deps.store.save(key, taken.history);
      this.#enter(this.#entryOf({ key, source, wanted }, taken));
      swaps.push({ source, from, to: wanted });
    }
    this.#showCount();
    return swaps;
  }

  /** Notes how far trials are, for the agent that goes on with them. This one ends. */
  pause(): void {
    for (const entry of this.#open) {
      const { key, history } = entry;
      if (history.trial === undefined) continue;
      const usedMs = Math.round(this.#usedMs(entry));
      const trial = { ...history.trial, usedMs, isPaused: true };
      this.#save(key, { ...history, trial });
    }
  }

  /** Forgets what no source has any more, to be called when all of them have spoken. */
  sweep(): void {
    for (const key of this.#unclaimed.keys()) this.#deps.store.forget(key);
    this.#unclaimed.clear();
  }

  /** What was rolled back, by the UID of the pod that runs in its place. */
  list(): ReadonlyMap<string, BadRevision> {
    return new Map(
      [...this.#entries.values()].flatMap(({ run, history: { bad } }) =>
        bad === undefined ? [] : [[run.metadata.uid, bad] as const]
      ),
    );
  }

  /** Every version of a pod that may run: the wanted ones, and those to go back to. */
  versions(): readonly Pod[] {
    const unseen = [...this.#unclaimed.values()].flatMap(({ good }) =>
      good ?? []
    );
    const tracked = [...this.#entries.values()]
      .flatMap((
        { wanted, run, history: { good = run } },
      ) => [wanted, run, good]);
    return [...unseen, ...tracked];
  }

  #want(key: string, source: SourceName, pod: Pod): Pod {
    const before = this.#entries.get(key);
    const isKnownHere = before !== undefined &&
      (before.wanted === pod || isSameVersion(before.wanted, pod));
    if (isKnownHere) return before.run;
    // It may have become ready a moment ago, and its successor needs a way back.
    if (
      before !== undefined && this.#open.has(before) &&
      this.#judge(before).kind === "good"
    ) this.#accept(before);
    const known = this.#unclaimed.get(key);
    this.#unclaimed.delete(key);
    const resumed = known && resumeHistory(known, pod);
    const history = before?.history ?? resumed ?? {};
    const nowMs = this.#deps.clock.now();
    const taken = endLostTrial(takeVersion(history, pod), nowMs);
    const isLost = resumed?.trial !== undefined &&
      taken.history.bad !== undefined;
    if (isLost) this.#rollbacks.inc();
    if (!isSameHistory(before?.history ?? known ?? {}, taken.history)) {
      this.#save(key, taken.history);
    }
    const entry = this.#entryOf({ key, source, wanted: pod }, taken);
    const isKnown = resumed?.trial !== undefined &&
      resumed.trial === taken.history.trial;
    if (isKnown) {
      const lookMs = this.#deps.clock.monotonic() +
        Math.min(LOOK_AGAIN_MS, rollbackAfterMs(pod.metadata) ?? 0);
      entry.dueMs = Math.max(entry.dueMs, lookMs);
    }
    this.#enter(entry);
    if (taken.history.bad !== undefined) {
      this.#warn(pod, {
        reason: "RolledBack",
        message: describeRollback(taken.history.bad),
      });
    }
    return taken.run;
  }

  #entryOf(
    of: Pick<TrackedPod, "key" | "source" | "wanted">,
    { run, history }: { readonly run: Pod; readonly history: PodHistory },
  ): TrackedPod {
    const nowMs = this.#deps.clock.monotonic();
    const { trial } = history;
    const afterMs = rollbackAfterMs(of.wanted.metadata) ?? Infinity;
    const leftMs = trial === undefined ? Infinity : trialLeftMs(trial, afterMs);
    return {
      ...of,
      run,
      history,
      dueMs: nowMs + leftMs,
      begunMs: nowMs - (trial?.usedMs ?? 0),
      ready: undefined,
      isStuck: false,
    };
  }

  #enter(entry: TrackedPod): void {
    const { key, history: { good, bad }, wanted } = entry;
    const before = this.#entries.get(key);
    if (before !== undefined) this.#open.delete(before);
    this.#entries.set(key, entry);
    if (good !== wanted && bad === undefined) this.#open.add(entry);
  }

  #forgetOthers(set: SourceSet, keys: ReadonlySet<string>): void {
    const { source } = set;
    const isOther = (key: string): boolean =>
      key.startsWith(`${source}/`) && !keys.has(key);
    for (const [key, entry] of this.#entries) {
      if (!isOther(key)) continue;
      this.#entries.delete(key);
      this.#open.delete(entry);
      this.#deps.store.forget(key);
    }
    if (!isCompleteSet(set)) return;
    for (const key of this.#unclaimed.keys()) {
      if (!isOther(key)) continue;
      this.#unclaimed.delete(key);
      this.#deps.store.forget(key);
    }
  }

  #review(entry: TrackedPod): VersionSwap | undefined {
    const { key, run, source, isStuck } = entry;
    const verdict = this.#judge(entry);
    switch (verdict.kind) {
      case "wait":
        this.#note(entry);
        return undefined;
      case "good":
        this.#accept(entry);
        return undefined;
      case "stuck":
        if (isStuck) return undefined;
        entry.isStuck = true;
        this.#warn(run, {
          reason: "RollbackImpossible",
          message: `Not ready within ${
            formatDuration(rollbackAfterMs(run.metadata) ?? 0)
          }: it stays, since ${verdict.why}`,
        });
        return undefined;
      case "roll_back": {
        const { to: good } = verdict;
        const bad = badRevision(run, this.#deps.clock.now());
        entry.history = { good, bad };
        entry.run = good;
        this.#open.delete(entry);
        this.#save(key, entry.history);
        this.#rollbacks.inc();
        this.#showCount();
        this.#warn(run, {
          reason: "RolledBack",
          message: describeRollback(bad),
        });
        return { source, from: run, to: good };
      }
    }
  }

  /** Puts on the disk, a few times a trial, how much of its time it has used. */
  #note(entry: TrackedPod): void {
    const { trial } = entry.history;
    const afterMs = rollbackAfterMs(entry.run.metadata);
    if (trial === undefined || afterMs === undefined) return;
    const usedMs = trialMarkMs(this.#usedMs(entry), afterMs);
    if (usedMs <= (trial.usedMs ?? 0)) return;
    entry.history = { ...entry.history, trial: { ...trial, usedMs } };
    this.#save(entry.key, entry.history);
  }

  #usedMs({ begunMs }: TrackedPod): number {
    return this.#deps.clock.monotonic() - begunMs;
  }

  /** From now on this is the version to go back to. */
  #accept(entry: TrackedPod): void {
    entry.history = { good: entry.run };
    this.#open.delete(entry);
    this.#save(entry.key, entry.history);
  }

  #judge(entry: TrackedPod): ReturnType<typeof judgeVersion> {
    const { history, run, dueMs } = entry;
    return judgeVersion(run, {
      history,
      readiness: this.#readiness(entry),
      leftMs: dueMs - this.#deps.clock.monotonic(),
    });
  }

  #readiness(entry: TrackedPod): Readiness {
    const { uid } = entry.run.metadata;
    const status = this.#deps.statuses.get(uid);
    const { phase, conditions, containerStatuses = [] } = status ?? {};
    if (phase === "Succeeded") return { kind: "succeeded" };
    // A status may still be about what the same UID was before an edit.
    const state = this.#deps.workers.get(uid)?.state;
    const isReady = state?.kind === "syncing" &&
      state.settledPod === state.pod &&
      findCondition(conditions, "Ready")?.status === "True";
    if (!isReady) {
      entry.ready = undefined;
      return { kind: "unready", isOver: isTerminalPhase(phase) };
    }
    const containers = containerStatuses.map(({ containerID }) => containerID)
      .join(" ");
    const nowMs = this.#deps.clock.monotonic();
    if (entry.ready?.containers !== containers) {
      entry.ready = { containers, sinceMs: nowMs };
    }
    return { kind: "ready", forMs: nowMs - entry.ready.sinceMs };
  }

  /** A first version that never was ready leaves nothing on the disk. */
  #save(key: string, history: PodHistory): void {
    if (history.good !== undefined) this.#deps.store.save(key, history);
  }

  #showCount(): void {
    this.#rolledBack.set(this.list().size);
  }

  #warn(
    pod: Pod,
    event: { readonly reason: string; readonly message: string },
  ): void {
    this.#deps.events.record(podRef(pod), { type: "Warning", ...event });
  }
}
