/**
 * Giving running containers other resources without starting them anew.
 *
 * Upstream: pkg/kubelet/kuberuntime computePodResizeAction, doPodResizeAction.
 *
 * @module
 */

import { defined } from "../../base/mod.ts";
import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { servingContainers } from "../../api/vocabulary/mod.ts";
import {
  containerLimits,
  cpuShares,
  qosClass,
  requestedAmount,
  resourceAmount,
  type ResourceList,
} from "../resources/mod.ts";
import {
  type ActuatedResources,
  latestContainer,
  type ObservedContainer,
  type ObservedPod,
} from "../observed/mod.ts";

/** What can be resized, in the order in which it is done. */
export const RESIZED_RESOURCES = ["memory", "cpu"] as const;
/** See {@linkcode RESIZED_RESOURCES}. */
export type ResizedResource = (typeof RESIZED_RESOURCES)[number];

/** One call: one resource of one container. */
export interface ResizeUpdate {
  readonly containerId: string;
  readonly containerName: string;
  readonly resource: ResizedResource;
  /** All that the container has once this is done. */
  readonly after: ActuatedResources;
}

/** What a pod's resources have to become, in order. */
export interface ResizePlan {
  readonly updates: readonly ResizeUpdate[];
  /** What the pod as a whole has once this is done; absent when that does not change. */
  readonly podAfter?: ActuatedResources;
  /**
   * Whether the pod as a whole gets more of a resource. Its own cgroup is then
   * widened before the containers, otherwise it is narrowed after them.
   */
  readonly podGrows: Readonly<Record<ResizedResource, boolean>>;
}

/** A resource of which a node has too little; CPU in millicores, the rest in whole units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}

/** Why the node cannot give a pod now what its spec says, in the words of upstream. */
export interface ResizeRefusal {
  /** `Deferred` when another pod has to go first, `Infeasible` when the node is too small. */
  readonly reason: "Deferred" | "Infeasible";
  readonly message: string;
  /** What the node lacks, where that is the reason. */
  readonly shortage?: Shortage;
}

/** What is to be done about changed resources of a pod that runs. */
export type ResizeDecision =
  | { readonly kind: "none" }
  | {
    readonly kind: "resize";
    readonly plan: ResizePlan;
    /** The names of containers that have to be restarted for it. */
    readonly restarts: ReadonlySet<string>;
  }
  /** Only another sandbox, in the cgroup of the other class, can have them. */
  | { readonly kind: "replace" }
  /** It cannot be done; the pod stays as it is. */
  | ({ readonly kind: "refused" } & ResizeRefusal);

const NONE: ResizeDecision = { kind: "none" };

/**
 * Compares what running containers have with what the pod says now.
 *
 * Only what was recorded is compared: containers with unknown resources, and pods whose manifest has no UID and so gets another one with
 * every change, are left alone.
 */
export function planResize(
  pod: Pod,
  observed: ObservedPod,
): ResizeDecision {
  // The runtime's report is no exact record, and would only mislead.
  if (isGeneratedUid(pod.metadata.uid)) return NONE;
  const changed = changedContainers(pod, observed);
  const wasQos = observed.qosClass;
  if (wasQos !== undefined && wasQos !== qosClass(pod)) {
    return pod.spec.restartPolicy === "Never"
      ? {
        kind: "refused",
        reason: "Infeasible",
        message:
          `Cannot resize the pod: its class would change from "${wasQos}" to "${
            qosClass(pod)
          }", which takes a restart that restartPolicy "Never" rules out`,
      }
      : { kind: "replace" };
  }
  const whole = changedWhole(pod, observed);
  if (changed.length === 0 && whole === undefined) return NONE;
  const restarting = changed.filter(needsRestart);
  const updating = changed.filter((each) => !needsRestart(each));
  const updates = RESIZED_RESOURCES.flatMap((resource) =>
    updatesOf(resource, updating)
  );
  return {
    kind: "resize",
    plan: {
      updates,
      ...defined({ podAfter: whole?.after }),
      podGrows: {
        memory: podGrows("memory", { changed, whole }),
        cpu: podGrows("cpu", { changed, whole }),
      },
    },
    restarts: new Set(restarting.map(({ container }) => container.name)),
  };
}

/** What a container is to have, as it is recorded once it has it. */
export function wantedResources(
  pod: Pick<Pod, "spec">,
  container: Pick<ContainerSpec, "resources">,
): ActuatedResources {
  return {
    requests: resizable(container.resources?.requests),
    limits: resizable(containerLimits(container, pod)),
  };
}

/** What the pod as a whole is to have, as it is recorded once it has it. */
export function wantedPodResources(pod: Pick<Pod, "spec">): ActuatedResources {
  const { requests, limits } = pod.spec.resources ?? {};
  return { requests: resizable(requests), limits: resizable(limits) };
}

/** Whether the UID was made from the manifest, so that no change of it is ever a resize. */
export function isGeneratedUid(uid: string): boolean {
  return /^[0-9a-f]{32}$/.test(uid);
}

/** The resources of a container, or of a pod as a whole. */
interface ResourceChange {
  readonly before: ActuatedResources;
  readonly after: ActuatedResources;
}

interface Changed extends ResourceChange {
  readonly container: ContainerSpec;
  readonly seen: ObservedContainer;
  readonly resources: readonly ResizedResource[];
}

function changedWhole(
  pod: Pod,
  observed: ObservedPod,
): ResourceChange | undefined {
  const before = observed.podResources;
  if (before === undefined) return undefined;
  const after = wantedPodResources(pod);
  return isAnyChanged(before, after) ? { before, after } : undefined;
}

/** Whether any resource differs between what was given and what is wanted. */
export function isAnyChanged(
  before: ActuatedResources,
  after: ActuatedResources,
): boolean {
  return RESIZED_RESOURCES.some((resource) =>
    isChanged(resource, before, after)
  );
}

function changedContainers(pod: Pod, observed: ObservedPod): Changed[] {
  return servingContainers(pod).flatMap((container) => {
    const seen = latestContainer(observed, container.name);
    const before = seen?.state === "running" ? seen.resources : undefined;
    if (seen === undefined || before === undefined) return [];
    const after = wantedResources(pod, container);
    const resources = RESIZED_RESOURCES.filter((resource) =>
      isChanged(resource, before, after)
    );
    return resources.length === 0
      ? []
      : [{ container, seen, before, after, resources }];
  });
}

function isChanged(
  resource: ResizedResource,
  before: ActuatedResources,
  after: ActuatedResources,
): boolean {
  const had = amounts(resource, before);
  const wants = amounts(resource, after);
  if (!before.fromRuntime) {
    return had.request !== wants.request || had.limit !== wants.limit;
  }
  // The runtime reports cgroup settings: no memory request, and CPU in their grain.
  if (resource === "memory") return had.limit !== wants.limit;
  if (cpuShares(had.request) !== cpuShares(wants.request)) return true;
  // No quota is no proof of no limit: the node may not enforce them (cpuCFSQuota).
  return had.limit > 0n && atLeastTen(had.limit) !== atLeastTen(wants.limit);
}

/** A quota is never below a millisecond in a hundred: 1m to 10m are one. */
function atLeastTen(milli: bigint): bigint {
  return milli > 0n && milli < 10n ? 10n : milli;
}

interface RequestAndLimit {
  readonly request: bigint;
  readonly limit: bigint;
}

function amounts(
  resource: ResizedResource,
  resources: ActuatedResources,
): RequestAndLimit {
  return {
    request: requestedAmount(resources, resource),
    limit: resourceAmount(resources.limits, resource),
  };
}

function needsRestart({ container, resources }: Changed): boolean {
  return (container.resizePolicy ?? []).some((policy) =>
    policy.restartPolicy === "RestartContainer" &&
    resources.some((resource) => resource === policy.resourceName)
  );
}

/** The updates of one resource: what shrinks first, so that there is room for the rest. */
function updatesOf(
  resource: ResizedResource,
  changed: readonly Changed[],
): ResizeUpdate[] {
  const grows = (each: ResourceChange) =>
    Number(difference(resource, each) > 0n);
  return changed.filter(({ resources }) => resources.includes(resource))
    .sort((a, b) => grows(a) - grows(b))
    .map(({ seen, before, after }) => ({
      containerId: seen.id,
      containerName: seen.name,
      resource,
      // Memory comes first; what it leaves of the CPU is as it was.
      after: resource === "memory" ? withMemory(before, after) : after,
    }));
}

function withMemory(
  before: ActuatedResources,
  after: ActuatedResources,
): ActuatedResources {
  const mixed = (had: ResourceList, has: ResourceList) =>
    defined({ cpu: had["cpu"], memory: has["memory"] });
  return {
    requests: mixed(before.requests, after.requests),
    limits: mixed(before.limits, after.limits),
    ...(before.fromRuntime === true && { fromRuntime: true }),
  };
}

function resizable(list: ResourceList | undefined): ResourceList {
  return defined({ cpu: list?.["cpu"], memory: list?.["memory"] });
}

/** No limit is more than any limit. */
const NO_LIMIT = 1n << 100n;

function difference(
  resource: ResizedResource,
  { before, after }: ResourceChange,
): bigint {
  const had = amounts(resource, before);
  const wants = amounts(resource, after);
  const byLimit = (wants.limit || NO_LIMIT) - (had.limit || NO_LIMIT);
  return byLimit === 0n ? wants.request - had.request : byLimit;
}

/** What the pod says as a whole outranks the sum of its containers. */
function podGrows(
  resource: ResizedResource,
  { changed, whole }: {
    readonly changed: readonly Changed[];
    readonly whole: ResourceChange | undefined;
  },
): boolean {
  if (whole !== undefined && isChanged(resource, whole.before, whole.after)) {
    return difference(resource, whole) > 0n;
  }
  const sum = changed
    .map((each) => difference(resource, each))
    .reduce((total, next) => total + next, 0n);
  return sum > 0n;
}
