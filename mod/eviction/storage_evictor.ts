/**
 * Ends pods that store more on the node than they may.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { EventSink, Pod } from "../api/types/mod.ts";
import { isCriticalPod } from "../api/vocabulary/mod.ts";
import { podRef } from "../api/objects/mod.ts";
import { measureStorage, type StoragePaths } from "./measure.ts";
import type { EvictablePods, LayerUsage, StorageMeters } from "./ports.ts";
import {
  type Excess,
  findExcess,
  limitsEphemeral,
  type StorageLimits,
  storageLimits,
} from "./storage_limits.ts";

/** Upstream's monitoring interval of the eviction manager. */
const PERIOD_MS = 10_000;

/** Of all time at most a tenth goes into measuring, however many files pods make. */
const PAUSES_PER_CHECK = 9;

/** Upstream's immediateEvictionGracePeriodSeconds. */
const GRACE_SECONDS = 1;

/** The reason in event and status of every eviction. */
const EVICTED = "Evicted";

/** What the evictor works with. */
export interface StorageEvictorDeps {
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
  readonly #limits = new WeakMap<
    Pod,
    { readonly limits: StorageLimits | undefined }
  >();
  /** Why a pod could not be measured last time, so that it is logged once. */
  readonly #failures = new WeakMap<Pod, string>();
  /** The last failure to measure layers, so that it is logged once. */
  #layersFailure = "";

  constructor(deps: StorageEvictorDeps, paths: StoragePaths) {
    this.#deps = { ...deps, log: deps.log.named("eviction") };
    this.#paths = paths;
    this.#evictions = deps.metrics.counter(
      "kubelet_evictions",
      "Pods that the node evicted, by the signal that led to it",
      ["eviction_signal"],
    );
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    let pauseMs = PERIOD_MS;
    while (!signal.aborted) {
      try {
        await clock.sleep(pauseMs, signal);
        const startMs = clock.monotonic();
        await this.check(signal);
        const tookMs = clock.monotonic() - startMs;
        pauseMs = Math.max(PERIOD_MS, tookMs * PAUSES_PER_CHECK);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  /** Looks once at every pod that has limits. */
  async check(signal: AbortSignal): Promise<void> {
    const limited = this.#deps.pods.running().flatMap((pod) => {
      const limits = isCriticalPod(pod) ? undefined : this.#limitsOf(pod);
      return limits === undefined ? [] : [{ pod, limits }];
    });
    const wantsLayers = limited.some(({ limits }) => limitsEphemeral(limits));
    const layers = wantsLayers ? await this.#layers(signal) : [];
    for (const { pod, limits } of limited) {
      const excess = await this.#measure({ pod, limits, layers }, signal);
      if (excess !== undefined) this.#evict(pod, excess);
    }
  }

  #limitsOf(pod: Pod): StorageLimits | undefined {
    let known = this.#limits.get(pod);
    if (known === undefined) {
      known = { limits: storageLimits(pod) };
      this.#limits.set(pod, known);
    }
    return known.limits;
  }

  /** What a pod exceeds. One that cannot be measured does not keep others from being. */
  async #measure(
    of: { pod: Pod; limits: StorageLimits; layers: readonly LayerUsage[] },
    signal: AbortSignal,
  ): Promise<Excess | undefined> {
    const { meters, log } = this.#deps;
    try {
      const usage = await measureStorage(of, {
        meters,
        paths: this.#paths,
        signal,
      });
      this.#failures.delete(of.pod);
      return findExcess(of.pod, of.limits, usage);
    } catch (error) {
      signal.throwIfAborted();
      const failure = describeError(error);
      if (failure !== this.#failures.get(of.pod)) {
        log.warn("pod_not_measured", { ...podRef(of.pod), error: failure });
      }
      this.#failures.set(of.pod, failure);
      return undefined;
    }
  }

  /** Without the runtime's figures the rest still counts. */
  async #layers(signal: AbortSignal): Promise<readonly LayerUsage[]> {
    try {
      const layers = await this.#deps.meters.layers(signal);
      this.#layersFailure = "";
      return layers;
    } catch (error) {
      signal.throwIfAborted();
      const failure = describeError(error);
      if (failure !== this.#layersFailure) {
        this.#deps.log.warn("layers_not_measured", { error: failure });
      }
      this.#layersFailure = failure;
      return [];
    }
  }

  #evict(pod: Pod, { signal, message }: Excess): void {
    const { pods, events, log } = this.#deps;
    const { uid } = pod.metadata;
    const eviction = { reason: EVICTED, message };
    if (!pods.evict(uid, eviction, { graceSeconds: GRACE_SECONDS })) return;
    this.#evictions.inc({ eviction_signal: signal });
    log.info("pod_evicted", { ...podRef(pod), signal });
    events.record(podRef(pod), { type: "Warning", reason: EVICTED, message });
  }
}
