/**
 * Checks what a Job makes of pods that failed, and when it has succeeded
 * (pkg/apis/batch/validation).
 *
 * @module
 */

import { type Place, showValue } from "../fault/mod.ts";
import type { JobTemplate } from "../workload/mod.ts";
import {
  checkFields,
  each,
  type FieldChecks,
  oneOf,
  range,
  required,
  shape,
} from "./checks.ts";
import { qualifiedNameProblem } from "./names.ts";
import { containerNamesOf } from "./pod_index.ts";

type JobRules = JobTemplate["spec"];
type FailureRules = NonNullable<JobRules["podFailurePolicy"]>;
type FailureRule = FailureRules["rules"][number];
type ExitCodes = NonNullable<FailureRule["onExitCodes"]>;
type SuccessPolicy = NonNullable<JobRules["successPolicy"]>;
type SuccessRule = SuccessPolicy["rules"][number];

const MAX_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_EXIT_CODES = 255;
const MAX_INDEX_TEXT = 64 * 1024;

/** Reports what is wrong with how failures of pods count. */
export function checkFailurePolicy(
  policy: FailureRules | undefined,
  at: Place,
  spec: JobRules,
): void {
  if (policy === undefined) return;
  const rulesAt = at.child("rules");
  each<FailureRule>(
    (rule, at) => checkFailureRule(rule, at, spec),
    { max: MAX_RULES, what: "rules" },
  )(policy.rules, rulesAt);
}

const ACTIONS = ["Count", "FailIndex", "FailJob", "Ignore"];

function checkFailureRule(rule: FailureRule, at: Place, spec: JobRules): void {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const actionAt = at.child("action");
  required(oneOf(...ACTIONS))(action, actionAt);
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    actionAt.invalid(action, "requires `backoffLimitPerIndex` to be set");
  }
  if (onExitCodes !== undefined) {
    checkExitCodes(onExitCodes, at.child("onExitCodes"), spec);
  }
  each<(typeof onPodConditions)[number]>(
    ({ type, status }, at) => {
      required(shape(qualifiedNameProblem))(type, at.child("type"));
      oneOf("True", "False", "Unknown")(status, at.child("status"));
    },
    { max: MAX_PATTERNS, what: "conditions" },
  )(onPodConditions, at.child("onPodConditions"));
  const count = Number(onExitCodes !== undefined) +
    Number(onPodConditions.length > 0);
  if (count === 1) return;
  at.invalid(
    rule,
    count === 0
      ? "specifying one of `onExitCodes` and `onPodConditions` is required"
      : "specifying both `onExitCodes` and `onPodConditions` is not supported",
  );
}

function checkExitCodes(codes: ExitCodes, at: Place, spec: JobRules): void {
  const { containerName, operator, values = [] } = codes;
  required(oneOf("In", "NotIn"))(operator, at.child("operator"));
  const names = containerNamesOf(spec.template.spec);
  if (containerName !== undefined && !names.has(containerName)) {
    at.child("containerName").invalid(
      containerName,
      "must be one of the container or initContainer names in the pod template",
    );
  }
  const valuesAt = at.child("values");
  if (values.length === 0) {
    return valuesAt.invalid(values, "at least one value is required");
  }
  if (values.length > MAX_EXIT_CODES) {
    return valuesAt.tooLong(`must have at most ${MAX_EXIT_CODES} items`);
  }
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    const place = valuesAt.index(i);
    if (seen.has(value)) place.duplicate(value);
    else if (operator === "In" && value === 0) {
      place.invalid(value, "must not be 0 for the In operator");
    }
    seen.add(value);
  }
  if (values.some((value, i) => value < (values[i - 1] ?? -Infinity))) {
    valuesAt.invalid(values, "must be ordered");
  }
}

/** Reports what is wrong with when a Job has succeeded. */
export function checkSuccessPolicy(
  policy: SuccessPolicy | undefined,
  at: Place,
  spec: JobRules,
): void {
  if (policy === undefined) return;
  if (spec.completionMode !== "Indexed") {
    return at.invalid(policy, "requires `completionMode` Indexed");
  }
  const rulesAt = at.child("rules");
  const { rules = [] } = policy;
  if (rules.length === 0) {
    return rulesAt.required(
      "at least one rule must be specified when `successPolicy` is",
    );
  }
  each<SuccessRule>(
    (rule, at) => checkSuccessRule(rule, at, spec.completions ?? 0),
    { max: MAX_RULES, what: "rules" },
  )(rules, rulesAt);
}

function checkSuccessRule(
  rule: SuccessRule,
  at: Place,
  completions: number,
): void {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return at.required(
      "at least one of `succeededCount` or `succeededIndexes` must be specified",
    );
  }
  const indexesAt = at.child("succeededIndexes");
  let total = completions;
  if (succeededIndexes !== undefined) {
    const counted = countIndexes(succeededIndexes, completions);
    if (counted.kind === "counted") total = counted.count;
    else indexesAt.invalid(succeededIndexes, counted.problem);
  }
  const counts: FieldChecks<SuccessRule> = { succeededCount: range(0, total) };
  checkFields(rule, at, counts);
}

type IndexCount =
  | { readonly kind: "counted"; readonly count: number }
  | { readonly kind: "faulty"; readonly problem: string };

/** Reads `1,3-5`, in which every index is higher than that before it. */
function countIndexes(text: string, completions: number): IndexCount {
  const faulty = (problem: string) => ({ kind: "faulty", problem }) as const;
  if (text.length > MAX_INDEX_TEXT) {
    return faulty(`must be no more than ${MAX_INDEX_TEXT} characters`);
  }
  let count = 0;
  let before = -1;
  for (const part of text === "" ? [] : text.split(",")) {
    const ends = part.split("-");
    if (ends.length > 2) {
      return faulty(
        `${showValue(part)} must have at most two parts separated by '-'`,
      );
    }
    if (!ends.every((end) => /^\d{1,10}$/.test(end))) {
      return faulty(`${showValue(part)} must be an index or two`);
    }
    const [from = 0, to = from] = ends.map(Number);
    if (from <= before || to < from) {
      return faulty(`${showValue(part)} must be higher than what is before it`);
    }
    if (to >= completions) {
      return faulty(
        `${showValue(part)} must be less than the ${completions} completions`,
      );
    }
    count += to - from + 1;
    before = to;
  }
  return { kind: "counted", count };
}
