/**
 * Calls of the CRI under upstream's names, for dashboards that know the kubelet.
 *
 * @module
 */

import type {
  Counter,
  Histogram,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";

/** Upstream's: from 5 ms, each two and a half times the one before. */
const BUCKETS_SECONDS = Array.from(
  { length: 14 },
  (_, at) => Number((0.005 * 2.5 ** at).toPrecision(9)),
);

/** Counts the calls of the CRI and how long they took; other services are no operations. */
export class RuntimeOperations {
  readonly #total: Counter;
  readonly #errors: Counter;
  readonly #durations: Histogram;

  constructor(deps: { readonly metrics: MetricsRegistry }) {
    const { metrics } = deps;
    const labelNames = ["operation_type"];
    this.#total = metrics.counter(
      "kubelet_runtime_operations_total",
      "Calls of the CRI that are over, by operation",
      labelNames,
    );
    this.#errors = metrics.counter(
      "kubelet_runtime_operations_errors_total",
      "Calls of the CRI that failed, by operation",
      labelNames,
    );
    this.#durations = metrics.histogram(
      "kubelet_runtime_operations_duration_seconds",
      "How long calls of the CRI took, failed ones included, by operation",
      { labelNames, buckets: BUCKETS_SECONDS },
    );
  }

  /** A call is over. */
  ended(
    { name, path }: { readonly name: string; readonly path: string },
    { tookMs, isFailed }: {
      readonly tookMs: number;
      readonly isFailed: boolean;
    },
  ): void {
    if (!path.startsWith("/runtime.v1.")) return;
    const labels = { operation_type: operationType(name) };
    this.#total.inc(labels);
    this.#durations.observe(tookMs / 1_000, labels);
    if (isFailed) this.#errors.inc(labels);
  }
}

/**
 * Upstream's name of an operation. Pure.
 *
 * @param method as the CRI spells it
 */
export function operationType(method: string): string {
  if (method === "UpdateContainerResources") return "update_container";
  return method.replace("PodSandbox", "Podsandbox")
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).slice(1);
}
