/**
 * Whether a node is one that a pod wants to run on.
 *
 * @module
 */

import type { Pod, PodSpec } from "../../api/types/mod.ts";

/** What of a node a pod may ask for. */
export interface LabelledNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

type Terms = NonNullable<
  NonNullable<
    NonNullable<PodSpec["affinity"]>["nodeAffinity"]
  >["requiredDuringSchedulingIgnoredDuringExecution"]
>["nodeSelectorTerms"];
type Term = Terms[number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];

/**
 * Whether the node satisfies the pod's node selector and its required node affinity;
 * what is only preferred does not count.
 *
 * Upstream: component-helpers nodeaffinity.GetRequiredNodeAffinity.
 */
export function matchesNode(
  pod: Pick<Pod, "spec">,
  node: LabelledNode,
): boolean {
  const wanted = Object.entries(pod.spec.nodeSelector ?? {});
  if (!wanted.every(([key, value]) => labelOf(node, key) === value)) {
    return false;
  }
  const required = pod.spec.affinity?.nodeAffinity
    ?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return matchesTerms(required.nodeSelectorTerms, node);
}

/** Whether the node satisfies one of the terms; without any no node does. */
export function matchesTerms(terms: Terms, node: LabelledNode): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

function matchesTerm(term: Term, node: LabelledNode): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  // A term that asks for nothing selects nothing.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return matchExpressions.every((each) =>
    matchesLabel(each, labelOf(node, each.key))
  ) && matchFields.every((each) => matchesField(each, node));
}

function matchesLabel(
  { operator, values = [] }: Requirement,
  found: string | undefined,
): boolean {
  switch (operator) {
    case "In":
      return found !== undefined && values.includes(found);
    case "NotIn":
      return found === undefined || !values.includes(found);
    case "Exists":
      return found !== undefined;
    case "DoesNotExist":
      return found === undefined;
    case "Gt":
    case "Lt":
      return compares(operator, found, values);
    default:
      return false;
  }
}

/** A node has one field to be selected by: its name. */
function matchesField(
  { key, operator, values = [] }: Requirement,
  node: LabelledNode,
): boolean {
  if (key !== "metadata.name" || values.length !== 1) return false;
  const isNamed = values[0] === node.name;
  return operator === "In" ? isNamed : operator === "NotIn" && !isNamed;
}

function compares(
  operator: "Gt" | "Lt",
  found: string | undefined,
  values: readonly string[],
): boolean {
  const [limit, ...more] = values.map(integer);
  const value = found === undefined ? undefined : integer(found);
  if (value === undefined || limit === undefined || more.length > 0) {
    return false;
  }
  return operator === "Gt" ? value > limit : value < limit;
}

/** As strconv.ParseInt reads 64 bits in base 10. */
function integer(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,64}$/.test(text)) return undefined;
  // BigInt knows no leading "+".
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function labelOf(node: LabelledNode, key: string): string | undefined {
  return Object.hasOwn(node.labels, key) ? node.labels[key] : undefined;
}
