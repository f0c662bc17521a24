/**
 * The downward API: what a pod can read about itself, as variables and as files.
 *
 * @module
 */

import type { ContainerSpec, Pod } from "../../api/types/mod.ts";
import { findContainer } from "../../api/vocabulary/mod.ts";
import {
  parseQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../api/objects/mod.ts";
import { resourceAmount, wholeAmount } from "../resources/mod.ts";

/** Addresses that a variable may ask for; unknown ones are absent. */
export interface AddressFacts {
  /** Primary first, the node's for a pod on its network. */
  readonly podIps: readonly string[];
  /** The node's, primary first. */
  readonly hostIps: readonly string[];
}

/** Which amount of which container is asked for. */
export interface ResourceFieldRef {
  /** Absent or empty for the container that asks. */
  readonly containerName?: string;
  /** `limits.` or `requests.` and a resource, such as `limits.cpu`. */
  readonly resource: string;
  /** What the amount is counted in; 1 when absent or zero. */
  readonly divisor?: string;
}

/** An amount as a whole number, or what was found instead (without a subject, to stand behind a colon). */
export type ResourceFieldValue =
  | { readonly kind: "ok"; readonly value: string }
  | { readonly kind: "refused"; readonly message: string };

const SUBSCRIPTED = /^metadata\.(labels|annotations)\['([^']*)'\]$/;

/**
 * The value of a `fieldRef` in a variable; `undefined` when a variable can show no
 * such field. A label or annotation that is not there is empty.
 *
 * Upstream: pkg/kubelet/kubelet_pods.go podFieldSelectorRuntimeValue.
 */
export function podFieldValue(
  pod: Pod,
  fieldPath: string,
  facts: AddressFacts,
): string | undefined {
  const { hostIps } = facts;
  switch (fieldPath) {
    case "spec.nodeName":
      return pod.spec.nodeName ?? "";
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
      return hostIps[0] ?? "";
    case "status.hostIPs":
      return hostIps.join(",");
    case "status.podIP":
      return nodeFamilyFirst(facts)[0] ?? "";
    case "status.podIPs":
      return nodeFamilyFirst(facts).join(",");
    default:
      return metadataField(pod, fieldPath);
  }
}

/**
 * The content of a file for a `fieldRef`; `undefined` when a file can show no such
 * field. A whole map is one line `key="value"` an entry, sorted by key, with the
 * values quoted as Go quotes strings and without a line break at the end.
 *
 * Upstream: pkg/fieldpath ExtractFieldPathAsString, FormatMap.
 */
export function podFieldFile(pod: Pod, fieldPath: string): string | undefined {
  const { labels, annotations } = pod.metadata;
  if (fieldPath === "metadata.labels") return mapLines(labels);
  if (fieldPath === "metadata.annotations") return mapLines(annotations);
  return metadataField(pod, fieldPath);
}

/**
 * The value of a `resourceFieldRef`: an amount as a whole number of divisors,
 * rounded up.
 *
 * A limit that a container does not set is the pod's own, else what the node can
 * give. `options.container` is the one that asks, for a reference without a name.
 *
 * Upstream: pkg/api/v1/resource ExtractContainerResourceValue, which computes in
 * floating point (here it is exact), and kubelet_resources.go for what is missing.
 */
export function resourceFieldValue(
  pod: Pod,
  ref: ResourceFieldRef,
  options: {
    readonly container?: ContainerSpec;
    /** What the node can give, by resource name. */
    readonly allocatable: ReadonlyMap<string, Quantity>;
  },
): ResourceFieldValue {
  const { containerName: name = "" } = ref;
  const container = name === "" ? options.container : findContainer(pod, name);
  if (container === undefined) {
    return { kind: "refused", message: `the pod has no container "${name}"` };
  }
  const [, side, resource = ""] =
    /^(limits|requests)\.(.+)$/s.exec(ref.resource) ?? [];
  if (side !== "limits" && side !== "requests") {
    const message =
      `"resourceFieldRef" names "${ref.resource}", wanted "limits." or "requests." and a resource`;
    return { kind: "refused", message };
  }
  const set = resourceAmount(container.resources?.[side], resource);
  // As upstream a limit of zero counts as none.
  const amount = side === "limits" && set === 0n
    ? defaultLimit(pod, resource, options.allocatable)
    : set;
  const unit = (text: string) => wholeAmount(resource, parseQuantity(text));
  const divisor = unit(ref.divisor ?? "1") || unit("1");
  return { kind: "ok", value: `${divideUp(amount, divisor)}` };
}

/** What every kind of reference can show. */
function metadataField(pod: Pod, fieldPath: string): string | undefined {
  const { name, namespace, uid, labels, annotations } = pod.metadata;
  const [, map, key] = SUBSCRIPTED.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) {
    const entries = (map === "labels" ? labels : annotations) ?? {};
    return Object.hasOwn(entries, key) ? entries[key] ?? "" : "";
  }
  return new Map([
    ["metadata.name", name],
    ["metadata.namespace", namespace],
    ["metadata.uid", uid],
  ]).get(fieldPath);
}

/** The pod's addresses, those of the node's primary family first. */
function nodeFamilyFirst(facts: AddressFacts): readonly string[] {
  const [primary] = facts.hostIps;
  if (primary === undefined) return facts.podIps;
  const six = primary.includes(":");
  const first = facts.podIps.filter((ip) => ip.includes(":") === six);
  return [...first, ...facts.podIps.filter((ip) => !first.includes(ip))];
}

function mapLines(map: Readonly<Record<string, string>> = {}): string {
  return Object.keys(map).sort()
    .map((key) => `${key}=${goQuote(map[key] ?? "")}`)
    .join("\n");
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map(
  Array.from('"\\\x07\b\f\n\r\t\v', (raw, i) => [raw, `\\${'"\\abfnrtv'[i]}`]),
);

/** A text as Go writes it in source: what prints stays, the rest is escaped (strconv.Quote). */
function goQuote(text: string): string {
  const inner = text.toWellFormed().replaceAll(
    /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu,
    (character) => NAMED_ESCAPES.get(character) ?? goEscape(character),
  );
  return `"${inner}"`;
}

function goEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  if (code < 0x20 || code === 0x7f) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** The resources for which a missing limit means all that there is. */
const DEFAULTED_LIMITS: readonly string[] = [
  "cpu",
  "memory",
  "ephemeral-storage",
];

function defaultLimit(
  pod: Pod,
  resource: string,
  allocatable: ReadonlyMap<string, Quantity>,
): bigint {
  if (!DEFAULTED_LIMITS.includes(resource)) return 0n;
  const ofPod = pod.spec.resources?.limits;
  if (ofPod?.[resource] !== undefined) return resourceAmount(ofPod, resource);
  return wholeAmount(resource, allocatable.get(resource) ?? ZERO_QUANTITY);
}

function divideUp(amount: bigint, divisor: bigint): bigint {
  return (amount + divisor - 1n) / divisor;
}
