/**
 * The settings of the machine's shutdown.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { parseRunArguments } from "../../../mod/config/run_arguments.ts";
import { fakeIo } from "../../support/config/config_io.ts";

async function parse(...lines: readonly string[]) {
  const text = [
    "apiVersion: kubelet.config.k8s.io/v1beta1",
    "kind: KubeletConfiguration",
    ...lines,
  ].join("\n");
  return await parseRunArguments(
    ["--config=/c.yaml"],
    fakeIo({ "/c.yaml": text }),
  );
}

const CRITICAL = 2_000_000_000;

for (
  const [title, lines, wanted] of [
    ["nothing", [], []],
    ["upstream's default", ["shutdownGracePeriod: 0s"], []],
    [
      "one time for all",
      ["shutdownGracePeriod: 30s"],
      [[0, 30], [CRITICAL, 0]],
    ],
    [
      "a part for critical pods",
      [
        "shutdownGracePeriod: 1m30s",
        "shutdownGracePeriodCriticalPods: 10500ms",
      ],
      [[0, 80], [CRITICAL, 10]],
    ],
    [
      "whole seconds",
      [
        "shutdownGracePeriod: 20s",
        "shutdownGracePeriodCriticalPods: 10s",
      ],
      [[0, 10], [CRITICAL, 10]],
    ],
    [
      "groups, where what is left out is 0 as upstream",
      [
        "shutdownGracePeriodByPodPriority:",
        "- {priority: 1000, shutdownGracePeriodSeconds: 5}",
        "- {shutdownGracePeriodSeconds: 7}",
        "- {priority: -3}",
      ],
      [[1000, 5], [0, 7], [-3, 0]],
    ],
  ] as const
) {
  Deno.test(`shutdownGroups() of ${title}`, async () => {
    const parsed = await parse(...lines);
    if (parsed.kind === "refused") throw new Error(parsed.faults.join("\n"));
    deepStrictEqual(
      parsed.config.shutdown.groups.map((each) => [
        each.priority,
        each.graceSeconds,
      ]),
      wanted,
    );
  });
}

for (
  const [lines, fault] of [
    [
      ["shutdownGracePeriod: 500ms"],
      "Cannot use shutdownGracePeriod: found 500 ms, wanted 0 or at least 1s",
    ],
    [
      ["shutdownGracePeriod: 2s", "shutdownGracePeriodCriticalPods: 1ms"],
      "Cannot use shutdownGracePeriodCriticalPods: found 1 ms, wanted 0 or at least 1s",
    ],
    [
      ["shutdownGracePeriod: 10s", "shutdownGracePeriodCriticalPods: 11s"],
      "Cannot use shutdownGracePeriodCriticalPods: found 11000 ms beside shutdownGracePeriod of 10000 ms, wanted at most that",
    ],
    [
      ["shutdownGracePeriodCriticalPods: 11s"],
      "Cannot use shutdownGracePeriodCriticalPods: found 11000 ms beside shutdownGracePeriod of 0 ms, wanted at most that",
    ],
    [
      [
        "shutdownGracePeriod: 10s",
        "shutdownGracePeriodByPodPriority: [{priority: 1}]",
      ],
      "Cannot use shutdownGracePeriodByPodPriority: found it beside shutdownGracePeriod or shutdownGracePeriodCriticalPods, wanted one or the other",
    ],
    [
      ["shutdownGracePeriodByPodPriority: [{priority: 1}, {priority: 1}]"],
      "Cannot use shutdownGracePeriodByPodPriority: found priority 1 twice, wanted each once",
    ],
    [
      ["shutdownGracePeriod: 25h"],
      "Cannot use shutdownGracePeriod: found 90000000 ms, wanted at most 86400000 ms",
    ],
  ] as const
) {
  Deno.test(`shutdownFaults() says ${fault}`, async () => {
    const parsed = await parse(...lines);
    deepStrictEqual(parsed.kind === "refused" && parsed.faults, [fault]);
  });
}

for (
  const item of [
    "{priority: 1, shutdownGracePeriodSeconds: -1}",
    "{priority: 1, shutdownGracePeriodSeconds: 86401}",
    "{priority: 2147483648}",
    "{priority: a}",
    "{priority: 1, seconds: 5}",
    "7",
  ]
) {
  Deno.test(`parseRunArguments() refuses the group ${item} of a shutdown`, async () => {
    const parsed = await parse(`shutdownGracePeriodByPodPriority: [${item}]`);
    strictEqual(parsed.kind, "refused");
    if (parsed.kind !== "refused") return;
    strictEqual(parsed.faults.length, 1);
    strictEqual(
      parsed.faults[0]?.includes("shutdownGracePeriodByPodPriority"),
      true,
    );
  });
}
