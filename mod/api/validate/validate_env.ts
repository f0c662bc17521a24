/**
 * Checks environment variables and where their values come from.
 *
 * @module
 */

import {
  type Check,
  checkFields,
  checkOneOf,
  each,
  type FieldChecks,
  fields,
  oneOf,
  required,
  shape,
  unlessEmpty,
} from "./checks.ts";
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

/** A check of a container's `env`, for all containers of a pod. */
export function envChecks(
  spec: PodSpec,
): Check<readonly EnvVar[] | undefined> {
  const sources = sourceChecks(spec);
  return each(fields<EnvVar>({
    name: ENV_NAME,
    valueFrom: (source, from, { value = "" }) => {
      if (source === undefined) return;
      checkOneOf(source, { of: "source of a value" }, from);
      if (value !== "") {
        from.invalid(source, "may not be specified when `value` is not empty");
      }
      checkFields(source, from, sources);
    },
  }));
}

const ENV_NAME = required(shape(envNameProblem));
const NAME = required(shape(subdomainProblem));
const PREFIX = unlessEmpty(shape(envNameProblem));

/** Reports what is wrong with an entry of a container's `envFrom`. */
export function validateEnvFrom(source: EnvFrom, at: Place): void {
  PREFIX(source.prefix, at.child("prefix"));
  checkOneOf(source, { of: "source of variables", ignore: ["prefix"] }, at);
  checkFields(source, at, ENV_FROM);
}

type EnvFrom = NonNullable<ContainerSpec["envFrom"]>[number];

const ENV_FROM: FieldChecks<EnvFrom> = {
  configMapRef: fields({ name: NAME }),
  secretRef: fields({ name: NAME }),
};

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

/** The checks of references to a field of the pod and to a container's resources. */
export function downwardChecks(
  { inVolume, spec }: { readonly inVolume: boolean; readonly spec: PodSpec },
): FieldChecks<Pick<EnvVarSource, "fieldRef" | "resourceFieldRef">> {
  return {
    fieldRef: fields({
      apiVersion: oneOf("v1"),
      fieldPath: required(inVolume ? checkVolumeField : checkEnvField),
    }),
    resourceFieldRef: fields({
      containerName: (name, at) => {
        if (inVolume && !name) at.required();
        if (!name || containerNamesOf(spec).has(name)) return;
        at.invalid(name, "no container of this pod has that name");
      },
      resource: required((resource, at) => {
        if (amountName(resource) === undefined) {
          at.unsupported(resource, KNOWN_AMOUNTS);
        }
      }),
      divisor: (divisor, at, { resource = "" }) => {
        const name = amountName(resource);
        if (divisor === undefined || name === undefined) return;
        validateDivisor(name, divisor, at);
      },
    }),
  };
}

const checkEnvField = fieldIn(ENV_FIELDS);
const checkVolumeField = fieldIn(VOLUME_FIELDS);

/** One of some fields, or an entry of the labels or annotations. */
function fieldIn(known: readonly string[]): Check<string> {
  const plain = oneOf(...known);
  const qualified = shape(qualifiedNameProblem);
  return (field, at) => {
    const entry = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(field);
    if (entry === null) return plain(field, at);
    const [, map, key = ""] = entry;
    const name = map === "metadata.annotations" ? key.toLowerCase() : key;
    qualified(name, at);
  };
}

const AMOUNTS = ["cpu", "memory", "ephemeral-storage"];
const KNOWN_AMOUNTS = ["limits", "requests"].flatMap((side) =>
  [...AMOUNTS, "hugepages-*"].map((name) => `${side}.${name}`)
);

/** The resource in `limits.cpu`, if it is one that a container has an amount of. */
function amountName(resource: string): string | undefined {
  const [, name = ""] = /^(?:limits|requests)\.(.*)$/s.exec(resource) ?? [];
  return AMOUNTS.includes(name) || name.startsWith("hugepages-")
    ? name
    : undefined;
}

const CPU_DIVISORS = ["1m", "1"];
const SIZES = [
  ...["1", "1k", "1M", "1G", "1T", "1P", "1E"],
  ...["1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"],
];

function validateDivisor(resource: string, divisor: string, at: Place): void {
  const quantity = parseQuantity(divisor);
  // Zero is the same as absent and means 1.
  if (compareQuantities(quantity, ZERO_QUANTITY) === 0) return;
  const allowed = resource === "cpu" ? CPU_DIVISORS : SIZES;
  const isAllowed = allowed.some((one) =>
    compareQuantities(parseQuantity(one), quantity) === 0
  );
  if (!isAllowed) at.unsupported(divisor, allowed);
}

function sourceChecks(spec: PodSpec): FieldChecks<EnvVarSource> {
  const key = { name: NAME, key: required(shape(mapKeyProblem)) };
  return {
    ...downwardChecks({ inVolume: false, spec }),
    configMapKeyRef: fields(key),
    secretKeyRef: fields(key),
    fileKeyRef: fields({
      key: ENV_NAME,
      path: required(shape(localPathProblem)),
      volumeName: required((name, place) => {
        const volume = volumesOf(spec).get(name);
        if (volume === undefined) place.fault(`Not found: "${name}"`);
        else if (volume.emptyDir === undefined) {
          place.invalid(name, "must name a volume of type emptyDir");
        }
      }),
    }),
  };
}
