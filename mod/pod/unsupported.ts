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
  EnvVar,
  LifecycleHandler,
  Pod,
  PodSpec,
  ResourceRequirements,
  Volume,
  VolumeMount,
} from "../api/mod.ts";

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

const NOT_YET = "Not supported yet";
const NO_OBJECTS = `${NOT_YET}: the agent reads no ConfigMaps and Secrets`;
const NO_LOCALHOST =
  `${NOT_YET}: "Localhost", wanted "RuntimeDefault" or "Unconfined"`;

const POD_ROWS: readonly Row<PodSpec>[] = [
  refuse("imagePullSecrets", NO_OBJECTS, (s) => some(s.imagePullSecrets)),
  refuse(
    "hostUsers",
    `${NOT_YET}: pods share the node's users`,
    (s) => s.hostUsers === false,
  ),
  refuse("runtimeClassName", NOT_YET, (s) => isSet(s.runtimeClassName)),
  refuse("resourceClaims", NOT_YET, (s) => some(s.resourceClaims)),
  refuse(
    "resources",
    `${NOT_YET}: wanted them on the containers`,
    (s) => some(Object.keys(s.resources ?? {})),
  ),
  refuse(
    "securityContext.fsGroup",
    NOT_YET,
    (s) => s.securityContext?.fsGroup !== undefined,
  ),
  refuse(
    "securityContext.seccompProfile.type",
    NO_LOCALHOST,
    (s) => s.securityContext?.seccompProfile?.type === "Localhost",
  ),
];

const PROBE =
  "Not run yet: the container counts as started and ready while it runs";

const CONTAINER_ROWS: readonly Row<ContainerSpec>[] = [
  refuse("envFrom", NO_OBJECTS, (c) => some(c.envFrom)),
  refuse("volumeDevices", NOT_YET, (c) => some(c.volumeDevices)),
  refuse("resources.claims", NOT_YET, (c) => some(c.resources?.claims)),
  refuse(
    "securityContext.seccompProfile.type",
    NO_LOCALHOST,
    (c) => c.securityContext?.seccompProfile?.type === "Localhost",
  ),
  warn("livenessProbe", PROBE, (c) => c.livenessProbe !== undefined),
  warn("readinessProbe", PROBE, (c) => c.readinessProbe !== undefined),
  warn("startupProbe", PROBE, (c) => c.startupProbe !== undefined),
  warn(
    "lifecycle.stopSignal",
    `${NOT_YET}: the image's own signal is sent`,
    (c) => isSet(c.lifecycle?.stopSignal),
  ),
];

const ENV_ROWS: readonly Row<EnvVar>[] = [
  refuse(
    "valueFrom.configMapKeyRef",
    NO_OBJECTS,
    (e) => e.valueFrom?.configMapKeyRef !== undefined,
  ),
  refuse(
    "valueFrom.secretKeyRef",
    NO_OBJECTS,
    (e) => e.valueFrom?.secretKeyRef !== undefined,
  ),
  refuse(
    "valueFrom.fileKeyRef",
    NOT_YET,
    (e) => e.valueFrom?.fileKeyRef !== undefined,
  ),
];

const MOUNT_ROWS: readonly Row<VolumeMount>[] = [
  refuse("subPath", NOT_YET, (m) => isSet(m.subPath)),
  refuse("subPathExpr", NOT_YET, (m) => isSet(m.subPathExpr)),
  refuse(
    "recursiveReadOnly",
    `${NOT_YET}: "Enabled", wanted "Disabled" or "IfPossible"`,
    (m) => m.recursiveReadOnly === "Enabled",
  ),
];

const VOLUME_ROWS: readonly Row<Volume>[] = [
  refuse(
    "emptyDir.medium",
    `${NOT_YET}: an emptyDir lies on the node's disk`,
    (v) => isSet(v.emptyDir?.medium),
  ),
  warn(
    "emptyDir.sizeLimit",
    "Not enforced yet",
    (v) => isSet(v.emptyDir?.sizeLimit),
  ),
  refuse(
    "hostPath.type",
    `${NOT_YET}: left out, the path is mounted as it is`,
    (v) => isSet(v.hostPath?.type),
  ),
];

const HOOK_ROWS: readonly Row<LifecycleHandler>[] = [
  refuse(
    "httpGet",
    `${NOT_YET}: a hook runs exec or sleep`,
    (h) => h.httpGet !== undefined,
  ),
  refuse(
    "tcpSocket",
    `${NOT_YET}: a hook runs exec or sleep`,
    (h) => h.tcpSocket !== undefined,
  ),
];

/** The kinds of volume that are honoured. */
const VOLUME_KINDS: ReadonlySet<string> = new Set(["emptyDir", "hostPath"]);

/** The resources that containers can be given. */
const ENFORCED_RESOURCES: ReadonlySet<string> = new Set(["cpu", "memory"]);

function checkVolume(volume: Volume, path: string): UnsupportedField[] {
  const others = Object.entries(volume)
    .filter(([kind, source]) =>
      kind !== "name" && source !== undefined && !VOLUME_KINDS.has(kind)
    )
    .map(([kind]): UnsupportedField => ({
      field: `${path}.${kind}`,
      message: `${NOT_YET}: wanted an emptyDir or hostPath volume`,
      severity: "refuse",
    }));
  return [...others, ...check(VOLUME_ROWS, volume, path)];
}

function checkContainer(
  container: ContainerSpec,
  path: string,
): UnsupportedField[] {
  const { lifecycle, resources } = container;
  return [
    ...check(CONTAINER_ROWS, container, path),
    ...each(
      `${path}.env`,
      container.env,
      (env, at) => check(ENV_ROWS, env, at),
    ),
    ...each(
      `${path}.volumeMounts`,
      container.volumeMounts,
      (mount, at) => check(MOUNT_ROWS, mount, at),
    ),
    ...check(HOOK_ROWS, lifecycle?.postStart, `${path}.lifecycle.postStart`),
    ...check(HOOK_ROWS, lifecycle?.preStop, `${path}.lifecycle.preStop`),
    ...checkResources(resources, `${path}.resources`),
  ];
}

function checkResources(
  resources: ResourceRequirements | undefined,
  path: string,
): UnsupportedField[] {
  const found: UnsupportedField[] = [];
  for (const side of ["requests", "limits"] as const) {
    for (const name of Object.keys(resources?.[side] ?? {})) {
      if (ENFORCED_RESOURCES.has(name)) continue;
      const field = `${path}.${side}[${name}]`;
      found.push(
        // Too much disk would only lead to an eviction, which comes later.
        name === "ephemeral-storage"
          ? { field, message: "Not enforced yet", severity: "warn" }
          : { field, message: NOT_YET, severity: "refuse" },
      );
    }
  }
  return found;
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

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}
