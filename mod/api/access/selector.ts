/**
 * Which labels a selector means.
 *
 * @module
 */

import type { LabelSelector } from "../workload/mod.ts";

type LabelValues = Readonly<Record<string, string>>;

/**
 * Whether labels are meant by a selector. One without any requirement means all; an
 * absent one, none (upstream's LabelSelectorAsSelector).
 *
 * An operator that is not known matches nothing.
 */
export function matchesLabels(
  selector: LabelSelector | undefined,
  labels: LabelValues | undefined,
): boolean {
  if (selector === undefined) return false;
  const has = labels ?? {};
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.entries(matchLabels).every(([key, value]) =>
    valueOf(has, key) === value
  ) && matchExpressions.every((each) => matchesExpression(each, has));
}

function matchesExpression(
  { key, operator, values = [] }: NonNullable<
    LabelSelector["matchExpressions"]
  >[number],
  labels: LabelValues,
): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function valueOf(labels: LabelValues, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
