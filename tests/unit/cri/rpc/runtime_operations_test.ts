/**
 * Calls of the CRI under upstream's names.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import {
  operationType,
  RuntimeOperations,
} from "../../../../mod/cri/rpc/runtime_operations.ts";

for (
  const [method, operation] of [
    ["Version", "version"],
    ["PullImage", "pull_image"],
    ["ImageFsInfo", "image_fs_info"],
    ["RunPodSandbox", "run_podsandbox"],
    ["PodSandboxStatus", "podsandbox_status"],
    ["ListPodSandboxStats", "list_podsandbox_stats"],
    ["UpdateContainerResources", "update_container"],
    ["ReopenContainerLog", "reopen_container_log"],
  ] as const
) {
  Deno.test(`operationType() names ${method} "${operation}"`, () => {
    strictEqual(operationType(method), operation);
  });
}

Deno.test("RuntimeOperations.ended() counts calls of the CRI, and of nothing else", () => {
  const metrics = new MetricsRegistry();
  const operations = new RuntimeOperations({ metrics });
  const pull = {
    name: "PullImage",
    path: "/runtime.v1.ImageService/PullImage",
  };
  operations.ended(pull, { tookMs: 400, isFailed: false });
  operations.ended(pull, { tookMs: 20_000_000, isFailed: true });
  const task = {
    name: "GetTask",
    path: "/containerd.services.tasks.v1.Tasks/Get",
  };
  operations.ended(task, { tookMs: 1, isFailed: true });
  const lines = metrics.render().split("\n").filter((line) =>
    line !== "" && !line.startsWith("#")
  );
  const label = 'operation_type="pull_image"';
  const of = (rest: string) => `kubelet_runtime_operations_${rest}`;
  deepStrictEqual(lines.filter((line) => !line.includes("_bucket")), [
    of(`duration_seconds_sum{${label}} 20000.4`),
    of(`duration_seconds_count{${label}} 2`),
    of(`errors_total{${label}} 1`),
    of(`total{${label}} 2`),
  ]);
  const bounds = lines.flatMap((line) => /le="([^"]*)"/.exec(line)?.[1] ?? []);
  deepStrictEqual(bounds.slice(0, 5), [
    ...["0.005", "0.0125", "0.03125", "0.078125", "0.1953125"],
  ]);
  strictEqual(bounds.length, 15);
  strictEqual(bounds.at(-1), "+Inf");
});
