/**
 * The volumes of a pod as `kubectl describe` writes them.
 *
 * @module
 */

import type { Volume } from "../../api/types/mod.ts";
import type { BlockValue, NamedValue } from "../text/mod.ts";

/** Every volume and what it is. */
export function volumesValue(volumes: readonly Volume[]): BlockValue {
  if (volumes.length === 0) return "<none>";
  return {
    block: volumes.map((volume) =>
      [volume.name, { block: volumeFields(volume) }] as const
    ),
  };
}

function volumeFields(volume: Volume): readonly NamedValue[] {
  const { hostPath, emptyDir, configMap, secret, persistentVolumeClaim } =
    volume;
  if (hostPath !== undefined) {
    return [
      ["Type", "HostPath (bare host directory volume)"],
      ["Path", hostPath.path],
      ["HostPathType", hostPath.type ?? ""],
    ];
  }
  if (emptyDir !== undefined) {
    return [
      ["Type", "EmptyDir (a temporary directory that shares a pod's lifetime)"],
      ["Medium", emptyDir.medium ?? ""],
      ["SizeLimit", emptyDir.sizeLimit ?? "<unset>"],
    ];
  }
  if (configMap !== undefined) {
    return [
      ["Type", "ConfigMap (a volume populated by a ConfigMap)"],
      ["Name", configMap.name ?? ""],
      ["Optional", String(configMap.optional ?? false)],
    ];
  }
  if (secret !== undefined) {
    return [
      ["Type", "Secret (a volume populated by a Secret)"],
      ["SecretName", secret.secretName ?? ""],
      ["Optional", String(secret.optional ?? false)],
    ];
  }
  if (persistentVolumeClaim !== undefined) {
    return [
      [
        "Type",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
      ],
      ["ClaimName", persistentVolumeClaim.claimName],
      ["ReadOnly", String(persistentVolumeClaim.readOnly ?? false)],
    ];
  }
  return otherFields(volume);
}

function otherFields(volume: Volume): readonly NamedValue[] {
  const { projected, downwardAPI, image } = volume;
  if (projected !== undefined) {
    return [
      [
        "Type",
        "Projected (a volume that contains injected data from multiple sources)",
      ],
      ...(projected.sources ?? []).flatMap(projectedFields),
    ];
  }
  if (downwardAPI !== undefined) {
    return [
      ["Type", "DownwardAPI (a volume populated by information about the pod)"],
      ["Items", {
        lines: (downwardAPI.items ?? []).map(({ path, fieldRef }) =>
          `${fieldRef?.fieldPath ?? "resource"} -> ${path}`
        ),
      }],
    ];
  }
  if (image !== undefined) {
    return [
      ["Type", "Image (a container image or OCI artifact)"],
      ["Reference", image.reference ?? ""],
      ["PullPolicy", image.pullPolicy ?? ""],
    ];
  }
  const kind = Object.keys(volume).find((key) => key !== "name");
  return [["Type", kind ?? "<unknown>"]];
}

type ProjectedSource = NonNullable<
  NonNullable<Volume["projected"]>["sources"]
>[number];

function projectedFields(source: ProjectedSource): readonly NamedValue[] {
  const { configMap, secret, downwardAPI } = source;
  if (configMap !== undefined) {
    return [
      ["ConfigMapName", configMap.name ?? ""],
      ["Optional", String(configMap.optional ?? false)],
    ];
  }
  if (secret !== undefined) {
    return [
      ["SecretName", secret.name ?? ""],
      ["Optional", String(secret.optional ?? false)],
    ];
  }
  return downwardAPI === undefined ? [] : [["DownwardAPI", "true"]];
}
