/**
 * Watches what the node has left, and makes room when that is too little.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { EventSink, PodRef } from "../api/types/mod.ts";
import { podRef } from "../api/objects/mod.ts";
import { isCriticalPod } from "../api/vocabulary/mod.ts";
import { NODE_PRESSURES, type NodePressure } from "../pod/admission/mod.ts";
import type { DiskLayout } from "./disk_layout.ts";
import { evictionMessage } from "./eviction_message.ts";
import type { PressureMeters, PressureParts } from "./ports.ts";
import {
  judgePressure,
  missingOf,
  NO_PRESSURE,
  type PressureState,
} from "./pressure_state.ts";
import { type Candidate, isWorthEnding, rankPods } from "./ranking.ts";
import {
  DERIVED_SIGNALS,
  type Observations,
  pressureOf,
  type PressureSignal,
  resourceOf,
} from "./signals.ts";
import { reachable, thresholdConflicts } from "./threshold_conflicts.ts";
import type { Threshold } from "./thresholds.ts";

/** Upstream's monitoring interval of the eviction manager. */
const PERIOD_MS = 10_000;

/** Upstream's podCleanupTimeout: so long the next look waits for a pod that is being ended. */
const END_LIMIT_MS = 30_000;

/** Upstream's podCleanupPollFreq. */
const END_POLL_MS = 1_000;

/** Upstream's immediateEvictionGracePeriodSeconds. */
const HARD_GRACE_SECONDS = 1;

/** Where it does not matter which disk there is. */
const ONE_DISK: DiskLayout = { hasOwnImageFs: false, layersOn: "nodefs" };

/** Nobody asked for these, so that they cannot be measured is no news. */
const DERIVED: readonly PressureSignal[] = DERIVED_SIGNALS;

/** The reason in event and status of every eviction. */
const EVICTED = "Evicted";

/** The reasons of the node's events when a condition begins and ends. */
const CONDITION_REASONS: Readonly<
  Record<NodePressure, { readonly begins: string; readonly ends: string }>
> = {
  MemoryPressure: {
    begins: "NodeHasInsufficientMemory",
    ends: "NodeHasSufficientMemory",
  },
  DiskPressure: {
    begins: "NodeHasDiskPressure",
    ends: "NodeHasNoDiskPressure",
  },
  PIDPressure: {
    begins: "NodeHasInsufficientPID",
    ends: "NodeHasSufficientPID",
  },
};

/** The settings of it. */
export interface PressureOptions {
  readonly thresholds: readonly Threshold[];
  /** How long a condition stays after it was last found. */
  readonly transitionMs: number;
  /** The most time that a pod gets to end for a soft threshold. */
  readonly maxPodGraceSeconds: number;
}

interface PressureDeps extends PressureParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  /** Events about the node itself are recorded of this. */
  readonly node: PodRef;
  readonly meters: PressureMeters;
}

/** What is short, and what was found of it. */
interface ActedShortage {
  readonly threshold: Threshold;
  readonly observations: Observations;
}

/** What is done about a shortage. */
type Action =
  /** Nothing more, or nothing could be done: others have their turn. */
  | { readonly kind: "none" }
  /** Room is going to be free without more being done. */
  | { readonly kind: "freeing" }
  | { readonly kind: "evicting"; readonly uid: string };

const NO_ACTION: Action = { kind: "none" };

/**
 * Looks at the node every ten seconds (kubelet: eviction manager).
 *
 * Below a threshold the node has a condition, for which new pods are refused. When a
 * shortage lasts through its grace, what is of no use is freed first; if that is not enough
 * one pod is ended, and the next look waits for its end. A critical pod is never ended, nor
 * one that would give back next to nothing. Where nothing can be done for one shortage the
 * next one has its turn: what fills the disk need not wait for what takes the memory. A look
 * writes nothing to the disk and asks the runtime nothing while nothing is short.
 */
export class NodePressureManager {
  readonly #deps: PressureDeps;
  readonly #options: PressureOptions;
  readonly #evictions: Counter;
  readonly #pressure: Gauge;
  #state: PressureState = NO_PRESSURE;
  #conditions: readonly NodePressure[] = [];
  readonly #listeners: (() => void)[] = [];
  /** Those that contradict others, which was told. */
  #conflicts: ReadonlySet<Threshold> = new Set();
  /** Signals that could not be measured last time: logged once. */
  #unmeasured = "";
  /** Why ranking failed for each of those that are short: logged once. */
  readonly #failures = new Map<PressureSignal, string>();
  #hasLooked = false;
  /** For these no pod was worth ending at the last look. */
  readonly #helpless = new Set<PressureSignal>();

  constructor(deps: PressureDeps, options: PressureOptions) {
    this.#deps = { ...deps, log: deps.log.named("pressure") };
    this.#options = options;
    const { metrics } = deps;
    this.#evictions = metrics.counter(
      "kubelet_evictions",
      "Pods that the node evicted, by the signal that led to it",
      ["eviction_signal"],
    );
    this.#pressure = metrics.gauge(
      "skerry_node_pressure",
      "Whether the node has a condition of pressure",
      ["condition"],
    );
    for (const condition of NODE_PRESSURES) {
      this.#pressure.set(0, { condition });
    }
  }

  /** The conditions that the node has now. */
  get conditions(): readonly NodePressure[] {
    return this.#conditions;
  }

  /** Whether the node was looked at and has no condition; so is one that has no thresholds. */
  get isCalm(): boolean {
    const isLooked = this.#hasLooked || this.#options.thresholds.length === 0;
    return isLooked && this.#conditions.length === 0;
  }

  /** How long a condition stays after it was last found. */
  get transitionMs(): number {
    return this.#options.transitionMs;
  }

  /** Has one more listener called when conditions begin or end. */
  whenChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      const evicted = await this.check(signal);
      if (evicted === undefined) await clock.sleep(PERIOD_MS, signal);
      else await this.#untilEnded(evicted, signal);
    }
  }

  /** Looks once; returns the UID of the pod that is ended for it, if one is. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const { meters, clock } = this.#deps;
    const { transitionMs } = this.#options;
    if (this.#options.thresholds.length === 0) return undefined;
    const observations = await meters.observe();
    this.#logUnmeasured(observations);
    this.#warnOfConflicts(observations);
    const nowMs = clock.monotonic();
    const thresholds = reachable(this.#options.thresholds, observations);
    const look = { thresholds, observations, nowMs, transitionMs };
    const judgement = judgePressure(this.#state, look);
    this.#state = judgement.state;
    this.#hasLooked = true;
    this.#setConditions(judgement.conditions, observations);
    const bySignal = Map.groupBy(judgement.acute, (each) => each.signal);
    for (const [threshold] of bySignal.values()) {
      if (threshold === undefined) continue;
      const action = await this.#tryToAct(threshold, signal);
      if (action.kind === "evicting") return action.uid;
      if (action.kind === "freeing") return undefined;
    }
    return undefined;
  }

  async #tryToAct(threshold: Threshold, signal: AbortSignal): Promise<Action> {
    try {
      const action = await this.#act(threshold, signal);
      this.#failures.delete(threshold.signal);
      return action;
    } catch (error) {
      signal.throwIfAborted();
      const failure = describeError(error);
      if (failure !== this.#failures.get(threshold.signal)) {
        this.#deps.log.warn("pods_not_ranked", {
          signal: threshold.signal,
          error: failure,
        });
      }
      this.#failures.set(threshold.signal, failure);
      return NO_ACTION;
    }
  }

  async #act(threshold: Threshold, signal: AbortSignal): Promise<Action> {
    const { events, node, meters } = this.#deps;
    events.record(node, {
      type: "Warning",
      reason: "EvictionThresholdMet",
      message: `Attempting to reclaim ${resourceOf(threshold.signal)}`,
    });
    const isFreeing = await this.#reclaim(threshold, signal);
    if (isFreeing) return { kind: "freeing" };
    // What was freed counts, and so does what became free meanwhile.
    const observations = await meters.observe();
    const observed = observations.get(threshold.signal);
    if (observed === undefined) return NO_ACTION;
    const missing = missingOf(threshold, observed, { withReclaim: true });
    if (missing <= 0) return NO_ACTION;
    const why = { threshold, observations, missing };
    const uid = await this.#evictOne(why, signal);
    return uid === undefined ? NO_ACTION : { kind: "evicting", uid };
  }

  /** @returns whether room is going to be free without more being done */
  async #reclaim(
    shortage: Threshold,
    signal: AbortSignal,
  ): Promise<boolean> {
    let isFreeing = false;
    for (const reclaimer of this.#deps.reclaimers) {
      try {
        const found = await reclaimer.reclaim(shortage, signal);
        isFreeing ||= found === "under_way";
      } catch (error) {
        signal.throwIfAborted();
        // The next one may free enough.
        this.#deps.log.warn("not_reclaimed", {
          signal: shortage.signal,
          error,
        });
      }
    }
    return isFreeing;
  }

  async #evictOne(
    why: ActedShortage & { readonly missing: number },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { pods, meters, log } = this.#deps;
    const { threshold, missing } = why;
    const given = pods.running().filter((pod) => !isCriticalPod(pod));
    if (given.length === 0) return undefined;
    const isDisk = pressureOf(threshold.signal) === "DiskPressure";
    const what = isDisk ? "all" : "memory";
    const uses = await meters.pods(given, { what, signal });
    const candidates = given.map((pod) => ({
      pod,
      use: uses.get(pod.metadata.uid),
    }));
    const layout = isDisk ? await meters.layout(signal) : ONE_DISK;
    const shortage = { signal: threshold.signal, layout };
    const worthy = rankPods(candidates, shortage)
      .filter((each) => isWorthEnding(each, shortage, missing));
    if (worthy.length > 0) this.#helpless.delete(threshold.signal);
    else if (!this.#helpless.has(threshold.signal)) {
      const { signal } = threshold;
      this.#helpless.add(signal);
      log.warn("no_pod_frees_enough", { signal, missing, pods: given.length });
    }
    for (const candidate of worthy) {
      if (this.#evict(candidate, why)) return candidate.pod.metadata.uid;
    }
    return undefined;
  }

  #evict(candidate: Candidate, why: ActedShortage): boolean {
    const { pods, events, log } = this.#deps;
    const { pod } = candidate;
    const { signal, kind } = why.threshold;
    const message = evictionMessage(candidate, why);
    const eviction = { reason: EVICTED, message, disruption: true };
    const { terminationGracePeriodSeconds: own = Infinity } = pod.spec;
    const graceSeconds = kind === "hard"
      ? HARD_GRACE_SECONDS
      : Math.min(this.#options.maxPodGraceSeconds, own);
    if (!pods.evict(pod.metadata.uid, eviction, { graceSeconds })) return false;
    this.#evictions.inc({ eviction_signal: signal });
    log.warn("pod_evicted", { ...podRef(pod), signal, threshold: kind });
    events.record(podRef(pod), { type: "Warning", reason: EVICTED, message });
    return true;
  }

  #setConditions(
    conditions: readonly NodePressure[],
    observations: Observations,
  ): void {
    const before = this.#conditions;
    const changed = NODE_PRESSURES.filter((each) =>
      before.includes(each) !== conditions.includes(each)
    );
    if (changed.length === 0) return;
    this.#conditions = conditions;
    const { events, node, log } = this.#deps;
    for (const condition of changed) {
      const begins = conditions.includes(condition);
      const { begins: beginning, ends } = CONDITION_REASONS[condition];
      const reason = begins ? beginning : ends;
      this.#pressure.set(begins ? 1 : 0, { condition });
      const left = [...observations].filter(([signal]) =>
        pressureOf(signal) === condition
      );
      const fields = {
        condition,
        ...Object.fromEntries(
          left.map(([signal, { available }]) => [signal, available]),
        ),
      };
      if (begins) log.warn("node_pressure_begins", fields);
      else log.info("node_pressure_ends", fields);
      const message = `Node ${node.name} status is now: ${reason}`;
      events.record(node, { type: "Normal", reason, message });
    }
    for (const listener of this.#listeners) listener();
  }

  /** Once: it is the operator's to change, and shortages are acted on all the same. */
  #warnOfConflicts(observations: Observations): void {
    const { events, node, log } = this.#deps;
    const all = thresholdConflicts(this.#options.thresholds, observations);
    for (const { threshold, message } of all) {
      if (this.#conflicts.has(threshold)) continue;
      log.warn("thresholds_contradict", { fault: message });
      const reason = "InvalidEvictionThreshold";
      events.record(node, { type: "Warning", reason, message });
    }
    this.#conflicts = new Set(all.map(({ threshold }) => threshold));
  }

  #logUnmeasured(observations: Observations): void {
    const missing = this.#options.thresholds.map(({ signal }) => signal)
      .filter((signal) =>
        !observations.has(signal) && !DERIVED.includes(signal)
      );
    const text = [...new Set(missing)].join(", ");
    if (text === this.#unmeasured) return;
    this.#unmeasured = text;
    if (text !== "") {
      this.#deps.log.info("signals_not_measured", { signals: text });
    }
  }

  async #untilEnded(uid: string, signal: AbortSignal): Promise<void> {
    const { clock, pods } = this.#deps;
    const endMs = clock.monotonic() + END_LIMIT_MS;
    do await clock.sleep(END_POLL_MS, signal); while (
      !pods.hasEnded(uid) && clock.monotonic() < endMs
    );
  }
}
