/**
 * How a cluster's kinds are asked for.
 *
 * @module
 */

import {
  type KindRef,
  type Resource,
  RESOURCES,
} from "../../api/access/mod.ts";

/** Kinds that only a cluster has, as far as a node asks for them. */
const CLUSTER_RESOURCES: readonly Resource[] = [
  ofCluster("v1", "Node"),
  ofCluster("v1", "Namespace"),
  ofCluster("v1", "PersistentVolume"),
  ofCluster("certificates.k8s.io/v1", "CertificateSigningRequest"),
  inNamespaces("v1", "Event"),
  inNamespaces("v1", "ServiceAccount"),
  inNamespaces("coordination.k8s.io/v1", "Lease"),
];

function inNamespaces(apiVersion: string, kind: string): Resource {
  const resource = `${kind.toLowerCase()}s`;
  return { apiVersion, kind, resource, isNamespaced: true, shortNames: [] };
}

function ofCluster(apiVersion: string, kind: string): Resource {
  return { ...inNamespaces(apiVersion, kind), isNamespaced: false };
}

/**
 * How a kind is asked for at an API server.
 *
 * @throws {TypeError} When the agent does not know the kind.
 */
export function kubeResource({ apiVersion, kind }: KindRef): Resource {
  const found = [...RESOURCES, ...CLUSTER_RESOURCES].find((each) =>
    each.kind === kind && each.apiVersion === apiVersion
  );
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot ask for a ${apiVersion} ${kind}: it is no kind that a node asks for`,
  );
}
