/**
 * Ends pods that store more on the node than they may.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  LogFields,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { EventSink, Pod } from "../api/types/mod.ts";
import { isCriticalPod } from "../api/vocabulary/mod.ts";
import { podRef } from "../api/objects/mod.ts";
import { measureStorage, type StoragePaths } from "./measure.ts";
import type { EvictablePods, StorageMeters } from "./ports.ts";
import {
  type Excess,
  findExcess,
  limitsEphemeral,
  type StorageLimits,
  storageLimits,
} from "./storage_limits.ts";

/** Upstream's monitoring interval of the eviction manager. */
const PERIOD_MS = 10_000;

/** Measuring takes at most a tenth of the time, however many files the pods make. */
const PAUSES_PER_CHECK = 9;

/** Upstream's immediateEvictionGracePeriodSeconds. */
const GRACE_SECONDS = 1;

/** The reason in event and status of every eviction. */
const EVICTED = "Evicted";

interface StorageEvictorDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly pods: EvictablePods;
  readonly meters: StorageMeters;
}

/**
 * Measures the pods that have limits, every ten seconds, and evicts those above.
 * Where that takes long it is done more seldom.
 *
 * A pod without limits is never measured, so that a node without such pods does
 * nothing at all. A critical pod is exempt; coming from a file makes none critical.
 */
export class StorageEvictor {
  readonly #deps: StorageEvictorDeps;
  readonly #paths: StoragePaths;
  readonly #evictions: Counter;
  /** A pod object is never altered, so its limits need be read but once. */
  readonly #limits = new WeakMap<Pod, StorageLimits | undefined>();
  /** Why pods, or layers for all, could not be measured last time, so that it is logged once. */
  readonly #failures = new WeakMap<object, string>();

  constructor(deps: StorageEvictorDeps, paths: StoragePaths) {
    this.#deps = { ...deps, log: deps.log.named("eviction") };
    this.#paths = paths;
    this.#evictions = deps.metrics.counter(
      "kubelet_evictions",
      "Pods that the node evicted, by the signal that led to it",
      ["eviction_signal"],
    );
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    let pauseMs = PERIOD_MS;
    for (;;) {
      await clock.sleep(pauseMs, signal);
      const startMs = clock.monotonic();
      await this.check(signal);
      const tookMs = clock.monotonic() - startMs;
      pauseMs = Math.max(PERIOD_MS, tookMs * PAUSES_PER_CHECK);
    }
  }

  /** Looks where the node is short: a pod above its own limits goes before all others. */
  async reclaim(
    _shortage: unknown,
    signal: AbortSignal,
  ): Promise<"done" | "under_way"> {
    return await this.check(signal) > 0 ? "under_way" : "done";
  }

  /** Looks once at every pod that has limits; returns how many it evicted. */
  async check(signal: AbortSignal): Promise<number> {
    const limited = this.#deps.pods.running().flatMap((pod) => {
      const limits = isCriticalPod(pod) ? undefined : this.#limitsOf(pod);
      return limits === undefined ? [] : [{ pod, limits }];
    });
    const wantsLayers = limited.some(({ limits }) => limitsEphemeral(limits));
    const { meters } = this.#deps;
    const paths = this.#paths;
    // Without the runtime's figures the rest still counts.
    const layers = wantsLayers
      ? await this.#try(() => meters.layers(signal), {
        of: this,
        failure: ["layers_not_measured", {}],
        signal,
      })
      : undefined;
    const byPod = Map.groupBy(layers ?? [], ({ podUid }) => podUid);
    let evicted = 0;
    for (const { pod, limits } of limited) {
      const excess = await this.#try(async () => {
        const of = { pod, limits, layers: byPod.get(pod.metadata.uid) ?? [] };
        const usage = await measureStorage(of, { meters, paths, signal });
        return findExcess(pod, limits, usage);
      }, {
        of: pod,
        failure: ["pod_not_measured", { ...podRef(pod) }],
        signal,
      });
      if (excess !== undefined && this.#evict(pod, excess)) evicted++;
    }
    return evicted;
  }

  #limitsOf(pod: Pod): StorageLimits | undefined {
    if (!this.#limits.has(pod)) this.#limits.set(pod, storageLimits(pod));
    return this.#limits.get(pod);
  }

  /** Measures one thing; where that fails it keeps no other from being measured. */
  async #try<T>(
    measure: () => Promise<T>,
    { of, failure: [message, fields], signal }: {
      readonly of: object;
      readonly failure: readonly [message: string, fields: LogFields];
      readonly signal: AbortSignal;
    },
  ): Promise<T | undefined> {
    try {
      const found = await measure();
      this.#failures.delete(of);
      return found;
    } catch (error) {
      signal.throwIfAborted();
      const failure = describeError(error);
      if (failure !== this.#failures.get(of)) {
        this.#deps.log.warn(message, { ...fields, error: failure });
      }
      this.#failures.set(of, failure);
      return undefined;
    }
  }

  #evict(pod: Pod, { signal, message }: Excess): boolean {
    const { pods, events, log } = this.#deps;
    const { uid } = pod.metadata;
    const eviction = { reason: EVICTED, message };
    if (!pods.evict(uid, eviction, { graceSeconds: GRACE_SECONDS })) {
      return false;
    }
    this.#evictions.inc({ eviction_signal: signal });
    log.info("pod_evicted", { ...podRef(pod), signal });
    events.record(podRef(pod), { type: "Warning", reason: EVICTED, message });
    return true;
  }
}
