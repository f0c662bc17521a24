/**
 * What requests and limits come to in cgroup terms.
 *
 * The numbers are those that CRI takes, so they are bigints.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import {
  isCriticalPod,
  isRestartableInit,
  servingContainers,
} from "../../api/vocabulary/mod.ts";
import { qosClass } from "./cgroup_names.ts";
import {
  podResourceSum,
  requestedAmount,
  resourceAmount,
  type ResourceList,
} from "./resource_amounts.ts";

/** The kernel's least and most CPU shares. */
export const MIN_CPU_SHARES = 2n;
const MAX_CPU_SHARES = 262_144n;

/** The kernel refuses a quota below a millisecond. */
const MIN_CPU_QUOTA_US = 1_000n;

/** The kubelet's cpuCFSQuotaPeriod unless configured. */
export const DEFAULT_CPU_PERIOD_US = 100_000n;

/** cgroup settings of one container or sandbox, field by field as CRI has them. */
export interface CgroupResources {
  readonly cpuPeriod?: bigint;
  readonly cpuQuota?: bigint;
  readonly cpuShares: bigint;
  readonly memoryLimitInBytes?: bigint;
}

/** How CPU limits become quotas. */
export interface CpuQuotaOptions {
  /** @default DEFAULT_CPU_PERIOD_US */
  readonly periodUs?: bigint;
  /**
   * `false` sets neither period nor quota (the kubelet's cpuCFSQuota).
   *
   * @default true
   */
  readonly enforced?: boolean;
}

/** CPU shares for a request in millicores; nothing requested is the minimum. */
export function cpuShares(milli: bigint): bigint {
  return clampShares(milli * 1024n / 1000n);
}

/** Brings CPU shares, or a sum of them, to what the kernel takes. */
export function clampShares(shares: bigint): bigint {
  if (shares < MIN_CPU_SHARES) return MIN_CPU_SHARES;
  return shares > MAX_CPU_SHARES ? MAX_CPU_SHARES : shares;
}

/** CPU quota in microseconds a period for a limit in millicores; 0 for no limit. */
export function cpuQuota(
  milli: bigint,
  periodUs: bigint = DEFAULT_CPU_PERIOD_US,
): bigint {
  if (milli === 0n) return 0n;
  const quota = milli * periodUs / 1000n;
  return quota < MIN_CPU_QUOTA_US ? MIN_CPU_QUOTA_US : quota;
}

/**
 * The cgroup settings of one container of a pod.
 *
 * What the container does not limit, the limit of the pod as a whole does (kubelet:
 * getCPULimit, getMemoryLimit), so that its programs see a limit at all.
 */
export function containerCgroupResources(
  container: ContainerSpec,
  options: CpuQuotaOptions & { readonly pod?: Pick<Pod, "spec"> } = {},
): CgroupResources {
  const limits = containerLimits(container, options.pod);
  return cgroupResources(
    { requests: container.resources?.requests, limits },
    options,
  );
}

/** The limits of a container, and those of its pod where it has none of its own. */
export function containerLimits(
  container: Pick<ContainerSpec, "resources">,
  pod?: Pick<Pod, "spec">,
): ResourceList {
  const own = container.resources?.limits ?? {};
  const whole = pod?.spec.resources?.limits ?? {};
  const limits: Record<string, string> = { ...own };
  for (const name of ["cpu", "memory"] as const) {
    const amount = whole[name];
    if (amount !== undefined && resourceAmount(own, name) === 0n) {
      limits[name] = amount;
    }
  }
  return limits;
}

/** The cgroup settings in a sandbox's request: the pod's sums without its overhead. */
export function sandboxCgroupResources(
  pod: Pick<Pod, "spec">,
  options: CpuQuotaOptions = {},
): CgroupResources {
  return cgroupResources({
    requests: podResourceSum(pod, "requests"),
    limits: podResourceSum(pod, "limits"),
  }, options);
}

/** OOM scores of the classes that have a fixed one (kubelet: qos/policy.go). */
const GUARANTEED_OOM_SCORE = -997;
const BEST_EFFORT_OOM_SCORE = 1000;

/**
 * How readily the kernel kills a container when memory runs out, −1000 to 1000:
 * the more of the node's memory it asked for, the less readily.
 */
export function oomScoreAdj(
  pod: Pod,
  container: ContainerSpec,
  options: { readonly nodeMemoryBytes: bigint },
): number {
  if (isNodeCritical(pod)) return GUARANTEED_OOM_SCORE;
  switch (qosClass(pod)) {
    case "Guaranteed":
      return GUARANTEED_OOM_SCORE;
    case "BestEffort":
      return BEST_EFFORT_OOM_SCORE;
    case "Burstable":
      return burstableScore(pod, container, options.nodeMemoryBytes);
  }
}

interface Declared {
  readonly requests: ResourceList | undefined;
  readonly limits: ResourceList | undefined;
}

function cgroupResources(
  declared: Declared,
  options: CpuQuotaOptions,
): CgroupResources {
  const { periodUs = DEFAULT_CPU_PERIOD_US, enforced = true } = options;
  const cpuLimit = resourceAmount(declared.limits, "cpu");
  const quota = cpuQuota(cpuLimit, periodUs);
  const memory = resourceAmount(declared.limits, "memory");
  return {
    ...(enforced && { cpuPeriod: periodUs }),
    ...(enforced && quota > 0n && { cpuQuota: quota }),
    cpuShares: cpuShares(requestedAmount(declared, "cpu")),
    ...(memory > 0n && { memoryLimitInBytes: memory }),
  };
}

function isNodeCritical(pod: Pod): boolean {
  return isCriticalPod(pod) &&
    pod.spec.priorityClassName === "system-node-critical";
}

function burstableScore(
  pod: Pod,
  container: ContainerSpec,
  nodeMemoryBytes: bigint,
): number {
  const own = scoreOf(memoryRequest(container, pod), nodeMemoryBytes);
  const isSidecar = isRestartableInit(container) &&
    (pod.spec.initContainers ?? []).some(({ name }) => name === container.name);
  if (!isSidecar) return own;
  // A sidecar must not be killed before the app it serves.
  const smallest = pod.spec.containers
    .map((app) => memoryRequest(app, pod))
    .reduce((least, next) => next < least ? next : least);
  return Math.min(own, scoreOf(smallest, nodeMemoryBytes));
}

function scoreOf(requestBytes: bigint, nodeMemoryBytes: bigint): number {
  const used = nodeMemoryBytes > 0n
    ? Number(1000n * requestBytes / nodeMemoryBytes)
    : 0;
  // 2 is above Guaranteed, 1000 is BestEffort's: Burstable stays between.
  return Math.min(Math.max(1000 - used, 3), BEST_EFFORT_OOM_SCORE - 1);
}

/** A container's own request and its even share of what the pod asks beyond that. */
function memoryRequest(container: ContainerSpec, pod: Pod): bigint {
  const own = resourceAmount(container.resources?.requests, "memory");
  const whole = resourceAmount(pod.spec.resources?.requests, "memory");
  if (whole === 0n) return own;
  const sharers = servingContainers(pod);
  const asked = sharers
    .map((each) => resourceAmount(each.resources?.requests, "memory"))
    .reduce((sum, next) => sum + next, 0n);
  const rest = whole > asked ? whole - asked : 0n;
  return own + rest / BigInt(sharers.length);
}
