import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ContainerSpec, Pod } from "../../../../mod/api/types/mod.ts";
import {
  containerCgroupResources,
  cpuQuota,
  cpuShares,
  oomScoreAdj,
  sandboxCgroupResources,
} from "../../../../mod/pod/resources/container_resources.ts";
import {
  podCgroupParent,
  qosClass,
} from "../../../../mod/pod/resources/cgroup_names.ts";
import { podResourceSum } from "../../../../mod/pod/resources/resource_amounts.ts";
import { container, pod, podOfThree, sidecar } from "../../../support/pods.ts";
import { GOLDEN } from "../../../support/pod/golden.ts";

type Limits = Readonly<Record<string, string>>;

function withResources(
  requests: Limits | undefined,
  limits: Limits | undefined,
): Partial<ContainerSpec> {
  return {
    resources: {
      ...(requests === undefined ? {} : { requests }),
      ...(limits === undefined ? {} : { limits }),
    },
  };
}

const shares: readonly [milli: bigint, expected: bigint][] = [
  [0n, 2n],
  [1n, 2n],
  [2n, 2n],
  [100n, 102n],
  [1500n, 1536n],
  [1_000_000n, 262_144n],
];
for (const [milli, expected] of shares) {
  Deno.test(`cpuShares() turns ${milli}m into ${expected}`, () => {
    strictEqual(cpuShares(milli), expected);
  });
}

const quotas: readonly [milli: bigint, periodUs: bigint, expected: bigint][] = [
  [0n, 100_000n, 0n],
  [5n, 100_000n, 1_000n],
  [10n, 100_000n, 1_000n],
  [1500n, 100_000n, 150_000n],
  [500n, 5_000n, 2_500n],
];
for (const [milli, periodUs, expected] of quotas) {
  Deno.test(`cpuQuota() turns ${milli}m in ${periodUs} us into ${expected}`, () => {
    strictEqual(cpuQuota(milli, periodUs), expected);
  });
}

const half = { cpu: "500m", memory: "64Mi" };
const classes: readonly {
  readonly name: string;
  readonly spec: Partial<Pod["spec"]>;
  readonly expected: string;
}[] = [
  { name: "nothing declared", spec: {}, expected: "BestEffort" },
  {
    name: "zeros declared",
    spec: {
      containers: [container("a", withResources({ cpu: "0" }, undefined))],
    },
    expected: "BestEffort",
  },
  {
    name: "other resources only",
    spec: {
      containers: [
        container(
          "a",
          withResources({ "ephemeral-storage": "1Gi" }, undefined),
        ),
      ],
    },
    expected: "BestEffort",
  },
  {
    name: "limits only",
    spec: { containers: [container("a", withResources(undefined, half))] },
    expected: "Guaranteed",
  },
  {
    name: "equal requests and limits in other words",
    spec: {
      containers: [
        container("a", withResources({ cpu: "0.5", memory: "65536Ki" }, half)),
      ],
    },
    expected: "Guaranteed",
  },
  {
    name: "a request below the limit",
    spec: {
      containers: [container("a", withResources({ cpu: "100m" }, half))],
    },
    expected: "Burstable",
  },
  {
    name: "no memory limit",
    spec: {
      containers: [container("a", withResources(undefined, { cpu: "1" }))],
    },
    expected: "Burstable",
  },
  {
    name: "one container without",
    spec: {
      containers: [
        container("a", withResources(undefined, half)),
        container("b"),
      ],
    },
    expected: "Burstable",
  },
  {
    name: "an init container without",
    spec: {
      initContainers: [container("i")],
      containers: [container("a", withResources(undefined, half))],
    },
    expected: "Burstable",
  },
  {
    name: "the pod as a whole declared",
    spec: {
      resources: { requests: half, limits: half },
      containers: [container("a"), container("b")],
    },
    expected: "Guaranteed",
  },
];
for (const row of classes) {
  Deno.test(`qosClass() is ${row.expected} with ${row.name}`, () => {
    strictEqual(qosClass(podOfThree(row.spec)), row.expected);
  });
}

const NODE_BYTES = 4_000_000_000n;
const quarter = withResources({ memory: "1G" }, undefined);
const scores: readonly {
  readonly name: string;
  readonly spec: Partial<Pod["spec"]>;
  readonly of: string;
  readonly expected: number;
}[] = [
  { name: "BestEffort", spec: {}, of: "a", expected: 1000 },
  {
    name: "Guaranteed",
    spec: { containers: [container("a", withResources(undefined, half))] },
    of: "a",
    expected: -997,
  },
  {
    name: "a quarter of the node's memory",
    spec: { containers: [container("a", quarter)] },
    of: "a",
    expected: 750,
  },
  {
    name: "nothing beside a container with a request",
    spec: { containers: [container("a", quarter), container("b")] },
    of: "b",
    expected: 999,
  },
  {
    name: "more than the node has",
    spec: {
      containers: [container("a", withResources({ memory: "8G" }, undefined))],
    },
    of: "a",
    expected: 3,
  },
  {
    name: "a sidecar smaller than the app",
    spec: {
      initContainers: [
        sidecar("s", withResources({ memory: "10M" }, undefined)),
      ],
      containers: [container("a", quarter)],
    },
    of: "s",
    expected: 750,
  },
  {
    name: "an ordinary init container smaller than the app",
    spec: {
      initContainers: [
        container("i", withResources({ memory: "10M" }, undefined)),
      ],
      containers: [container("a", quarter)],
    },
    of: "i",
    expected: 998,
  },
  {
    name: "an app container that restarts by a policy of its own",
    spec: {
      containers: [
        container("a", {
          restartPolicy: "Always",
          ...withResources({ memory: "10M" }, undefined),
        }),
        container("b", quarter),
      ],
    },
    of: "a",
    expected: 998,
  },
  {
    name: "an even share of what the pod asks beyond its containers",
    spec: {
      resources: { requests: { memory: "3G" } },
      containers: [container("a", quarter), container("b")],
    },
    of: "b",
    expected: 750,
  },
  {
    name: "a critical pod of the node",
    spec: {
      priority: 2_000_001_000,
      priorityClassName: "system-node-critical",
    },
    of: "a",
    expected: -997,
  },
  {
    name: "a critical pod of the cluster",
    spec: {
      priority: 2_000_000_000,
      priorityClassName: "system-cluster-critical",
    },
    of: "a",
    expected: 1000,
  },
];
for (const row of scores) {
  Deno.test(`oomScoreAdj() is ${row.expected} for ${row.name}`, () => {
    const subject = podOfThree(row.spec);
    const container = [
      ...subject.spec.containers,
      ...subject.spec.initContainers ?? [],
    ].find(({ name }) => name === row.of);
    ok(container);
    strictEqual(
      oomScoreAdj(subject, container, { nodeMemoryBytes: NODE_BYTES }),
      row.expected,
    );
  });
}

Deno.test("podResourceSum() adds what runs side by side and takes the larger moment", () => {
  const cpu = (amount: string) => withResources({ cpu: amount }, undefined);
  const subject = pod({
    initContainers: [
      sidecar("s", cpu("100m")),
      container("i", cpu("1")),
    ],
    containers: [container("a", cpu("200m")), container("b", cpu("0.3"))],
    overhead: { cpu: "50m" },
  });
  deepStrictEqual(podResourceSum(subject, "requests"), { cpu: "1100m" });
  deepStrictEqual(
    podResourceSum(subject, "requests", { withOverhead: true }),
    { cpu: "1150m" },
  );
  deepStrictEqual(
    podResourceSum(subject, "limits", { withOverhead: true }),
    {},
  );
});

const parents = [
  { driver: "cgroupfs", root: "/", expected: "/kubepods/besteffort/podu-1" },
  {
    driver: "cgroupfs",
    root: "/edge",
    expected: "/edge/kubepods/besteffort/podu-1",
  },
  {
    driver: "systemd",
    root: "",
    expected:
      "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podu_1.slice",
  },
] as const;
for (const { driver, root, expected } of parents) {
  Deno.test(`podCgroupParent() under ${driver} and root "${root}"`, () => {
    const subject = podOfThree({ metadata: { uid: "u-1" } });
    strictEqual(podCgroupParent(subject, { driver, root }), expected);
  });
}

/** What the recorded requests say, in the proto's spelling. */
interface Recorded {
  readonly cpu_period?: string;
  readonly cpu_quota?: string;
  readonly cpu_shares?: string;
  readonly memory_limit_in_bytes?: string;
  readonly oom_score_adj?: string;
}

interface RecordedConfig {
  readonly config: {
    readonly metadata?: { readonly name?: string };
    readonly linux?: {
      readonly cgroup_parent?: string;
      readonly resources?: Recorded;
    };
  };
}

for (const [name, golden] of GOLDEN) {
  if (golden.cri.length === 0) continue;
  Deno.test(`the cgroup settings of golden ${name} are the kubelet's`, () => {
    // The recorded JSON is the wire form by construction.
    const subject: Pod = {
      ...golden.manifest as Pod,
      metadata: golden.metadata as Pod["metadata"],
    };
    for (const { call, request } of golden.cri) {
      if (call !== "RunPodSandbox" && call !== "CreateContainer") continue;
      const { config } = request as RecordedConfig;
      const recorded = config.linux?.resources ?? {};
      if (call === "RunPodSandbox") {
        strictEqual(
          podCgroupParent(subject, { driver: "cgroupfs" }),
          config.linux?.cgroup_parent,
        );
        deepStrictEqual(
          asRecorded(sandboxCgroupResources(subject)),
          comparable(recorded),
        );
      } else {
        const container = [
          ...subject.spec.containers,
          ...subject.spec.initContainers ?? [],
        ].find((each) => each.name === config.metadata?.name);
        ok(container);
        deepStrictEqual(
          asRecorded(containerCgroupResources(container)),
          comparable(recorded),
        );
        const score = oomScoreAdj(subject, container, {
          // The recording machine's memory, as its scores tell.
          nodeMemoryBytes: 32_000_000_000n,
        });
        strictEqual(String(score), recorded.oom_score_adj);
      }
    }
  });
}

function asRecorded(
  resources: ReturnType<typeof containerCgroupResources>,
): unknown {
  return comparable({
    cpu_period: resources.cpuPeriod?.toString() ?? "",
    cpu_quota: resources.cpuQuota?.toString() ?? "",
    cpu_shares: resources.cpuShares.toString(),
    memory_limit_in_bytes: resources.memoryLimitInBytes?.toString() ?? "",
  });
}

function comparable(recorded: Recorded): unknown {
  const { cpu_period, cpu_quota, cpu_shares, memory_limit_in_bytes } = recorded;
  return {
    cpu_period: cpu_period ?? "",
    cpu_quota: cpu_quota ?? "",
    cpu_shares: cpu_shares ?? "",
    memory_limit_in_bytes: memory_limit_in_bytes ?? "",
  };
}
