/**
 * What a pod may ask for that the agent does not honour yet.
 *
 * What the kubelet ignores too (scheduling, priority, tolerations, service links) is
 * not here.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";

/** The status and event reason of a pod refused for such a field. */
export const UNSUPPORTED_REASON = "PodFeatureUnsupported";

/**
 * `refuse`: without the field the pod would mean something else or be less safe.
 * `warn`: the pod runs, and a warning names what it lacks.
 */
export type UnsupportedSeverity = "refuse" | "warn";

/** One field that is not honoured. */
export interface UnsupportedField {
  /** Path such as `spec.volumes[0].secret`. */
  readonly field: string;
  readonly message: string;
  readonly severity: UnsupportedSeverity;
}

/**
 * Lists the fields of a pod that are not honoured yet, in the order of the spec.
 *
 * @param options.isOfCluster whether a cluster has the pod, whose controllers do their part
 */
export function unsupportedFields(
  { spec }: Pick<Pod, "spec">,
  { isOfCluster = false }: { readonly isOfCluster?: boolean } = {},
): UnsupportedField[] {
  const found: UnsupportedField[] = [];
  const add = (field: string, row: Row): void => {
    found.push({ field, ...row });
  };
  if (spec.securityContext?.windowsOptions !== undefined) {
    add("spec.securityContext.windowsOptions", WINDOWS);
  }
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    for (const [kind, source] of Object.entries(volume)) {
      if (source === undefined || VOLUME_FIELDS.has(kind)) continue;
      // Its claim is made by a controller.
      if (kind === "ephemeral" && isOfCluster) continue;
      add(`spec.volumes[${i}].${kind}`, VOLUME_KIND);
    }
    for (const [j, source] of (volume.projected?.sources ?? []).entries()) {
      for (const [kind, given] of Object.entries(source)) {
        if (given === undefined || PROJECTED_SOURCES.has(kind)) continue;
        add(`spec.volumes[${i}].projected.sources[${j}].${kind}`, PROJECTED);
      }
    }
    if (volume.emptyDir?.medium?.startsWith("HugePages") === true) {
      add(`spec.volumes[${i}].emptyDir.medium`, HUGE_PAGES);
    }
  }
  for (
    const list of [
      "initContainers",
      "containers",
      "ephemeralContainers",
    ] as const
  ) {
    for (const [i, container] of (spec[list] ?? []).entries()) {
      const path = `spec.${list}[${i}]`;
      const { resources, securityContext, volumeDevices } = container;
      if (volumeDevices?.length) add(`${path}.volumeDevices`, BLOCK_DEVICES);
      if (securityContext?.windowsOptions !== undefined) {
        add(`${path}.securityContext.windowsOptions`, WINDOWS);
      }
      for (const side of ["requests", "limits"] as const) {
        for (const name of Object.keys(resources?.[side] ?? {})) {
          if (ENFORCED.has(name) || name.startsWith("hugepages-")) continue;
          add(`${path}.resources.${side}[${name}]`, DEVICE);
        }
      }
    }
  }
  return found;
}

type Row = Omit<UnsupportedField, "field">;

const WINDOWS: Row = {
  message: "Has no effect: the node runs Linux",
  severity: "warn",
};
const BLOCK_DEVICES: Row = {
  message: "Not supported: the node offers no block devices as volumes",
  severity: "refuse",
};
const DEVICE: Row = {
  message: "Not supported: no device plugin offers this resource",
  severity: "refuse",
};
const HUGE_PAGES: Row = {
  message:
    'Not supported: the agent mounts no huge pages, wanted "" or "Memory"',
  severity: "refuse",
};
const VOLUME_KIND: Row = {
  message:
    "Not supported: the agent has no mount helper for volumes of this kind, " +
    "wanted it mounted on the node and given as a hostPath volume",
  severity: "refuse",
};

const PROJECTED: Row = {
  message:
    "Not supported: the agent asks no cluster for trust bundles or certificates of pods, " +
    "wanted them in a ConfigMap or a Secret",
  severity: "refuse",
};

/** The name of a volume, and the kinds that are honoured. */
const VOLUME_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "configMap",
  "downwardAPI",
  "emptyDir",
  "hostPath",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

/** What a projected volume can be made of. */
const PROJECTED_SOURCES: ReadonlySet<string> = new Set([
  "configMap",
  "downwardAPI",
  "secret",
  "serviceAccountToken",
]);

/** The resources that containers can be given, beside `hugepages-*`. */
const ENFORCED: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
]);
