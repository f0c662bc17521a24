/**
 * The limits of the cgroups above containers, and the files that set them.
 *
 * @module
 */

import { defined } from "../../base/mod.ts";
import { parseQuantity, toBytes } from "../../api/objects/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import {
  clampShares,
  cpuQuota,
  type CpuQuotaOptions,
  cpuShares,
  DEFAULT_CPU_PERIOD_US,
  MIN_CPU_SHARES,
} from "./container_resources.ts";
import { qosClass } from "./cgroup_names.ts";
import {
  podResourceSum,
  resourceAmount,
  type ResourceList,
} from "./resource_amounts.ts";

/** Which of the kernel's two cgroup interfaces is meant. */
export type CgroupVersion = 1 | 2;

/** What a cgroup is limited to; what is absent is not limited. */
export interface CgroupLimits {
  readonly cpuShares: bigint;
  readonly cpuPeriodUs?: bigint;
  readonly cpuQuotaUs?: bigint;
  readonly memoryLimitBytes?: bigint;
  readonly pidsLimit?: bigint;
  /** By the kernel's name of the size, such as `2MB`. */
  readonly hugePageLimits?: ReadonlyMap<string, bigint>;
}

/** The controllers that limits are written to. */
export type CgroupController = "cpu" | "memory" | "pids" | "hugetlb";

/** One file of a cgroup and what is to be written into it. */
export interface CgroupFile {
  readonly controller: CgroupController;
  readonly file: string;
  readonly value: string;
}

/** What the limits of a pod depend on besides the pod. */
export interface PodLimitOptions extends CpuQuotaOptions {
  /** Most processes of one pod. */
  readonly pidsLimit?: bigint | undefined;
}

/**
 * The limits of a pod's cgroup, its overhead included.
 *
 * A Burstable pod is limited only in what every container of it limits, since any
 * other may use as much as it likes.
 *
 * Upstream: pkg/kubelet/cm/helpers_linux.go ResourceConfigForPod.
 */
export function podCgroupLimits(
  pod: Pick<Pod, "spec">,
  options: PodLimitOptions = {},
): CgroupLimits {
  const { periodUs = DEFAULT_CPU_PERIOD_US, enforced = true } = options;
  const requests = podResourceSum(pod, "requests", { withOverhead: true });
  const limits = podResourceSum(pod, "limits", { withOverhead: true });
  const qos = qosClass(pod);
  const counts = (name: string) =>
    qos === "Guaranteed" || qos === "Burstable" && allLimit(pod, name);
  const quota = cpuQuota(resourceAmount(limits, "cpu"), periodUs);
  const memory = resourceAmount(limits, "memory");
  const hugePageLimits = hugePageAmounts(limits);
  return {
    cpuShares: qos === "BestEffort"
      ? MIN_CPU_SHARES
      : cpuShares(resourceAmount(requests, "cpu")),
    ...(enforced && quota > 0n && counts("cpu") &&
      { cpuPeriodUs: periodUs, cpuQuotaUs: quota }),
    ...(memory > 0n && counts("memory") && { memoryLimitBytes: memory }),
    ...defined({ pidsLimit: options.pidsLimit }),
    ...(hugePageLimits.size > 0 && { hugePageLimits }),
  };
}

/** Whether the pod as a whole, or each of its containers, limits a resource. */
function allLimit(pod: Pick<Pod, "spec">, name: string): boolean {
  const { spec } = pod;
  if (resourceAmount(spec.resources?.limits, name) > 0n) return true;
  return [...spec.containers, ...spec.initContainers ?? []]
    .every((container) =>
      resourceAmount(container.resources?.limits, name) > 0n
    );
}

/** The huge pages of a list by the kernel's name of their size: `2MB` for `hugepages-2Mi`. */
export function hugePageAmounts(
  list: ResourceList | undefined,
): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const [name, amount] of Object.entries(list ?? {})) {
    if (!name.startsWith(HUGE_PAGES)) continue;
    const bytes = toBytes(parseQuantity(name.slice(HUGE_PAGES.length)));
    amounts.set(hugePageName(bytes), toBytes(parseQuantity(amount)));
  }
  return amounts;
}

/** The kernel's name of a size of huge pages: `64KB`, `2MB`, `1GB`. */
export function hugePageName(bytes: bigint): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024n && size % 1024n === 0n && unit < UNITS.length - 1) {
    size /= 1024n;
    unit++;
  }
  return `${size}${UNITS[unit]}`;
}

const HUGE_PAGES = "hugepages-";
const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** What all pods of the node may use together. */
export function nodeCgroupLimits(
  allocatable: ResourceList,
): CgroupLimits {
  const memory = resourceAmount(allocatable, "memory");
  return {
    cpuShares: cpuShares(resourceAmount(allocatable, "cpu")),
    ...(memory > 0n && { memoryLimitBytes: memory }),
  };
}

/**
 * CPU shares of cgroups version 1 as the weight of version 2: 2 to 262144 becomes
 * 1 to 10000 in a straight line (Kubernetes enhancement 2254).
 */
export function cpuWeight(shares: bigint): bigint {
  return (clampShares(shares) - 2n) * 9999n / 262_142n + 1n;
}

/** The shares that a weight stands for, as near as possible. */
export function sharesOfWeight(weight: bigint): bigint {
  return clampShares((weight - 1n) * 262_142n / 9999n + 2n);
}

/**
 * The files that set limits, in the order in which they are to be written. What is
 * not limited is set free, so that a limit of before does not stay.
 */
export function cgroupFiles(
  limits: CgroupLimits,
  version: CgroupVersion,
): readonly CgroupFile[] {
  const { cpuPeriodUs, cpuQuotaUs, memoryLimitBytes, pidsLimit } = limits;
  const hugePages = [...limits.hugePageLimits ?? []];
  const rows:
    readonly (readonly [CgroupController, string, bigint | string])[] =
      version === 1
        ? [
          ["cpu", "cpu.shares", limits.cpuShares],
          // The kernel compares quotas as parts of their period, so that comes first.
          ...(cpuPeriodUs === undefined
            ? []
            : [["cpu", "cpu.cfs_period_us", cpuPeriodUs] as const]),
          ["cpu", "cpu.cfs_quota_us", cpuQuotaUs ?? -1n],
          ["memory", "memory.limit_in_bytes", memoryLimitBytes ?? -1n],
        ]
        : [
          ["cpu", "cpu.weight", cpuWeight(limits.cpuShares)],
          [
            "cpu",
            "cpu.max",
            `${cpuQuotaUs ?? "max"} ${cpuPeriodUs ?? DEFAULT_CPU_PERIOD_US}`,
          ],
          ["memory", "memory.max", memoryLimitBytes ?? "max"],
        ];
  const limitFile = version === 1 ? "limit_in_bytes" : "max";
  return [
    ...rows,
    ["pids", "pids.max", pidsLimit ?? "max"] as const,
    ...hugePages.map(([size, bytes]) =>
      ["hugetlb", `hugetlb.${size}.${limitFile}`, bytes] as const
    ),
  ].map(([controller, file, value]) => ({
    controller,
    file,
    value: String(value),
  }));
}
