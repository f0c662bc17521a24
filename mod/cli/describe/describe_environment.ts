/**
 * The environment of a container as `kubectl describe` writes it: what comes from
 * objects is named, never shown.
 *
 * @module
 */

import type { ContainerSpec, EnvVar } from "../../api/types/mod.ts";
import type { BlockValue } from "../text/mod.ts";

/** What is taken whole from objects; `undefined` when nothing is. */
export function environmentSources(
  { envFrom = [] }: ContainerSpec,
): BlockValue | undefined {
  if (envFrom.length === 0) return undefined;
  return {
    block: envFrom.map(({ configMapRef, secretRef, prefix = "" }) => {
      const ref = configMapRef ?? secretRef;
      const kind = secretRef === undefined ? "ConfigMap" : "Secret";
      const withPrefix = prefix === "" ? "" : ` with prefix '${prefix}'`;
      const optional = ref?.optional === true;
      return [
        ref?.name ?? "",
        `${kind}${withPrefix}  Optional: ${optional}`,
      ] as const;
    }),
  };
}

/** Every variable, by name. */
export function environmentValue({ env = [] }: ContainerSpec): BlockValue {
  if (env.length === 0) return "<none>";
  return { block: env.map((each) => [each.name, variableText(each)] as const) };
}

function variableText({ value = "", valueFrom }: EnvVar): string {
  if (valueFrom === undefined) return value;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } =
    valueFrom;
  if (fieldRef !== undefined) {
    return `(${fieldRef.apiVersion ?? "v1"}:${fieldRef.fieldPath})`;
  }
  if (resourceFieldRef !== undefined) return `(${resourceFieldRef.resource})`;
  if (secretKeyRef !== undefined) {
    const { key, name = "", optional = false } = secretKeyRef;
    return `<set to the key '${key}' in secret '${name}'>  Optional: ${optional}`;
  }
  if (configMapKeyRef !== undefined) {
    const { key, name = "", optional = false } = configMapKeyRef;
    return `<set to the key '${key}' of config map '${name}'>  Optional: ${optional}`;
  }
  const { fileKeyRef } = valueFrom;
  if (fileKeyRef === undefined) return "<unknown>";
  const { key, path, volumeName, optional = false } = fileKeyRef;
  return `<set to the key '${key}' in file '${path}' of volume '${volumeName}'>  Optional: ${optional}`;
}
