/**
 * What probing shows of itself.
 *
 * @module
 */

import type {
  Counter,
  Histogram,
  MetricLabels,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import type { ProbeKind } from "../pod/probes/mod.ts";

/** How an attempt is counted. */
export type CountedResult = "successful" | "failed" | "unknown";

/** The series of one probe, removed when it is disposed: pods that are gone leave none. */
export interface ProbeSeries extends Disposable {
  /** Counts one attempt; like the kubelet, failed ones without their time. */
  count(result: CountedResult, tookMs: number): void;
}

/** The kubelet's words for the kinds of probes, in metrics and in events. */
export const PROBE_WORDS: Readonly<Record<ProbeKind, string>> = {
  liveness: "Liveness",
  readiness: "Readiness",
  startup: "Startup",
};

/** Room for the three results of every probe on a node with 1500 of them. */
const MAX_SERIES = 5000;

/** The kubelet's metrics, so that its dashboards show this agent too. */
export class ProbeMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;

  /** Registers the metrics. */
  constructor(metrics: MetricsRegistry) {
    this.#total = metrics.counter(
      "prober_probe_total",
      "Attempts of liveness, readiness and startup probes, by result",
      {
        labelNames: [
          "probe_type",
          "result",
          "container",
          "pod",
          "namespace",
          "pod_uid",
        ],
        maxLabelSets: MAX_SERIES,
      },
    );
    this.#duration = metrics.histogram(
      "prober_probe_duration_seconds",
      "Time that attempts of probes took that did not fail",
      {
        labelNames: ["probe_type", "container", "pod", "namespace"],
        maxLabelSets: MAX_SERIES,
      },
    );
  }

  /** The series of one probe. */
  of(pod: Pod, container: string, kind: ProbeKind): ProbeSeries {
    const { name, namespace, uid: pod_uid } = pod.metadata;
    const probe_type = PROBE_WORDS[kind];
    const duration = { probe_type, container, pod: name, namespace };
    const results: Readonly<Record<CountedResult, MetricLabels>> = {
      successful: { ...duration, result: "successful", pod_uid },
      failed: { ...duration, result: "failed", pod_uid },
      unknown: { ...duration, result: "unknown", pod_uid },
    };
    return {
      count: (result, tookMs) => {
        this.#total.inc(results[result]);
        if (result === "failed") return;
        this.#duration.observe(tookMs / 1000, duration);
      },
      [Symbol.dispose]: () => {
        for (const labels of Object.values(results)) this.#total.delete(labels);
        this.#duration.delete(duration);
      },
    };
  }
}
