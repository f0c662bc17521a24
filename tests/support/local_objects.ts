/**
 * Builds manifests of the objects that pods refer to.
 *
 * @module
 */

/** A ConfigMap manifest in the default namespace. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

/** A Secret manifest in the default namespace, its values written as they are. */
export function secret(
  name: string,
  stringData: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData };
}

/** A PersistentVolumeClaim manifest in the default namespace. */
export function claim(
  name: string,
  accessMode: "ReadWriteOnce" | "ReadWriteOncePod" = "ReadWriteOnce",
): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: "1Mi" } },
    },
  };
}

/** The spec of a pod of one container, which has a claim of its name at `/data`. */
export function withClaim(
  name: string,
  container: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    volumes: [{ name, persistentVolumeClaim: { claimName: name } }],
    containers: [{
      ...container,
      volumeMounts: [{ name, mountPath: "/data" }],
    }],
  };
}
