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
export function claim(name: string): Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Mi" } },
    },
  };
}
