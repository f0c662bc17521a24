/**
 * The environment of a container: literal values, references to the pod's own
 * fields and to its resources.
 *
 * @module
 */

import {
  type ContainerSpec,
  type EnvVar,
  findContainer,
  parseQuantity,
  type Pod,
  type Quantity,
  toBytes,
  toMilli,
  ZERO_QUANTITY,
} from "../api/mod.ts";
import { expand } from "./expansion.ts";
import { SpecRefusal } from "./spec_refusal.ts";

/** What references in an environment may ask for beside the pod itself. */
export interface EnvironmentFacts {
  /** Primary first, the node's for a pod on its network; empty while there is none. */
  readonly podIps: readonly string[];
  /** The node's addresses, primary first. */
  readonly hostIps: readonly string[];
  /** Stands in for a limit that a container does not set; by resource name. */
  readonly allocatable: ReadonlyMap<string, Quantity>;
}

/**
 * The variables of a container by name, in the order of their first mention.
 *
 * A value sees the variables before it; of two of one name the later one wins.
 * Values taken by reference are not expanded.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go makeEnvironmentVariables.
 *
 * @throws {SpecRefusal} when a reference cannot be resolved
 */
export function containerEnvironment(
  pod: Pod,
  container: ContainerSpec,
  facts: EnvironmentFacts,
): ReadonlyMap<string, string> {
  const source = container.envFrom?.[0];
  if (source !== undefined) {
    throw new SpecRefusal(
      `Cannot build the environment: "envFrom" names a ${
        source.secretRef === undefined ? "ConfigMap" : "Secret"
      }, which is not supported yet`,
    );
  }
  const values = new Map<string, string>();
  for (const variable of container.env ?? []) {
    values.set(
      variable.name,
      variable.valueFrom === undefined
        ? expand(variable.value ?? "", values)
        : referredValue(variable, { pod, container, facts }),
    );
  }
  return values;
}

interface Referrer {
  readonly pod: Pod;
  readonly container: ContainerSpec;
  readonly facts: EnvironmentFacts;
}

function referredValue(variable: EnvVar, referrer: Referrer): string {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } =
    variable.valueFrom ?? {};
  if (fieldRef !== undefined) {
    const value = fieldValue(fieldRef.fieldPath, referrer);
    if (value !== undefined) return value;
    throw refused(
      variable,
      `"fieldRef" names "${fieldRef.fieldPath}", which a variable cannot show`,
    );
  }
  if (resourceFieldRef !== undefined) {
    return resourceValue(variable, resourceFieldRef, referrer);
  }
  const kind = configMapKeyRef !== undefined
    ? "a ConfigMap"
    : secretKeyRef !== undefined
    ? "a Secret"
    : "a source";
  throw refused(variable, `it reads ${kind}, which is not supported yet`);
}

function refused(variable: EnvVar, found: string): SpecRefusal {
  return new SpecRefusal(
    `Cannot set environment variable "${variable.name}": ${found}`,
  );
}

const SUBSCRIPTED = /^metadata\.(labels|annotations)\['([^']*)'\]$/;

/** The pod's own field as text; `undefined` when there is no such field. */
function fieldValue(path: string, referrer: Referrer): string | undefined {
  const { pod, facts } = referrer;
  const [, map, key] = SUBSCRIPTED.exec(path) ?? [];
  if (map !== undefined && key !== undefined) {
    const { labels, annotations } = pod.metadata;
    const entries = (map === "labels" ? labels : annotations) ?? {};
    return Object.hasOwn(entries, key) ? entries[key] ?? "" : "";
  }
  switch (path) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "spec.nodeName":
      return pod.spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
      return facts.hostIps[0] ?? "";
    case "status.hostIPs":
      return facts.hostIps.join(",");
    case "status.podIP":
      return podIps(referrer)[0] ?? "";
    case "status.podIPs":
      return podIps(referrer).join(",");
    default:
      return undefined;
  }
}

/** The pod's addresses, those of the node's primary family first. */
function podIps({ facts }: Referrer): readonly string[] {
  const primary = facts.hostIps[0];
  if (primary === undefined) return facts.podIps;
  const six = primary.includes(":");
  const first = facts.podIps.filter((ip) => ip.includes(":") === six);
  return [...first, ...facts.podIps.filter((ip) => !first.includes(ip))];
}

/**
 * An amount of a container as a whole number of divisors, rounded up.
 *
 * Upstream: pkg/api/v1/resource ExtractContainerResourceValue, which computes in
 * floating point; here it is exact.
 */
function resourceValue(
  variable: EnvVar,
  reference: {
    readonly containerName?: string;
    readonly resource: string;
    readonly divisor?: string;
  },
  referrer: Referrer,
): string {
  const name = reference.containerName ?? "";
  const container = name === ""
    ? referrer.container
    : findContainer(referrer.pod, name);
  if (container === undefined) {
    throw refused(variable, `the pod has no container "${name}"`);
  }
  const [side, resource = ""] = splitOnce(reference.resource, ".");
  if ((side !== "limits" && side !== "requests") || resource === "") {
    throw refused(
      variable,
      `"resourceFieldRef" names "${reference.resource}", wanted "limits." or "requests." and a resource`,
    );
  }
  const written = container.resources?.[side]?.[resource];
  const set = written === undefined ? ZERO_QUANTITY : parseQuantity(written);
  // As upstream a limit of zero counts as none.
  const amount = side === "limits" && set.nano === 0n
    ? referrer.facts.allocatable.get(resource) ?? ZERO_QUANTITY
    : set;
  const wanted = parseQuantity(reference.divisor ?? "1");
  const divisor = wanted.nano === 0n ? parseQuantity("1") : wanted;
  const count = resource === "cpu" ? toMilli : toBytes;
  return divideUp(count(amount), count(divisor)).toString();
}

function divideUp(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
