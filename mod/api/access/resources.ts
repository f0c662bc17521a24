/**
 * The kinds of objects that can be asked for, and what they are called on the way.
 *
 * @module
 */

import type { KindRef } from "./access.ts";

/** How a kind is asked for. */
export interface Resource extends KindRef {
  /** The word in paths: `deployments`. */
  readonly resource: string;
  readonly isNamespaced: boolean;
  /** What kubectl takes for it beside that word and the kind. */
  readonly shortNames: readonly string[];
}

/** Every kind that this node may keep; whether it does, its store says. */
export const RESOURCES: readonly Resource[] = [
  namespaced("v1", "Pod", ["po"]),
  namespaced("v1", "ReplicationController", ["rc"]),
  namespaced("v1", "Service", ["svc"]),
  namespaced("v1", "PersistentVolumeClaim", ["pvc"]),
  namespaced("v1", "ConfigMap", ["cm"]),
  namespaced("v1", "Secret"),
  namespaced("apps/v1", "Deployment", ["deploy"]),
  namespaced("apps/v1", "ReplicaSet", ["rs"]),
  namespaced("apps/v1", "DaemonSet", ["ds"]),
  namespaced("apps/v1", "StatefulSet", ["sts"]),
  namespaced("apps/v1", "ControllerRevision"),
  namespaced("batch/v1", "Job"),
  namespaced("batch/v1", "CronJob", ["cj"]),
  {
    ...namespaced("node.k8s.io/v1", "RuntimeClass"),
    resource: "runtimeclasses",
    isNamespaced: false,
  },
  {
    ...namespaced("scheduling.k8s.io/v1", "PriorityClass", ["pc"]),
    resource: "priorityclasses",
    isNamespaced: false,
  },
];

function namespaced(
  apiVersion: string,
  kind: string,
  shortNames: readonly string[] = [],
): Resource {
  const resource = `${kind.toLowerCase()}s`;
  return { apiVersion, kind, resource, isNamespaced: true, shortNames };
}

/** The word with its group, as messages have it: `deployments.apps`, `pods`. */
export function groupResource(
  { apiVersion, resource }: Pick<Resource, "apiVersion" | "resource">,
): string {
  const group = groupOf(apiVersion);
  return group === "" ? resource : `${resource}.${group}`;
}

/** The group of a version; empty for the one without a name. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/**
 * Where a kind is asked for: `/apis/apps/v1/namespaces/shop/deployments/web`.
 *
 * @param place.namespace absent: all of them
 */
export function resourcePath(
  { apiVersion, resource, isNamespaced }: Resource,
  place: { readonly namespace?: string | undefined; readonly name?: string },
): string {
  const { namespace, name } = place;
  const isWithin = isNamespaced && namespace !== undefined;
  return [
    apiVersion.includes("/") ? "/apis" : "/api",
    apiVersion,
    ...(isWithin ? ["namespaces", encodeURIComponent(namespace)] : []),
    resource,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
  ].join("/");
}
