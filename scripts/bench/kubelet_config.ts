/**
 * How the kubelet is told to run alone, beside whatever else is on the machine.
 *
 * @module
 */

/** Where one kubelet has its files and listens. */
export interface KubeletPlace {
  /** What it writes and reads goes into folders of it. */
  readonly directory: string;
  /** Kept for the next one, as on a node: a new certificate takes seconds of processor time. */
  readonly certDir: string;
  /** The runtime's socket. */
  readonly runtimeSocket: string;
  readonly port: number;
  readonly healthzPort: number;
}

/** The name of the node, which a static pod's name ends with. */
export const KUBELET_NODE = "edge1";

/** Where containerd puts containers that are given no parent, as this kubelet's are. */
const CGROUP_ROOT = "/k8s.io";

/** Where it keeps its state, which it mounts onto itself. */
export function rootPathOf(directory: string): string {
  return `${directory}/root`;
}

/** Where manifests lie. */
export function manifestPathOf(directory: string): string {
  return `${directory}/manifests`;
}

/** Its arguments; everything that has a field is in the file. */
export function kubeletArguments(
  { directory, certDir, runtimeSocket, kubeconfigPath }:
    & Pick<KubeletPlace, "directory" | "certDir" | "runtimeSocket">
    & { readonly kubeconfigPath?: string },
): readonly string[] {
  return [
    ...kubeconfigPath === undefined ? [] : [`--kubeconfig=${kubeconfigPath}`],
    `--config=${directory}/config.json`,
    `--root-dir=${rootPathOf(directory)}`,
    `--cert-dir=${certDir}`,
    `--hostname-override=${KUBELET_NODE}`,
    // Its part that watches cgroups would look for a containerd on the usual path.
    `--containerd=${runtimeSocket}`,
  ];
}

/**
 * The file: defaults, but for what a kubelet without an API server, on cgroup v1 or v2 and
 * without cgroups of its own, cannot do, and for what would touch the machine.
 */
export function kubeletConfig(place: KubeletPlace): Record<string, unknown> {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: `unix://${place.runtimeSocket}`,
    staticPodPath: manifestPathOf(place.directory),
    podLogsDir: `${place.directory}/logs`,
    volumePluginDir: `${place.directory}/plugins`,
    address: "127.0.0.1",
    port: place.port,
    healthzBindAddress: "127.0.0.1",
    healthzPort: place.healthzPort,
    // There is nobody to ask who is who.
    authentication: {
      anonymous: { enabled: true },
      webhook: { enabled: false },
    },
    authorization: { mode: "AlwaysAllow" },
    cgroupDriver: "cgroupfs",
    // It watches what is below: those of its containers, and no others of the machine.
    cgroupRoot: CGROUP_ROOT,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ["none"],
    // Since 1.35 it refuses such a machine otherwise.
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    // Less needs CAP_SYS_RESOURCE.
    oomScoreAdj: 0,
  };
}

/** The last complaint of its log, or the last line. */
export function complaintOf(log: string): string {
  const lines = log.trimEnd().split("\n");
  // klog begins errors with E and the month, and the last words of a program with F.
  return lines.findLast((line) => /^[EF]\d{4} |^Error: /.test(line)) ??
    lines.at(-1) ?? "";
}

/** Whether its log says that everything is started that waits for the runtime. */
export function hasSeenRuntime(log: string): boolean {
  return log.includes("Starting Kubelet Plugin Manager");
}
