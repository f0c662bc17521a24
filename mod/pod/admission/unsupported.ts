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

/** The field below the place that the table is for, and whether a subject asks for it. */
type Row<T> = readonly [
  field: string,
  severity: UnsupportedSeverity,
  asks: (subject: T) => boolean,
  message: string,
];

const WINDOWS = "Has no effect: the node runs Linux";

const POD_ROWS: readonly Row<PodSpec>[] = [
  [
    "imagePullSecrets",
    "warn",
    (pod) => some(pod.imagePullSecrets),
    "Not used yet: images are pulled without credentials",
  ],
  [
    "securityContext.windowsOptions",
    "warn",
    (pod) => pod.securityContext?.windowsOptions !== undefined,
    WINDOWS,
  ],
];

const CONTAINER_ROWS: readonly Row<ContainerSpec>[] = [
  [
    "volumeDevices",
    "refuse",
    (container) => some(container.volumeDevices),
    "Not supported: the node offers no block devices as volumes",
  ],
  [
    "securityContext.windowsOptions",
    "warn",
    (container) => container.securityContext?.windowsOptions !== undefined,
    WINDOWS,
  ],
];

const VOLUME_ROWS: readonly Row<Volume>[] = [
  [
    "emptyDir.medium",
    "refuse",
    (volume) => volume.emptyDir?.medium?.startsWith("HugePages") === true,
    'Not supported: the agent mounts no huge pages, wanted "" or "Memory"',
  ],
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
  return rows.filter(([, , asks]) => asks(subject))
    .map(([field, severity, , message]) => ({
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

function some(items: readonly unknown[] | undefined): boolean {
  return items !== undefined && items.length > 0;
}
