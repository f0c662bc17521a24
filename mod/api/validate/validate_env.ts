/**
 * Checks environment variables and where their values come from.
 *
 * @module
 */

import { checkOneOf, checkShape, requireShape, requireText } from "./checks.ts";
import {
  envNameProblem,
  localPathProblem,
  mapKeyProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import { containerNamesOf, volumesOf } from "./pod_index.ts";
import {
  compareQuantities,
  parseQuantity,
  ZERO_QUANTITY,
} from "../objects/mod.ts";
import type {
  ContainerSpec,
  EnvVar,
  EnvVarSource,
  PodSpec,
} from "../types/mod.ts";

/** Reports what is wrong with a container's `env`. */
export function validateEnv(
  env: readonly EnvVar[],
  at: Place,
  spec: PodSpec,
): void {
  for (const [i, variable] of env.entries()) {
    const place = at.index(i);
    requireShape(variable.name, envNameProblem, place.child("name"));
    const { value = "", valueFrom } = variable;
    if (valueFrom === undefined) continue;
    const from = place.child("valueFrom");
    checkOneOf(valueFrom, { of: "source of a value" }, from);
    if (value !== "") {
      from.invalid(valueFrom, "may not be specified when `value` is not empty");
    }
    validateSource(valueFrom, from, spec);
  }
}

/** Reports what is wrong with a container's `envFrom`. */
export function validateEnvFrom(
  sources: NonNullable<ContainerSpec["envFrom"]>,
  at: Place,
): void {
  for (const [i, source] of sources.entries()) {
    const place = at.index(i);
    if (source.prefix) {
      checkShape(source.prefix, envNameProblem, place.child("prefix"));
    }
    checkOneOf(
      source,
      { of: "source of variables", ignore: ["prefix"] },
      place,
    );
    for (const kind of ["configMapRef", "secretRef"] as const) {
      if (source[kind] === undefined) continue;
      requireShape(
        source[kind].name,
        subdomainProblem,
        place.child(kind).child("name"),
      );
    }
  }
}

/** The fields of a pod that `fieldRef` can name in an environment variable. */
const ENV_FIELDS: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** The fields of a pod that `fieldRef` can name in a volume. */
const VOLUME_FIELDS: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const RESOURCES: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

/** Reports what is wrong with a reference to a field of the pod. */
export function validateFieldRef(
  ref: NonNullable<EnvVarSource["fieldRef"]>,
  at: Place,
  options: { readonly inVolume: boolean },
): void {
  if (ref.apiVersion !== undefined && ref.apiVersion !== "v1") {
    at.child("apiVersion").unsupported(ref.apiVersion, ["v1"]);
  }
  const place = at.child("fieldPath");
  const { fieldPath = "" } = ref;
  if (fieldPath === "") {
    place.required();
    return;
  }
  const entry = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(
    fieldPath,
  );
  if (entry !== null) {
    const [, map, key = ""] = entry;
    const name = map === "metadata.annotations" ? key.toLowerCase() : key;
    checkShape(name, qualifiedNameProblem, place);
    return;
  }
  const fields = options.inVolume ? VOLUME_FIELDS : ENV_FIELDS;
  if (!fields.includes(fieldPath)) place.unsupported(fieldPath, fields);
}

/** Reports what is wrong with a reference to a container's resources. */
export function validateResourceFieldRef(
  ref: NonNullable<EnvVarSource["resourceFieldRef"]>,
  at: Place,
  options: { readonly inVolume: boolean; readonly spec: PodSpec },
): void {
  if (options.inVolume) {
    requireText(ref.containerName, at.child("containerName"));
  }
  const { containerName, resource = "", divisor } = ref;
  const place = at.child("resource");
  const [kind = "", name = ""] = resource.split(/\.(.*)/s);
  const isKnown = (kind === "limits" || kind === "requests") &&
    (RESOURCES.includes(name) || name.startsWith("hugepages-"));
  if (resource === "") place.required();
  else if (!isKnown) {
    const known = ["limits", "requests"].flatMap((kind) =>
      [...RESOURCES, "hugepages-*"].map((name) => `${kind}.${name}`)
    );
    place.unsupported(resource, known);
  } else if (divisor !== undefined) {
    validateDivisor(name, divisor, at.child("divisor"));
  }
  if (containerName && !containerNamesOf(options.spec).has(containerName)) {
    at.child("containerName").invalid(
      containerName,
      "no container of this pod has that name",
    );
  }
}

const DIVISORS: ReadonlyMap<string, readonly string[]> = new Map([
  ["cpu", ["1m", "1"]],
]);
const SIZES = [
  ...["1", "1k", "1M", "1G", "1T", "1P", "1E"],
  ...["1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"],
];

function validateDivisor(resource: string, divisor: string, at: Place): void {
  const quantity = parseQuantity(divisor);
  // Zero is the same as absent and means 1.
  if (compareQuantities(quantity, ZERO_QUANTITY) === 0) return;
  const allowed = DIVISORS.get(resource) ?? SIZES;
  const isAllowed = allowed.some((one) =>
    compareQuantities(parseQuantity(one), quantity) === 0
  );
  if (!isAllowed) at.unsupported(divisor, allowed);
}

function validateSource(source: EnvVarSource, at: Place, spec: PodSpec): void {
  const { fieldRef, resourceFieldRef, fileKeyRef } = source;
  if (fieldRef !== undefined) {
    validateFieldRef(fieldRef, at.child("fieldRef"), { inVolume: false });
  }
  if (resourceFieldRef !== undefined) {
    const place = at.child("resourceFieldRef");
    validateResourceFieldRef(resourceFieldRef, place, {
      inVolume: false,
      spec,
    });
  }
  for (const kind of ["configMapKeyRef", "secretKeyRef"] as const) {
    const ref = source[kind];
    if (ref === undefined) continue;
    const place = at.child(kind);
    requireShape(ref.name, subdomainProblem, place.child("name"));
    requireShape(ref.key, mapKeyProblem, place.child("key"));
  }
  if (fileKeyRef !== undefined) {
    validateFileKey(fileKeyRef, at.child("fileKeyRef"), spec);
  }
}

function validateFileKey(
  ref: NonNullable<EnvVarSource["fileKeyRef"]>,
  at: Place,
  spec: PodSpec,
): void {
  requireShape(ref.key, envNameProblem, at.child("key"));
  requireShape(ref.path, localPathProblem, at.child("path"));
  const place = at.child("volumeName");
  requireText(ref.volumeName, place);
  const volume = volumesOf(spec).get(ref.volumeName);
  if (ref.volumeName && volume === undefined) {
    place.fault(`Not found: "${ref.volumeName}"`);
  } else if (volume !== undefined && volume.emptyDir === undefined) {
    place.invalid(ref.volumeName, "must name a volume of type emptyDir");
  }
}
