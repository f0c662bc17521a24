/**
 * The cgroup settings of containers, field by field.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { PodSpec } from "../../../../mod/api/types/mod.ts";
import type { LinuxResources } from "../../../../mod/cri/config/mod.ts";
import { resourcesToWire } from "../../../../mod/cri/wire/mod.ts";
import {
  containerResources,
  resizedResources,
} from "../../../../mod/runtime/spec/resource_spec.ts";
import type { NodeCgroups } from "../../../../mod/runtime/spec/spec_input.ts";
import { reportedResources } from "../../../../mod/runtime/observe/observe.ts";
import { container, pod } from "../../../support/pods.ts";
import { SPEC_NODE } from "../../../support/runtime/spec_inputs.ts";

type Amounts = Readonly<Record<string, string>>;

function inputOf(
  limits: Amounts | undefined,
  options: {
    readonly cgroups?: Partial<NodeCgroups>;
    readonly spec?: Partial<PodSpec>;
  } = {},
): Parameters<typeof containerResources>[0] {
  const only = container(
    "c",
    limits === undefined ? {} : { resources: { limits } },
  );
  return {
    pod: pod({ containers: [only], ...options.spec }),
    container: only,
    node: {
      ...SPEC_NODE,
      cgroups: { ...SPEC_NODE.cgroups, ...options.cgroups },
    },
  };
}

Deno.test("RT-31 containerResources() gives 1m of CPU the least shares", () => {
  const { cpuShares, cpuQuota } = containerResources(inputOf({ cpu: "1m" }));
  deepStrictEqual([cpuShares, cpuQuota], [2n, 1000n]);
});

Deno.test("RT-32 containerResources() keeps a memory limit beyond 2^53 exact, on the wire too", () => {
  const resources = containerResources(inputOf({ memory: "9007199254740993" }));
  strictEqual(resources.memoryLimitInBytes, 9007199254740993n);
  strictEqual(
    resourcesToWire(resources).memoryLimitInBytes,
    9007199254740993n,
  );
});

const settings: readonly {
  readonly name: string;
  readonly limits?: Amounts;
  readonly cgroups: Partial<NodeCgroups>;
  readonly expected: Readonly<
    Partial<Record<keyof LinuxResources, unknown>>
  >;
}[] = [
  {
    name: "no huge pages of a node that nobody described",
    cgroups: { hugePageSizes: [] },
    expected: { hugepageLimits: undefined },
  },
  {
    name: "the huge pages asked for on such a node",
    limits: { "hugepages-2Mi": "4Mi" },
    cgroups: { hugePageSizes: [] },
    expected: { hugepageLimits: [{ pageSize: "2MB", limit: 4_194_304n }] },
  },
  {
    name: "every size of a node that was described",
    limits: { "hugepages-2Mi": "4Mi" },
    cgroups: { hugePageSizes: ["2MB", "1GB"] },
    expected: {
      hugepageLimits: [
        { pageSize: "2MB", limit: 4_194_304n },
        { pageSize: "1GB", limit: 0n },
      ],
    },
  },
  {
    name: "no swap with version 1",
    limits: { memory: "1Mi" },
    cgroups: { version: 1 },
    expected: { memorySwapLimitInBytes: 1_048_576n, unified: undefined },
  },
  {
    name: "no word of swap to a kernel of version 1 that does not count it",
    limits: { memory: "1Mi" },
    cgroups: { version: 1, swapAccounting: false },
    expected: { memorySwapLimitInBytes: undefined },
  },
  {
    name: "no swap and death as a whole with version 2",
    cgroups: { version: 2 },
    expected: {
      unified: { "memory.oom.group": "1", "memory.swap.max": "0" },
    },
  },
  {
    name: "singleProcessOOMKill",
    cgroups: { version: 2, singleProcessOomKill: true },
    expected: { unified: { "memory.swap.max": "0" } },
  },
  {
    name: "no word of swap to a kernel of version 2 that does not count it",
    cgroups: { version: 2, swapAccounting: false },
    expected: { unified: { "memory.oom.group": "1" } },
  },
  {
    name: "no quota where cpuCFSQuota is false",
    limits: { cpu: "1" },
    cgroups: { cpuCfsQuota: false },
    expected: { cpuPeriod: undefined, cpuQuota: undefined, cpuShares: 1024n },
  },
  {
    name: "another period",
    limits: { cpu: "1" },
    cgroups: { cpuCfsPeriodMs: 10 },
    expected: { cpuPeriod: 10_000n, cpuQuota: 10_000n },
  },
];
for (const { name, limits, cgroups, expected } of settings) {
  Deno.test(`containerResources() gives ${name}`, () => {
    const found = containerResources(inputOf(limits, { cgroups }));
    for (const [field, value] of Object.entries(expected)) {
      const seen = Object.entries(found).find(([name]) => name === field)?.[1];
      deepStrictEqual(seen, value, field);
    }
  });
}

Deno.test("containerResources() takes the pod's limits where the container has none", () => {
  const found = containerResources(inputOf({ cpu: "100m" }, {
    spec: { resources: { limits: { cpu: "2", memory: "1Gi" } } },
  }));
  strictEqual(found.cpuQuota, 10_000n);
  strictEqual(found.memoryLimitInBytes, 1n << 30n);
});

Deno.test("resizedResources() says what changes, and sets free what is not limited any more", () => {
  deepStrictEqual(resizedResources(inputOf({ cpu: "500m", memory: "1Mi" })), {
    cpuPeriod: 100_000n,
    cpuQuota: 50_000n,
    cpuShares: 512n,
    memoryLimitInBytes: 1_048_576n,
    memorySwapLimitInBytes: 1_048_576n,
  });
  deepStrictEqual(
    resizedResources(inputOf(undefined, { cgroups: { version: 2 } })),
    {
      cpuPeriod: 100_000n,
      cpuQuota: -1n,
      cpuShares: 2n,
      memoryLimitInBytes: -1n,
    },
  );
});

Deno.test("reportedResources() turns cgroup settings back into a spec", () => {
  strictEqual(reportedResources(undefined), undefined);
  strictEqual(reportedResources({ memoryLimitInBytes: 5n }), undefined);
  deepStrictEqual(
    reportedResources({
      cpuShares: 102n,
      cpuQuota: 50_000n,
      cpuPeriod: 100_000n,
      memoryLimitInBytes: 64n << 20n,
    }),
    {
      requests: { cpu: "100m" },
      limits: { cpu: "500m", memory: "67108864" },
      fromRuntime: true,
    },
  );
  for (
    const [cpuQuota, cpuPeriod] of [
      [-1n, 100_000n],
      [0n, 100_000n],
      [5n, 0n],
    ] as const
  ) {
    deepStrictEqual(
      reportedResources({ cpuShares: 2n, cpuQuota, cpuPeriod }),
      { requests: { cpu: "2m" }, limits: {}, fromRuntime: true },
    );
  }
  deepStrictEqual(reportedResources({ cpuShares: 2n, cpuQuota: -1n }), {
    requests: { cpu: "2m" },
    limits: {},
    fromRuntime: true,
  });
});
