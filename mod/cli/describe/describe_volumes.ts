/**
 * The volumes of a pod as `kubectl describe` writes them.
 *
 * @module
 */

import type { ProjectedSource, Volume } from "../../api/types/mod.ts";
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
  const { projected, downwardAPI, persistentVolumeClaim } = volume;
  return fields(
    volume.hostPath,
    "HostPath (bare host directory volume)",
    ({ path, type = "" }) => [["Path", path], ["HostPathType", type]],
  ) ?? fields(
    volume.emptyDir,
    "EmptyDir (a temporary directory that shares a pod's lifetime)",
    ({ medium = "", sizeLimit = "<unset>" }) => [
      ["Medium", medium],
      ["SizeLimit", sizeLimit],
    ],
  ) ?? fields(
    volume.configMap,
    "ConfigMap (a volume populated by a ConfigMap)",
    (source) => objectFields("Name", source.name, source),
  ) ?? fields(
    volume.secret,
    "Secret (a volume populated by a Secret)",
    (source) => objectFields("SecretName", source.secretName, source),
  ) ?? fields(
    persistentVolumeClaim,
    "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
    ({ claimName, readOnly = false }) => [
      ["ClaimName", claimName],
      ["ReadOnly", String(readOnly)],
    ],
  ) ?? fields(
    projected,
    "Projected (a volume that contains injected data from multiple sources)",
    ({ sources = [] }) => sources.flatMap(projectedFields),
  ) ?? fields(
    downwardAPI,
    "DownwardAPI (a volume populated by information about the pod)",
    ({ items = [] }) => [["Items", {
      lines: items.map(({ path, fieldRef }) =>
        `${fieldRef?.fieldPath ?? "resource"} -> ${path}`
      ),
    }]],
  ) ?? fields(
    volume.image,
    "Image (a container image or OCI artifact)",
    ({ reference = "", pullPolicy = "" }) => [
      ["Reference", reference],
      ["PullPolicy", pullPolicy],
    ],
  ) ?? [[
    "Type",
    Object.keys(volume).find((key) => key !== "name") ?? "<unknown>",
  ]];
}

/** The fields of a source; `undefined` when the volume is of another kind. */
function fields<Source>(
  source: Source | undefined,
  type: string,
  fieldsOf: (source: Source) => readonly NamedValue[],
): readonly NamedValue[] | undefined {
  return source === undefined
    ? undefined
    : [["Type", type], ...fieldsOf(source)];
}

function objectFields(
  label: string,
  name: string | undefined,
  { optional = false }: { readonly optional?: boolean },
): readonly NamedValue[] {
  return [[label, name ?? ""], ["Optional", String(optional)]];
}

function projectedFields(source: ProjectedSource): readonly NamedValue[] {
  const { configMap, secret, downwardAPI } = source;
  if (configMap !== undefined) {
    return objectFields("ConfigMapName", configMap.name, configMap);
  }
  if (secret !== undefined) {
    return objectFields("SecretName", secret.name, secret);
  }
  return downwardAPI === undefined ? [] : [["DownwardAPI", "true"]];
}
