/**
 * What is used, as the kubelet's `/metrics/resource` says it.
 *
 * Upstream: pkg/kubelet/metrics/collectors/resource_metrics.go.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { ContainerUse } from "../usage/mod.ts";
import { findContainerStatus, startedAt } from "./container_start.ts";
import type { NodeStats } from "./ports.ts";

type Labels = Readonly<Record<string, string>>;

/** One number, and when it was measured where the runtime says so. */
interface MetricSample {
  readonly labels: Labels;
  readonly value: number;
  readonly atMs?: number;
}

/** The text of the answer; without figures it says that there are none. */
export function resourceMetrics(stats: NodeStats | undefined): string {
  const failed = { labels: {}, value: stats === undefined ? 1 : 0 };
  return [
    ...(stats === undefined ? [] : familiesOf(stats)),
    family("scrape_error", "gauge", {
      stability: "ALPHA",
      help:
        "1 if there was an error while getting container metrics, 0 otherwise",
      rows: [failed],
    }),
    family("resource_scrape_error", "gauge", {
      help:
        "1 if there was an error while getting container metrics, 0 otherwise",
      rows: [failed],
    }),
  ].join("");
}

/** One container, and how it is named. */
interface MeteredContainer {
  readonly pod: Pod;
  readonly container: ContainerUse;
  readonly labels: Labels;
}

function familiesOf(stats: NodeStats): string[] {
  const containers = stats.pods.flatMap(({ pod, use }) =>
    use.containers.map((container) => {
      const { name, namespace } = pod.metadata;
      const labels = { container: container.name, namespace, pod: name };
      return { pod, container, labels };
    })
  );
  const samples = {
    ...samplesOf(containers),
    ...swapSamplesOf(containers),
  };
  return [
    ...containerFamilies(samples),
    ...nodeFamilies(stats),
    ...podFamilies(samples),
  ];
}

type Samples = ReturnType<typeof samplesOf> & ReturnType<typeof swapSamplesOf>;

function containerFamilies(
  { cpu, memory, starts, swap, swapLimits }: Samples,
): string[] {
  return [
    family("container_cpu_usage_seconds_total", "counter", {
      help: "Cumulative cpu time consumed by the container in core-seconds",
      rows: cpu,
    }),
    family("container_memory_working_set_bytes", "gauge", {
      help: "Current working set of the container in bytes",
      rows: memory,
    }),
    family("container_start_time_seconds", "gauge", {
      help: "Start time of the container since unix epoch in seconds",
      rows: starts,
    }),
    swapFamily("container_swap_limit_bytes", {
      help: "Current amount of the container swap limit in bytes",
      rows: swapLimits,
    }),
    swapFamily("container_swap_usage_bytes", {
      help: "Current amount of the container swap usage in bytes",
      rows: swap,
    }),
  ];
}

function nodeFamilies(
  { node: { cpuNanos, memory, swap }, atMs }: NodeStats,
): string[] {
  const rowsOf = (value: number | undefined): readonly MetricSample[] =>
    value === undefined ? [] : [{ labels: {}, value, atMs }];
  return [
    family("node_cpu_usage_seconds_total", "counter", {
      help: "Cumulative cpu time consumed by the node in core-seconds",
      rows: rowsOf(cpuNanos === undefined ? undefined : Number(cpuNanos) / 1e9),
    }),
    family("node_memory_working_set_bytes", "gauge", {
      help: "Current working set of the node in bytes",
      rows: rowsOf(memory && memory.capacity - memory.available),
    }),
    swapFamily("node_swap_usage_bytes", {
      help: "Current swap usage of the node in bytes",
      rows: rowsOf(swap && swap.capacity - swap.available),
    }),
  ];
}

function podFamilies({ cpu, memory, swap }: Samples): string[] {
  return [
    family("pod_cpu_usage_seconds_total", "counter", {
      help: "Cumulative cpu time consumed by the pod in core-seconds",
      rows: byPod(cpu),
    }),
    family("pod_memory_working_set_bytes", "gauge", {
      help: "Current working set of the pod in bytes",
      rows: byPod(memory),
    }),
    swapFamily("pod_swap_usage_bytes", {
      help: "Current amount of the pod swap usage in bytes",
      rows: byPod(swap),
    }),
  ];
}

function samplesOf(containers: readonly MeteredContainer[]) {
  const cpu = containers.flatMap(({ container: { cpu }, labels }) =>
    cpu?.usedNanos === undefined ? [] : [{
      labels,
      value: Number(cpu.usedNanos) / 1e9,
      atMs: Number(cpu.atNanos / 1_000_000n),
    }]
  );
  const memory = containers.flatMap(({ container: { memory }, labels }) =>
    memory?.workingSet === undefined ? [] : [{
      labels,
      value: Number(memory.workingSet),
      atMs: Number(memory.atNanos / 1_000_000n),
    }]
  );
  const starts = containers.flatMap(({ pod, container, labels }) => {
    const text = startedAt(findContainerStatus(pod, container.name));
    return text === undefined
      ? []
      : [{ labels, value: Date.parse(text) / 1000 }];
  });
  return { cpu, memory, starts };
}

/** What is swapped out, and the most that may be. */
function swapSamplesOf(containers: readonly MeteredContainer[]) {
  const known = containers.flatMap(({ container: { swap }, labels }) =>
    swap === undefined
      ? []
      : [{ swap, labels, atMs: Number(swap.atNanos / 1_000_000n) }]
  );
  const swap = known.flatMap(({ swap, ...rest }) =>
    swap.usage === undefined ? [] : [{ ...rest, value: Number(swap.usage) }]
  );
  const swapLimits = known.flatMap((
    { swap: { available, usage = 0n }, ...rest },
  ) =>
    available === undefined
      ? []
      : [{ ...rest, value: Number(available + usage) }]
  );
  return { swap, swapLimits };
}

function swapFamily(
  name: string,
  { help, rows }: {
    readonly help: string;
    readonly rows: readonly MetricSample[];
  },
): string {
  const stability = "ALPHA";
  const where = ". Reported only on non-windows systems";
  return family(name, "gauge", { help: help + where, rows, stability });
}

/** The sums of what containers of one pod use. */
function byPod(
  rows: readonly (MetricSample & { readonly atMs: number })[],
): MetricSample[] {
  const pods = Map.groupBy(
    rows,
    ({ labels }) => `${labels["namespace"]}/${labels["pod"]}`,
  );
  return [...pods.values()].map((own) => {
    const { namespace = "", pod = "" }: Labels = own[0]?.labels ?? {};
    return {
      labels: { namespace, pod },
      value: own.reduce((total, { value }) => total + value, 0),
      atMs: Math.max(...own.map(({ atMs }) => atMs)),
    };
  });
}

function family(
  name: string,
  type: "counter" | "gauge",
  { help, rows, stability = "STABLE" }: {
    readonly help: string;
    readonly rows: readonly MetricSample[];
    /** As upstream marks it. @default "STABLE" */
    readonly stability?: "ALPHA" | "STABLE";
  },
): string {
  if (rows.length === 0) return "";
  const lines = rows.map(({ labels, value, atMs }) => {
    const pairs = Object.entries(labels)
      .map(([key, text]) => `${key}="${escaped(text)}"`).join(",");
    const at = atMs === undefined ? "" : ` ${atMs}`;
    return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}${at}\n`;
  });
  return `# HELP ${name} [${stability}] ${help}\n# TYPE ${name} ${type}\n${
    lines.join("")
  }`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
    .replaceAll("\n", "\\n");
}
