/**
 * Names and limits of the cgroups of pods, for both versions and drivers.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../../mod/api/types/mod.ts";
import {
  cgroupFiles,
  type CgroupVersion,
  cpuWeight,
  hugePageAmounts,
  nodeCgroupLimits,
  podCgroupLimits,
  type PodLimitOptions,
  sharesOfWeight,
} from "../../../../mod/pod/resources/pod_cgroup.ts";
import {
  nodePodsCgroup,
  podUidOfCgroup,
  possiblePodCgroups,
  qosCgroup,
} from "../../../../mod/pod/resources/cgroup_names.ts";
import { container, pod, podOfThree, sidecar } from "../../../support/pods.ts";

type Amounts = Readonly<Record<string, string>>;

function of(
  name: string,
  requests: Amounts,
  limits: Amounts = {},
): ContainerSpec {
  return container(name, { resources: { requests, limits } });
}

const BOTH = { cpu: "500m", memory: "64Mi" };
const MEMORY = String(64 << 20);

interface Row {
  readonly name: string;
  readonly spec: Partial<Pod["spec"]>;
  readonly options?: PodLimitOptions;
  /** As `file=value`, in the order in which they are written. */
  readonly v1: readonly string[];
  readonly v2: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: "Guaranteed",
    spec: { containers: [of("a", BOTH, BOTH)] },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=50000",
      `memory.limit_in_bytes=${MEMORY}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=50000 100000",
      `memory.max=${MEMORY}`,
      "pids.max=max",
    ],
  },
  {
    name: "BestEffort with a limit of processes",
    spec: {},
    options: { pidsLimit: 100n },
    v1: [
      "cpu.shares=2",
      "cpu.cfs_quota_us=-1",
      "memory.limit_in_bytes=-1",
      "pids.max=100",
    ],
    v2: [
      "cpu.weight=1",
      "cpu.max=max 100000",
      "memory.max=max",
      "pids.max=100",
    ],
  },
  {
    name: "Burstable that limits everything everywhere",
    spec: { containers: [of("a", { cpu: "100m" }, BOTH)] },
    v1: [
      "cpu.shares=102",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=50000",
      `memory.limit_in_bytes=${MEMORY}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=4",
      "cpu.max=50000 100000",
      `memory.max=${MEMORY}`,
      "pids.max=max",
    ],
  },
  {
    name: "Burstable with one container that may use any memory",
    spec: {
      containers: [of("a", BOTH, BOTH), of("b", {}, { cpu: "1" })],
    },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=150000",
      "memory.limit_in_bytes=-1",
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=150000 100000",
      "memory.max=max",
      "pids.max=max",
    ],
  },
  {
    name: "Burstable with an init container that may use anything",
    spec: {
      initContainers: [container("i")],
      containers: [of("a", BOTH, BOTH)],
    },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_quota_us=-1",
      "memory.limit_in_bytes=-1",
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=max 100000",
      "memory.max=max",
      "pids.max=max",
    ],
  },
  {
    name: "limits of the pod as a whole, with its overhead",
    spec: {
      resources: { requests: BOTH, limits: BOTH },
      overhead: { cpu: "100m", memory: "1Mi" },
      containers: [container("a")],
    },
    v1: [
      "cpu.shares=614",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=60000",
      `memory.limit_in_bytes=${65 << 20}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=24",
      "cpu.max=60000 100000",
      `memory.max=${65 << 20}`,
      "pids.max=max",
    ],
  },
  {
    name: "Burstable as a whole, whatever its containers limit",
    spec: {
      resources: { requests: BOTH, limits: { memory: "128Mi" } },
      containers: [container("a")],
    },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_quota_us=-1",
      `memory.limit_in_bytes=${128 << 20}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=max 100000",
      `memory.max=${128 << 20}`,
      "pids.max=max",
    ],
  },
  {
    name: "a sidecar beside the app, and huge pages",
    spec: {
      initContainers: [
        sidecar("s", { resources: { requests: BOTH, limits: BOTH } }),
      ],
      containers: [
        of("a", BOTH, { ...BOTH, "hugepages-2Mi": "4Mi" }),
      ],
    },
    v1: [
      "cpu.shares=1024",
      "cpu.cfs_period_us=100000",
      "cpu.cfs_quota_us=100000",
      `memory.limit_in_bytes=${128 << 20}`,
      "pids.max=max",
      `hugetlb.2MB.limit_in_bytes=${4 << 20}`,
    ],
    v2: [
      "cpu.weight=39",
      "cpu.max=100000 100000",
      `memory.max=${128 << 20}`,
      "pids.max=max",
      `hugetlb.2MB.max=${4 << 20}`,
    ],
  },
  {
    name: "no quota where cpuCFSQuota is false",
    spec: { containers: [of("a", BOTH, BOTH)] },
    options: { enforced: false },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_quota_us=-1",
      `memory.limit_in_bytes=${MEMORY}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=max 100000",
      `memory.max=${MEMORY}`,
      "pids.max=max",
    ],
  },
  {
    name: "another period",
    spec: { containers: [of("a", BOTH, BOTH)] },
    options: { periodUs: 20_000n },
    v1: [
      "cpu.shares=512",
      "cpu.cfs_period_us=20000",
      "cpu.cfs_quota_us=10000",
      `memory.limit_in_bytes=${MEMORY}`,
      "pids.max=max",
    ],
    v2: [
      "cpu.weight=20",
      "cpu.max=10000 20000",
      `memory.max=${MEMORY}`,
      "pids.max=max",
    ],
  },
];
for (const row of rows) {
  for (const version of [1, 2] as const) {
    Deno.test(`RT-31 podCgroupLimits() for ${row.name}, version ${version}`, () => {
      const limits = podCgroupLimits(podOfThree(row.spec), row.options);
      deepStrictEqual(written(limits, version), row[`v${version}`]);
    });
  }
}

function written(
  limits: Parameters<typeof cgroupFiles>[0],
  version: CgroupVersion,
): string[] {
  return cgroupFiles(limits, version).map(({ file, value }) =>
    `${file}=${value}`
  );
}

Deno.test("RT-32 podCgroupLimits() keeps a memory limit beyond 2^53 exact", () => {
  const limits = { cpu: "1", memory: "9007199254740993" };
  const subject = pod({ containers: [of("a", limits, limits)] });
  strictEqual(podCgroupLimits(subject).memoryLimitBytes, 9007199254740993n);
});

Deno.test("nodeCgroupLimits() are what pods may use together", () => {
  deepStrictEqual(nodeCgroupLimits({ cpu: "3500m", memory: "1Gi" }), {
    cpuShares: 3584n,
    memoryLimitBytes: 1n << 30n,
  });
});

for (
  const [shares, weight] of [
    [0n, 1n],
    [2n, 1n],
    [102n, 4n],
    [1024n, 39n],
    [262_144n, 10_000n],
    [999_999n, 10_000n],
  ] as const
) {
  Deno.test(`cpuWeight() makes ${shares} shares a weight of ${weight}`, () => {
    strictEqual(cpuWeight(shares), weight);
    strictEqual(cpuWeight(sharesOfWeight(weight)) <= weight, true);
  });
}

Deno.test("hugePageAmounts() names sizes as the kernel does", () => {
  const amounts = hugePageAmounts({
    memory: "1Gi",
    "hugepages-64Ki": "64Ki",
    "hugepages-2Mi": "4Mi",
    "hugepages-1Gi": "1Gi",
  });
  deepStrictEqual([...amounts], [
    ["64KB", 65_536n],
    ["2MB", 4_194_304n],
    ["1GB", 1_073_741_824n],
  ]);
});

const CGROUPFS = { driver: "cgroupfs", root: "/edge" } as const;
const SYSTEMD = { driver: "systemd", root: "" } as const;

Deno.test("RT-31 the cgroups of classes and pods, cgroupfs", () => {
  strictEqual(nodePodsCgroup(CGROUPFS), "/edge/kubepods");
  strictEqual(qosCgroup("Guaranteed", CGROUPFS), "/edge/kubepods");
  strictEqual(qosCgroup("Burstable", CGROUPFS), "/edge/kubepods/burstable");
  deepStrictEqual(possiblePodCgroups("u-1", CGROUPFS), [
    "/edge/kubepods/podu-1",
    "/edge/kubepods/burstable/podu-1",
    "/edge/kubepods/besteffort/podu-1",
  ]);
});

Deno.test("RT-31 the cgroups of classes and pods, systemd", () => {
  strictEqual(nodePodsCgroup(SYSTEMD), "/kubepods.slice");
  strictEqual(
    qosCgroup("BestEffort", SYSTEMD),
    "/kubepods.slice/kubepods-besteffort.slice",
  );
  deepStrictEqual(possiblePodCgroups("u-1", SYSTEMD), [
    "/kubepods.slice/kubepods-podu_1.slice",
    "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podu_1.slice",
    "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podu_1.slice",
  ]);
});

for (
  const [name, driver, uid] of [
    ["podu-1", "cgroupfs", "u-1"],
    ["burstable", "cgroupfs", undefined],
    ["kubepods-burstable-podu_1.slice", "systemd", "u-1"],
    ["kubepods-burstable.slice", "systemd", undefined],
    ["podu-1", "systemd", undefined],
  ] as const
) {
  Deno.test(`podUidOfCgroup() finds ${uid} in ${name} of ${driver}`, () => {
    strictEqual(podUidOfCgroup(name, { driver }), uid);
  });
}
