/**
 * What a pod may ask for that the agent does not honour yet.
 *
 * One table a kind of place; a row is one field. What the kubelet ignores too
 * (scheduling, priority, tolerations, service links) has no row.
 *
 * @module
 */

import type {
  ContainerSpec,
  Pod,
  PodSpec,
  ResourceRequirements,
  Volume,
} from "../../api/types/mod.ts";

/** The status and event reason of a pod refused for such a field. */
export const UNSUPPORTED_REASON = "PodFeatureUnsupported";

/**
 * `refuse`: without the field the pod would mean something else or be less safe.
 * `warn`: the pod runs, and the operator is told what it lacks.
 */
export type UnsupportedSeverity = "refuse" | "warn";

/** One field that is not honoured. */
export interface UnsupportedField {
  /** Path such as `spec.volumes[0].secret`. */
  readonly field: string;
  readonly message: string;
  readonly severity: UnsupportedSeverity;
}

/** Lists the fields of a pod that are not honoured yet, in the order of the spec. */
export function unsupportedFields(pod: Pick<Pod, "spec">): UnsupportedField[] {
  const { spec } = pod;
  return [
    ...check(POD_ROWS, spec, "spec"),
    ...each("spec.volumes", spec.volumes, checkVolume),
    ...each("spec.initContainers", spec.initContainers, checkContainer),
    ...each("spec.containers", spec.containers, checkContainer),
    ...each(
      "spec.ephemeralContainers",
      spec.ephemeralContainers,
      checkContainer,
    ),
  ];
}

interface Row<T> {
  /** Below the place that the table is for. */
  readonly field: string;
  readonly severity: UnsupportedSeverity;
  readonly message: string;
  readonly asks: (subject: T) => boolean;
}

const WINDOWS = "Has no effect: the node runs Linux";

const POD_ROWS: readonly Row<PodSpec>[] = [
  warn(
    "imagePullSecrets",
    "Not used yet: images are pulled without credentials",
    (s) => some(s.imagePullSecrets),
  ),
  warn(
    "securityContext.windowsOptions",
    WINDOWS,
    (s) => s.securityContext?.windowsOptions !== undefined,
  ),
];

const CONTAINER_ROWS: readonly Row<ContainerSpec>[] = [
  refuse(
    "volumeDevices",
    "Not supported: the node offers no block devices as volumes",
    (c) => some(c.volumeDevices),
  ),
  warn(
    "securityContext.windowsOptions",
    WINDOWS,
    (c) => c.securityContext?.windowsOptions !== undefined,
  ),
];

const VOLUME_ROWS: readonly Row<Volume>[] = [
  refuse(
    "emptyDir.medium",
    'Not supported: the agent mounts no huge pages, wanted "" or "Memory"',
    (v) => v.emptyDir?.medium?.startsWith("HugePages") === true,
  ),
];

/** The kinds of volume that are honoured. */
const VOLUME_KINDS: ReadonlySet<string> = new Set([
  "configMap",
  "downwardAPI",
  "emptyDir",
  "hostPath",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

/** The resources that containers can be given, beside `hugepages-*`. */
const ENFORCED_RESOURCES: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
]);

function checkVolume(volume: Volume, path: string): UnsupportedField[] {
  const others = Object.entries(volume)
    .filter(([kind, source]) =>
      kind !== "name" && source !== undefined && !VOLUME_KINDS.has(kind)
    )
    .map(([kind]): UnsupportedField => ({
      field: `${path}.${kind}`,
      message:
        "Not supported: the agent has no mount helper for volumes of this kind, " +
        "wanted it mounted on the node and given as a hostPath volume",
      severity: "refuse",
    }));
  return [...others, ...check(VOLUME_ROWS, volume, path)];
}

function checkContainer(
  container: ContainerSpec,
  path: string,
): UnsupportedField[] {
  return [
    ...check(CONTAINER_ROWS, container, path),
    ...checkResources(container.resources, `${path}.resources`),
  ];
}

function checkResources(
  resources: ResourceRequirements | undefined,
  path: string,
): UnsupportedField[] {
  return (["requests", "limits"] as const).flatMap((side) =>
    Object.keys(resources?.[side] ?? {})
      .filter((name) =>
        !ENFORCED_RESOURCES.has(name) && !name.startsWith("hugepages-")
      )
      .map((name): UnsupportedField => ({
        field: `${path}.${side}[${name}]`,
        message: "Not supported: no device plugin offers this resource",
        severity: "refuse",
      }))
  );
}

function check<T>(
  rows: readonly Row<T>[],
  subject: T | undefined,
  path: string,
): UnsupportedField[] {
  if (subject === undefined) return [];
  return rows
    .filter((row) => row.asks(subject))
    .map(({ field, message, severity }) => ({
      field: `${path}.${field}`,
      message,
      severity,
    }));
}

function each<T>(
  path: string,
  items: readonly T[] | undefined,
  checkItem: (item: T, path: string) => UnsupportedField[],
): UnsupportedField[] {
  return (items ?? []).flatMap((item, index) =>
    checkItem(item, `${path}[${index}]`)
  );
}

function refuse<T>(
  field: string,
  message: string,
  asks: (subject: T) => boolean,
): Row<T> {
  return { field, severity: "refuse", message, asks };
}

function warn<T>(
  field: string,
  message: string,
  asks: (subject: T) => boolean,
): Row<T> {
  return { field, severity: "warn", message, asks };
}

function some(items: readonly unknown[] | undefined): boolean {
  return items !== undefined && items.length > 0;
}
