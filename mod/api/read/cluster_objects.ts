/**
 * From what an API server gives to objects that the agent works with.
 *
 * A server has checked and defaulted what it gives; here it is only made sure that it is of
 * the right shape, since nobody knows what answers. Fields of later versions of the API mean
 * nothing here, and are left out.
 *
 * @module
 */

import { isRecord } from "../../base/mod.ts";
import { type Fault, FaultList, rootPlace } from "../fault/mod.ts";
import type { LocalObject } from "../objects/mod.ts";
import { isRawObject, type RawObject } from "../text/mod.ts";
import { validateClusterPod } from "../validate/mod.ts";
import type {
  ContainerStatus,
  ObjectMeta,
  Pod,
  PodSpec,
  PodStatus,
} from "../types/mod.ts";
import { readLocalObject } from "./decode_object.ts";
import { readServiceOfCluster } from "./cluster_service.ts";
import { withoutServerFields } from "./exported_pod.ts";
import { readTyped } from "./schema.ts";

/** What came of reading something of a cluster. */
export type ClusterReading<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "refused"; readonly faults: readonly Fault[] };

/**
 * Reads a pod; one without a name, a UID or a container is none, and so is one whose names
 * would lead out of the agent's directories.
 */
export function readClusterPod(object: unknown): ClusterReading<Pod> {
  const faults = new FaultList({ unknownFields: "warn" });
  const at = rootPlace(faults);
  if (!isJsonObject(object)) {
    at.invalid(null, "wanted a Pod");
    return { kind: "refused", faults: faults.faults };
  }
  const { status, ...rest } = object;
  // The schema checks every field; what is wrong is missing and reported.
  const typed = readTyped(rest, "Pod", at) as {
    readonly metadata?: ObjectMeta;
    readonly spec?: Partial<PodSpec>;
  };
  const { metadata = {}, spec = {} } = typed;
  const { name = "", namespace = "", uid = "" } = metadata;
  const { containers = [] } = spec;
  for (const [field, text] of Object.entries({ name, namespace, uid })) {
    if (text === "") at.child("metadata").child(field).required("");
  }
  if (containers.length === 0) {
    at.child("spec").child("containers").required("");
  }
  if (!faults.isEmpty) return { kind: "refused", faults: faults.faults };
  const value: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadata, name, namespace, uid },
    spec: { ...spec, containers },
    ...(isRawObject(status) && { status: statusOf(status) }),
  };
  validateClusterPod(value, at);
  return faults.isEmpty
    ? { kind: "read", value }
    : { kind: "refused", faults: faults.faults };
}

/** The parts of a status that others than the agent write, or that it must not contradict. */
function statusOf(status: RawObject): PodStatus {
  const text = (field: string): Readonly<Record<string, string>> => {
    const value = status[field];
    return typeof value === "string" ? { [field]: value } : {};
  };
  const { conditions, containerStatuses, initContainerStatuses, ...rest } =
    status;
  return {
    // All of it is compared with what the agent writes, and none of it looked into.
    ...rest,
    ...text("phase"),
    ...containerStatusesOf({ containerStatuses, initContainerStatuses }),
    conditions: Array.isArray(conditions)
      ? conditions.flatMap((each) => {
        if (!isRecord(each)) return [];
        const { type, status } = each;
        return typeof type === "string" && typeof status === "string"
          ? [{ ...each, type, status }]
          : [];
      })
      : [],
  };
}

/** Of a pod that has ended they say how, to an agent that does not know it. */
function containerStatusesOf(
  lists: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly ContainerStatus[]>> {
  const read: Record<string, readonly ContainerStatus[]> = {};
  for (const [field, list] of Object.entries(lists)) {
    if (!Array.isArray(list)) continue;
    read[field] = list.flatMap((each) => {
      if (!isRecord(each)) return [];
      const { name, image, imageID, ready, restartCount, state } = each;
      return typeof name === "string" && typeof image === "string" &&
          typeof imageID === "string" && typeof ready === "boolean" &&
          typeof restartCount === "number" &&
          (state === undefined || isRecord(state))
        ? [{ ...each, name, image, imageID, ready, restartCount }]
        : [];
    });
  }
  return read;
}

/** Reads what pods refer to. No fault shows a value of a Secret. */
export function readClusterObject(
  kind: LocalObject["kind"],
  object: unknown,
): ClusterReading<LocalObject> {
  const faults = new FaultList({ unknownFields: "warn" });
  const at = rootPlace(faults);
  if (!isJsonObject(object)) {
    at.concealed().invalid(null, `wanted a ${kind}`);
    return { kind: "refused", faults: faults.faults };
  }
  const own = withoutServerFields(withoutClusterMeta(object), {
    hasStatus: true,
  });
  const value = kind === "Service"
    ? readServiceOfCluster(own, at)
    : readLocalObject(kind, own, { at, settle: () => faults.settle() });
  return faults.isEmpty
    ? { kind: "read", value }
    : { kind: "refused", faults: faults.faults };
}

/** Who owns it, and when it goes, is nothing to the pods that use it. */
function withoutClusterMeta(object: RawObject): RawObject {
  const { metadata } = object;
  if (!isRawObject(metadata)) return object;
  const { name = null, namespace = null } = metadata;
  return {
    ...object,
    metadata: { name, ...(namespace !== null && { namespace }) },
  };
}

/** What was decoded from JSON holds nothing else. */
function isJsonObject(value: unknown): value is RawObject {
  return isRecord(value);
}
