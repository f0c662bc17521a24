/**
 * What is used, as metrics.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { resourceMetrics } from "../../../mod/server/resource_metrics.ts";
import { nodeStats } from "../../support/server/node_stats.ts";
import { pairStats } from "../../support/server/pair_stats.ts";

const MI = 2 ** 20;

Deno.test("resourceMetrics() marks what upstream may still change", () => {
  const help = resourceMetrics(nodeStats()).split("\n")
    .filter((line) => line.startsWith("# HELP"));
  deepStrictEqual(
    help.filter((line) => line.includes(" [ALPHA] "))
      .map((line) => line.split(" ")[2]),
    [
      "container_swap_limit_bytes",
      "container_swap_usage_bytes",
      "node_swap_usage_bytes",
      "pod_swap_usage_bytes",
      "scrape_error",
    ],
  );
  strictEqual(help.filter((line) => line.includes(" [STABLE] ")).length, 8);
});

Deno.test("resourceMetrics() names containers, pods and the node as the kubelet does", () => {
  const lines = resourceMetrics(nodeStats()).split("\n")
    .filter((line) => !line.startsWith("# HELP"));
  const of = 'namespace="shop",pod="web"';
  const container = `container="c",${of}`;
  deepStrictEqual(lines, [
    "# TYPE container_cpu_usage_seconds_total counter",
    `container_cpu_usage_seconds_total{${container}} 4.5 1700000000000`,
    "# TYPE container_memory_working_set_bytes gauge",
    `container_memory_working_set_bytes{${container}} 67108864 1700000000000`,
    "# TYPE container_start_time_seconds gauge",
    `container_start_time_seconds{${container}} 1699999980`,
    "# TYPE container_swap_limit_bytes gauge",
    `container_swap_limit_bytes{${container}} 12 1700000000000`,
    "# TYPE container_swap_usage_bytes gauge",
    `container_swap_usage_bytes{${container}} 3 1700000000000`,
    "# TYPE node_cpu_usage_seconds_total counter",
    "node_cpu_usage_seconds_total 90.5 1700000000000",
    "# TYPE node_memory_working_set_bytes gauge",
    "node_memory_working_set_bytes 786432000 1700000000000",
    "# TYPE node_swap_usage_bytes gauge",
    "node_swap_usage_bytes 40 1700000000000",
    "# TYPE pod_cpu_usage_seconds_total counter",
    `pod_cpu_usage_seconds_total{${of}} 4.5 1700000000000`,
    "# TYPE pod_memory_working_set_bytes gauge",
    `pod_memory_working_set_bytes{${of}} 67108864 1700000000000`,
    "# TYPE pod_swap_usage_bytes gauge",
    `pod_swap_usage_bytes{${of}} 3 1700000000000`,
    "# TYPE scrape_error gauge",
    "scrape_error 0",
    "# TYPE resource_scrape_error gauge",
    "resource_scrape_error 0",
    "",
  ]);
});

Deno.test("resourceMetrics() adds up containers of a pod, and escapes names", () => {
  const lines = resourceMetrics(pairStats()).split("\n")
    .filter((line) => !line.startsWith("#"));
  const of = 'namespace="shop",pod="web"';
  const other = `container="b\\"\\\\\\n",${of}`;
  for (
    const line of [
      `container_cpu_usage_seconds_total{${other}} 0.5 1700000003000`,
      `container_memory_working_set_bytes{${other}} ${MI} 1699999998000`,
      `container_start_time_seconds{${other}} 1699999990`,
      `pod_cpu_usage_seconds_total{${of}} 5 1700000003000`,
      `pod_memory_working_set_bytes{${of}} ${65 * MI} 1700000000000`,
    ]
  ) ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
});

Deno.test("resourceMetrics() has neither head nor line of what was not measured", () => {
  const stats = nodeStats();
  const node = {
    ...stats.node,
    ...{ memory: undefined, cpuNanos: undefined, swap: undefined },
  };
  const text = resourceMetrics({ ...stats, node, pods: [] });
  deepStrictEqual(text.match(/^# TYPE .*$/gm), [
    "# TYPE scrape_error gauge",
    "# TYPE resource_scrape_error gauge",
  ]);
});

Deno.test("resourceMetrics() says that there are no figures", () => {
  const text = resourceMetrics(undefined);
  strictEqual(text.includes("\nresource_scrape_error 1\n"), true);
  strictEqual(text.includes("container_cpu"), false);
});
