/**
 * What the path of a request to an API server means.
 *
 * @module
 */

/** Which objects a path means. */
export interface ApiPath {
  /** `v1`, `apps/v1`, … */
  readonly apiVersion: string;
  readonly resource: string;
  readonly kind: ServedKind;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** A kind that the scripted server has. */
export interface ServedKind {
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Whether the status is written by a path of its own only. */
  readonly hasStatus: boolean;
  /** Whether changes of the spec are counted. */
  readonly hasGeneration: boolean;
  /** Whether a change may leave out of which version it is one. */
  readonly isFree: boolean;
}

/** What `path` means; `undefined` when nothing is served there. */
export function parseApiPath(path: string): ApiPath | undefined {
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const root = parts.shift();
  const apiVersion = root === "api"
    ? parts.shift()
    : root === "apis"
    ? parts.splice(0, 2).join("/")
    : undefined;
  // The namespaces themselves lie where those of others begin.
  const isWithin = parts[0] === "namespaces" && parts.length > 2 &&
    parts[2] !== "status" && parts[2] !== "finalize";
  const [, namespace] = isWithin ? parts.splice(0, 2) : [];
  const [resource = "", name, subresource, more] = parts;
  const kind = KINDS.get(`${apiVersion}/${resource}`);
  if (apiVersion === undefined || kind === undefined || more !== undefined) {
    return undefined;
  }
  if (name !== undefined && kind.isNamespaced !== (namespace !== undefined)) {
    return undefined;
  }
  return {
    apiVersion,
    resource,
    kind,
    ...namespace !== undefined && { namespace },
    ...name !== undefined && { name },
    ...subresource !== undefined && { subresource },
  };
}

function served(
  kind: string,
  traits: Partial<Omit<ServedKind, "kind">> = {},
): ServedKind {
  return {
    kind,
    isNamespaced: true,
    hasStatus: false,
    hasGeneration: false,
    isFree: true,
    ...traits,
  };
}

const OF_ALL = { isNamespaced: false };

const KINDS: ReadonlyMap<string, ServedKind> = new Map([
  ["v1/namespaces", served("Namespace", { ...OF_ALL, hasStatus: true })],
  ["v1/nodes", served("Node", { ...OF_ALL, hasStatus: true })],
  ["v1/pods", served("Pod", { hasStatus: true, hasGeneration: true })],
  ["v1/configmaps", served("ConfigMap")],
  ["v1/secrets", served("Secret")],
  ["v1/services", served("Service", { hasStatus: true })],
  ["v1/serviceaccounts", served("ServiceAccount")],
  ["v1/events", served("Event")],
  ["events.k8s.io/v1/events", served("Event")],
  ["v1/persistentvolumes", served("PersistentVolume", OF_ALL)],
  ["v1/persistentvolumeclaims", served("PersistentVolumeClaim")],
  ["coordination.k8s.io/v1/leases", served("Lease", { isFree: false })],
  ["node.k8s.io/v1/runtimeclasses", served("RuntimeClass", OF_ALL)],
  ["scheduling.k8s.io/v1/priorityclasses", served("PriorityClass", OF_ALL)],
  ["storage.k8s.io/v1/csinodes", served("CSINode", OF_ALL)],
  ["storage.k8s.io/v1/csidrivers", served("CSIDriver", OF_ALL)],
  [
    "certificates.k8s.io/v1/certificatesigningrequests",
    served("CertificateSigningRequest", { ...OF_ALL, hasStatus: true }),
  ],
]);
