/**
 * Where skerry knowingly asks the runtime for something else than the recorded
 * kubelet does.
 *
 * A difference that is not listed here fails the golden test, and so does an entry
 * that no longer differs.
 *
 * @module
 */

/** One place at which a request differs from the recorded one. */
export interface GoldenDeviation {
  /** A file of `testdata/golden`. */
  readonly file: string;
  /** A call, such as `CreateContainer[1]`, or a field in it, such as `RunPodSandbox[0].config.hostname`. */
  readonly path: string;
  readonly reason: string;
}

/** Every deviation from the golden files. */
export const GOLDEN_DEVIATIONS: readonly GoldenDeviation[] = [
  {
    file: "emptydir.json",
    path: "CreateContainer[1].config.mounts[0].host_path",
    reason:
      "the sub-path is mounted where it lies and checked again after the start: binding it to a place of its own takes mount(2)",
  },
];

/**
 * What the requests that a real runtime keeps differ in besides, because this machine
 * and this runtime are not the recorded ones; `*` stands for any file, name or index.
 * Containers go by name and attempt.
 */
export const GOLDEN_MACHINE_DEVIATIONS: readonly GoldenDeviation[] = [
  {
    file: "*",
    path: "CreateContainer[*][*].linux.resources.hugepage_limits",
    reason:
      "the sandbox hides the page sizes of the machine; with --host-view they are sent",
  },
  {
    file: "*",
    path: "CreateContainer[*][*].image.user_specified_image",
    reason: "containerd 1.6 does not know the field, and so does not keep it",
  },
  {
    file: "*",
    path: "CreateContainer[*][*].linux.security_context.masked_paths[*]",
    reason:
      "the thermal throttle of every processor is hidden, whether it is there or not: the sandbox cannot see it; the other paths are compared without a runtime",
  },
  {
    file: "emptydir.json",
    path: "CreateContainer[b][0].mounts[0].host_path",
    reason: "without mount(2) the path below the volume itself is mounted",
  },
];

/** Recorded while the pod was about to end; its sandbox was stopped a moment later. */
const ENDED: readonly GoldenDeviation[] = [
  "active-deadline.json",
  "init-fails-never.json",
  "never-fail.json",
  "never-ok.json",
  "termination-message.json",
].map((file) => ({
  file,
  path: "conditions[0].status",
  reason:
    "PodReadyToStartContainers was recorded before the sandbox was stopped",
}));

/** What the reported status differs in. */
export const GOLDEN_STATUS_DEVIATIONS: readonly GoldenDeviation[] = [
  ...ENDED,
  ...["hostIP", "hostIPs"].map((path) => ({
    file: "*",
    path,
    reason: "the node's address is told without an API server, too",
  })),
  ...["podIP", "podIPs"].map((path) => ({
    file: "host-namespaces.json",
    path,
    reason: "a pod on the node's network has the node's address",
  })),
  ...["ready", "started", "state"].map((field) => ({
    file: "active-deadline.json",
    path: `containerStatuses[0].${field}`,
    reason: "recorded before the container had ended",
  })),
  {
    file: "security-nonroot-refused.json",
    path: "containerStatuses[0].state.waiting.message",
    reason: "says what was found and what was wanted",
  },
  {
    file: "too-much-memory.json",
    path: "reason",
    reason:
      "OutOfmemory; the recorded one is an artefact of the kubelet's preemption",
  },
  {
    file: "too-much-memory.json",
    path: "message",
    reason: "says what was asked and what there is",
  },
];

/** What an agent without `--host-view` does otherwise, since `/sys` is closed to it. */
export interface HostViewDeviation {
  /** The version of cgroups on which it shows. */
  readonly version: 1 | 2;
  /** A field of a container's resources, or what is left undone. */
  readonly what: string;
  readonly reason: string;
}

/** Fields of requests that differ without a host view. */
export const HOST_VIEW_FIELDS: readonly HostViewDeviation[] = [
  {
    version: 1,
    what: "hugepageLimits",
    reason: "only the sizes that a container asks for are known",
  },
  {
    version: 2,
    what: "hugepageLimits",
    reason: "only the sizes that a container asks for are known",
  },
  {
    version: 2,
    what: "unified",
    reason:
      "the version is not known, so a process and not the container dies when memory runs out",
  },
  {
    version: 2,
    what: "memorySwapLimitInBytes",
    reason: "swap is ruled out in the words of version 1, which runtimes translate",
  },
];

/** What of the kubelet's work is left undone without a host view, on either version. */
export const WITHOUT_HOST_VIEW: readonly string[] = [
  "limits of pods as a whole: the runtime makes their cgroups without any",
  "podPidsLimit",
  "shares of the classes against each other, and limits of all pods together",
  "removal of the empty cgroups of pods",
];
