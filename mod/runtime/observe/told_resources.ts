/**
 * What a runtime tells of a container's resources, in the words of a spec.
 *
 * @module
 */

import type { LinuxResources } from "../../cri/config/mod.ts";
import type { ActuatedResources } from "../../pod/observed/mod.ts";

/**
 * Turns cgroup settings back into requests and limits, as near as they tell.
 *
 * Upstream: pkg/kubelet/kuberuntime toKubeContainerResources.
 *
 * @returns `undefined` when the runtime tells none, as containerd before 1.7
 */
export function toldResources(
  told: LinuxResources | undefined,
): ActuatedResources | undefined {
  if (told?.cpuShares === undefined) return undefined;
  const { cpuShares, cpuQuota = 0n, cpuPeriod = 0n } = told;
  const { memoryLimitInBytes = 0n } = told;
  // Rounded up, so that the way back leads to the same shares.
  const milli = (cpuShares * 1000n + 1023n) / 1024n;
  return {
    requests: { cpu: `${milli}m` },
    limits: {
      ...(cpuQuota > 0n && cpuPeriod > 0n
        ? { cpu: `${cpuQuota * 1000n / cpuPeriod}m` }
        : {}),
      ...(memoryLimitInBytes > 0n ? { memory: `${memoryLimitInBytes}` } : {}),
    },
    fromRuntime: true,
  };
}
