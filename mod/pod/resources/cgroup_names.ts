/**
 * How the cgroups of pods are called.
 *
 * Upstream: pkg/kubelet/cm/cgroup_manager_linux.go, pod_container_manager_linux.go.
 *
 * @module
 */

import type {
  CgroupDriver,
  Pod,
  ResourceRequirements,
} from "../../api/types/mod.ts";
import { requestedAmount, resourceAmount } from "./resource_amounts.ts";

/** Where the cgroups of pods stand. */
export interface CgroupLayout {
  readonly driver: CgroupDriver;
  /** The kubelet's cgroupRoot; empty or `/` for the top. */
  readonly root?: string;
}

/**
 * The cgroup parent in requests to the runtime: a path, of slices with systemd.
 */
export function podCgroupParent(pod: Pod, layout: CgroupLayout): string {
  const { uid } = pod.metadata;
  return cgroupPath([...QOS_CGROUP[qosClass(pod)], `pod${uid}`], layout);
}

/** The cgroup above all pods of a class. */
export function qosCgroup(qos: QosClass, layout: CgroupLayout): string {
  return cgroupPath(QOS_CGROUP[qos], layout);
}

/** The cgroup above all pods of the node. */
export function nodePodsCgroup(layout: CgroupLayout): string {
  return cgroupPath([], layout);
}

/** Every path at which the cgroup of a pod may stand, whatever its class was. */
export function possiblePodCgroups(
  uid: string,
  layout: CgroupLayout,
): readonly string[] {
  return Object.values(QOS_CGROUP).map((names) =>
    cgroupPath([...names, `pod${uid}`], layout)
  );
}

/** The pod whose cgroup has this name, the last part of a path; `undefined` for any other. */
export function podUidOfCgroup(
  name: string,
  layout: Pick<CgroupLayout, "driver">,
): string | undefined {
  if (layout.driver === "cgroupfs") return /^pod(.+)$/.exec(name)?.[1];
  // No UID has an underscore, so that escaped dashes are recognized.
  return /-pod([^-]+)\.slice$/.exec(name)?.[1]?.replaceAll("_", "-");
}

const QOS_CGROUP: Readonly<Record<QosClass, readonly string[]>> = {
  Guaranteed: [],
  Burstable: ["burstable"],
  BestEffort: ["besteffort"],
};

function cgroupPath(below: readonly string[], layout: CgroupLayout): string {
  const root = (layout.root ?? "").split("/").filter((part) => part !== "");
  const names = [...root, "kubepods", ...below];
  if (layout.driver === "cgroupfs") return `/${names.join("/")}`;
  // systemd reads "-" in a slice's name as a step down, so it is escaped in each name.
  const parts = names.map((name) =>
    name.replace(/\.slice$/, "").replaceAll("-", "_")
  );
  return parts
    .map((_, index) => `/${parts.slice(0, index + 1).join("-")}.slice`)
    .join("");
}

/** How well a pod is served when the node runs short. */
export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const COMPUTE = ["cpu", "memory"] as const;

/**
 * The class of a pod (kubelet: qos.ComputePodQOS): Guaranteed when every
 * container, or the pod as a whole, has equal requests and limits of CPU and
 * memory; BestEffort when there are none at all; else Burstable.
 */
export function qosClass(pod: Pick<Pod, "spec">): QosClass {
  const podLevel = pod.spec.resources;
  const declared = podLevel !== undefined && declaresAny(podLevel)
    ? [podLevel]
    : [...pod.spec.containers, ...pod.spec.initContainers ?? []]
      .map((container) => container.resources ?? {});
  if (!declared.some(declaresAny)) return "BestEffort";
  return declared.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function declaresAny(resources: ResourceRequirements): boolean {
  return COMPUTE.some((name) =>
    resourceAmount(resources.requests, name) > 0n ||
    resourceAmount(resources.limits, name) > 0n
  );
}

function isGuaranteed(resources: ResourceRequirements): boolean {
  return COMPUTE.every((name) => {
    const limit = resourceAmount(resources.limits, name);
    return limit > 0n && requestedAmount(resources, name) === limit;
  });
}
