/**
 * The environment of a container: whole objects, literal values, and references to
 * the pod itself, to its resources, to keys of objects and of files.
 *
 * @module
 */

import type { ContainerSpec, EnvVar } from "../../api/types/mod.ts";
import type { KeyedObject } from "../../api/objects/mod.ts";
import { missingObject } from "../../pod/lifecycle/mod.ts";
import {
  podFieldValue,
  resourceFieldValue,
  serviceVariables,
} from "../../pod/inputs/mod.ts";
import { unsyncedText } from "../../pod/lifecycle/mod.ts";
import { expand, ProgramBudget } from "./expansion.ts";
import { keyFileValue } from "./key_file.ts";
import type {
  ContainerSpecInput,
  Environment,
  NodeFacts,
} from "./spec_input.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** What the environment of a container is made of. */
export type EnvironmentInput =
  & Pick<
    ContainerSpecInput,
    "pod" | "container" | "podIps" | "objects" | "keyFiles" | "services"
  >
  & { readonly node: Pick<NodeFacts, "ips" | "allocatable"> };

/**
 * The variables of a container by name: those of `envFrom`, then those of `env` in
 * the order of their first mention, then those of the Services of its namespace that it
 * does not declare itself.
 *
 * A value sees the variables before it, and those of Services; of two of one name the
 * later one wins.
 * Values taken by reference are not expanded. An optional reference to what is not
 * there sets nothing. What an object holds is never part of a message.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables.
 *
 * @throws {SpecRefusal} when a reference cannot be resolved, or there is more than any
 * program can be given
 */
export function containerEnvironment(input: EnvironmentInput): Environment {
  const { container } = input;
  const values = new Map<string, string>();
  const budget = new ProgramBudget();
  const set = (name: string, value: string): void => {
    budget.take(name);
    budget.take(value);
    values.set(name, value);
  };
  for (const source of container.envFrom ?? []) {
    for (const [name, value] of sourceVariables(source, input)) {
      set(name, value);
    }
  }
  const ofServices = variablesOfServices(input);
  const known = {
    get: (name: string) => values.get(name) ?? ofServices.get(name),
  };
  for (const variable of container.env ?? []) {
    const { name, value = "", valueFrom } = variable;
    const found = value !== "" || valueFrom === undefined
      ? expand(value, known)
      : referredValue({ ...variable, valueFrom }, input);
    if (found !== undefined) set(name, found);
  }
  for (const [name, value] of ofServices) {
    if (!values.has(name)) set(name, value);
  }
  return values;
}

/** Each container is told of it. */
const API_SERVER = { namespace: "default", name: "kubernetes" };

function variablesOfServices(
  { pod, services = [], objects }: EnvironmentInput,
): Environment {
  const { namespace } = pod.metadata;
  const isKnown = services.some((service) => service.namespace === namespace);
  const kind = "Service";
  const why =
    (isKnown ? undefined : objects.withheld({ kind, namespace, name: "" })) ??
      (services.some(({ isForAll }) => isForAll === true)
        ? undefined
        : objects.withheld({ kind, ...API_SERVER }));
  if (why !== undefined) {
    // Upstream's words: pkg/kubelet/kubelet_pods.go.
    throw new SpecRefusal(
      `services have not yet been read at least once, cannot construct envvars: ${why}`,
    );
  }
  const linked = pod.spec.enableServiceLinks === false
    ? []
    : services.filter((service) => service.namespace === namespace);
  // One of the pod's own namespace has the better right to a name.
  const taken = new Set(linked.map(({ name }) => name));
  const always = services.filter(({ isForAll, name }) =>
    isForAll === true && !taken.has(name)
  );
  return serviceVariables([...linked, ...always]);
}

type EnvSource = NonNullable<ContainerSpec["envFrom"]>[number];

/** Upstream: any printable ASCII but "=" makes a name (validation.IsRelaxedEnvVarName). */
const VARIABLE_NAME = /^[\x20-\x3c\x3e-\x7e]+$/;

/** Every value of an object as a variable, in the order of its keys. */
function sourceVariables(
  source: EnvSource,
  input: EnvironmentInput,
): readonly (readonly [name: string, value: string])[] {
  const { prefix = "", configMapRef, secretRef } = source;
  const kind = configMapRef === undefined ? "Secret" : "ConfigMap";
  const ref = configMapRef ?? secretRef;
  if (ref === undefined) return [];
  const object = findObject({ ...ref, kind }, input);
  if (object === undefined) return [];
  return [...object.entries.keys()].sort().map((key) => {
    const name = `${prefix}${key}`;
    if (VARIABLE_NAME.test(name)) return [name, textOf(object, key)];
    throw new SpecRefusal(
      `Cannot use key "${key}" of ${kindAndName(object)} as a variable: ` +
        `wanted a name of printable ASCII without "="`,
    );
  });
}

type Referring = EnvVar & {
  readonly valueFrom: NonNullable<EnvVar["valueFrom"]>;
};

/** The value that a variable takes by reference; `undefined` when it is to be left out. */
function referredValue(
  variable: Referring,
  input: EnvironmentInput,
): string | undefined {
  const { pod, container, podIps, node } = input;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } =
    variable.valueFrom;
  if (fieldRef !== undefined) {
    const value = podFieldValue(pod, fieldRef.fieldPath, {
      podIps,
      hostIps: node.ips,
    });
    if (value !== undefined) return value;
    throw refused(
      variable,
      `"fieldRef" names "${fieldRef.fieldPath}", which a variable cannot show`,
    );
  }
  if (resourceFieldRef !== undefined) {
    const { allocatable } = node;
    const found = resourceFieldValue(pod, resourceFieldRef, {
      container,
      allocatable,
    });
    if (found.kind === "ok") return found.value;
    throw refused(variable, found.message);
  }
  if (configMapKeyRef !== undefined) {
    return keyValue({ ...configMapKeyRef, kind: "ConfigMap" }, input);
  }
  if (secretKeyRef !== undefined) {
    return keyValue({ ...secretKeyRef, kind: "Secret" }, input);
  }
  const { fileKeyRef } = variable.valueFrom;
  if (fileKeyRef === undefined) {
    throw refused(variable, `"valueFrom" names no source that is known`);
  }
  const found = keyFileValue(fileKeyRef, input.keyFiles);
  if (found.kind === "found") return found.value;
  if (found.kind === "absent" && fileKeyRef.optional === true) return undefined;
  throw refused(variable, found.message);
}

interface KeyedRef {
  readonly kind: KeyedObject["kind"];
  readonly name?: string;
  readonly optional?: boolean;
}

function keyValue(
  ref: KeyedRef & { readonly key: string },
  input: EnvironmentInput,
): string | undefined {
  const object = findObject(ref, input);
  if (object === undefined) return undefined;
  if (object.entries.has(ref.key)) return textOf(object, ref.key);
  if (ref.optional === true) return undefined;
  throw new SpecRefusal({
    kind: "missing_key",
    object: ref.kind,
    namespace: object.namespace,
    name: object.name,
    key: ref.key,
  });
}

/** The object of the pod's namespace; `undefined` when an optional one is not there. */
function findObject(
  ref: KeyedRef,
  input: EnvironmentInput,
): KeyedObject | undefined {
  const { objects } = input;
  const { namespace } = input.pod.metadata;
  const { kind, name = "", optional } = ref;
  const object = kind === "ConfigMap"
    ? objects.configMap({ namespace, name })
    : objects.secret({ namespace, name });
  if (object !== undefined) return object;
  const why = objects.withheld({ kind, namespace, name });
  // Nobody knows that an optional one is not there.
  if (why !== undefined) throw new SpecRefusal(unsyncedText(kind, why));
  if (optional === true) return undefined;
  const { absence } = objects;
  throw new SpecRefusal(missingObject(kind, { name, absence }));
}

function textOf(object: KeyedObject, key: string): string {
  const bytes = object.entries.get(key) ?? new Uint8Array();
  const problem = (found: string) =>
    new SpecRefusal(
      `Cannot use key "${key}" of ${
        kindAndName(object)
      } as a variable: ${found}`,
    );
  // A program would take what is behind it for the end of the variable.
  if (bytes.includes(0)) throw problem("its value holds a NUL byte");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch {
    // The decoder's own words are no help; the bytes may be secret.
    throw problem("its value is not UTF-8");
  }
}

function kindAndName(object: KeyedObject): string {
  return `${object.kind} "${object.namespace}/${object.name}"`;
}

function refused(variable: EnvVar, found: string): SpecRefusal {
  return new SpecRefusal(
    `Cannot set environment variable "${variable.name}": ${found}`,
  );
}
