/**
 * Checks where a pod wants to run: node selector, affinity, tolerations, spread.
 *
 * @module
 */

import {
  checkEnum,
  checkRange,
  checkShape,
  requireShape,
  requireText,
  Uniques,
} from "./checks.ts";
import {
  labelProblem,
  labelValueProblem,
  type Problem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import type { Place } from "../fault/mod.ts";
import type { PodSpec } from "../types/mod.ts";
import { validateLabels } from "./validate_metadata.ts";

type Affinity = NonNullable<PodSpec["affinity"]>;
type NodeTerm = NonNullable<
  NonNullable<Affinity["nodeAffinity"]>[
    "requiredDuringSchedulingIgnoredDuringExecution"
  ]
>["nodeSelectorTerms"][number];
type NodeRequirement = NonNullable<NodeTerm["matchExpressions"]>[number];
type PodTerm = NonNullable<
  NonNullable<Affinity["podAffinity"]>[
    "requiredDuringSchedulingIgnoredDuringExecution"
  ]
>[number];
type LabelSelector = NonNullable<PodTerm["labelSelector"]>;
type Toleration = NonNullable<PodSpec["tolerations"]>[number];
type Spread = NonNullable<PodSpec["topologySpreadConstraints"]>[number];

const WEIGHT = { min: 1, max: 100 };

/** Reports what is wrong with where a pod wants to run. */
export function validateScheduling(spec: PodSpec, at: Place): void {
  validateLabels(spec.nodeSelector ?? {}, at.child("nodeSelector"));
  validateAffinity(spec.affinity ?? {}, at.child("affinity"));
  for (const [i, toleration] of (spec.tolerations ?? []).entries()) {
    validateToleration(toleration, at.child("tolerations").index(i));
  }
  const spreads = new Uniques();
  for (const [i, one] of (spec.topologySpreadConstraints ?? []).entries()) {
    const place = at.child("topologySpreadConstraints").index(i);
    validateSpread(one, place);
    spreads.check(`{${one.topologyKey}, ${one.whenUnsatisfiable}}`, place);
  }
}

function validateAffinity(affinity: Affinity, at: Place): void {
  const { nodeAffinity = {} } = affinity;
  const nodeAt = at.child("nodeAffinity");
  const required = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined) {
    const place = nodeAt.child(REQUIRED).child("nodeSelectorTerms");
    const { nodeSelectorTerms: terms = [] } = required;
    if (terms.length === 0) {
      place.required("must have at least one node selector term");
    }
    for (const [i, term] of terms.entries()) {
      validateNodeTerm(term, place.index(i));
    }
  }
  const preferred =
    nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const [i, { preference, weight }] of preferred.entries()) {
    const place = nodeAt.child(PREFERRED).index(i);
    checkRange(weight ?? 0, WEIGHT, place.child("weight"));
    validateNodeTerm(preference ?? {}, place.child("preference"));
  }
  for (const name of ["podAffinity", "podAntiAffinity"] as const) {
    const rules = affinity[name];
    if (rules !== undefined) validatePodRules(rules, at.child(name));
  }
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

function validateNodeTerm(term: NodeTerm, at: Place): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    const place = at.child("matchExpressions").index(i);
    validateNodeRequirement(requirement, place);
    requireShape(requirement.key, qualifiedNameProblem, place.child("key"));
    if (requirement.operator === "In" || requirement.operator === "NotIn") {
      checkEach(requirement.values, labelValueProblem, place.child("values"));
    }
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    const place = at.child("matchFields").index(i);
    checkEnum(requirement.key ?? "", ["metadata.name"], place.child("key"));
    checkEnum(
      requirement.operator ?? "",
      ["In", "NotIn"],
      place.child("operator"),
    );
    if (requirement.values?.length !== 1) {
      place.child("values").required(
        "must be one value when `matchFields` is used",
      );
    }
    checkEach(requirement.values, subdomainProblem, place.child("values"));
  }
}

function validateNodeRequirement(
  requirement: NodeRequirement,
  at: Place,
): void {
  const { operator, values = [] } = requirement;
  const place = at.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        place.required("must be set when `operator` is In or NotIn");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        place.forbidden(
          "may not be set when `operator` is Exists or DoesNotExist",
        );
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        place.required("must be one integer when `operator` is Gt or Lt");
      }
      break;
    default:
      at.child("operator").unsupported(operator ?? "", [
        ...["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
      ]);
  }
}

function validatePodRules(
  rules: NonNullable<Affinity["podAffinity"]>,
  at: Place,
): void {
  const { [REQUIRED]: required = [], [PREFERRED]: preferred = [] } = rules;
  for (const [i, term] of required.entries()) {
    validatePodTerm(term, at.child(REQUIRED).index(i));
  }
  for (const [i, { podAffinityTerm, weight }] of preferred.entries()) {
    const place = at.child(PREFERRED).index(i);
    checkRange(weight ?? 0, WEIGHT, place.child("weight"));
    if (podAffinityTerm === undefined) {
      place.child("podAffinityTerm").required();
    } else validatePodTerm(podAffinityTerm, place.child("podAffinityTerm"));
  }
}

function checkEach(
  values: readonly string[] | undefined,
  problemOf: (text: string) => Problem,
  at: Place,
): void {
  for (const [i, value] of (values ?? []).entries()) {
    checkShape(value, problemOf, at.index(i));
  }
}

function validatePodTerm(term: PodTerm, at: Place): void {
  requireShape(term.topologyKey, qualifiedNameProblem, at.child("topologyKey"));
  validateSelector(term.labelSelector, at.child("labelSelector"));
  validateSelector(term.namespaceSelector, at.child("namespaceSelector"));
  for (const [i, name] of (term.namespaces ?? []).entries()) {
    checkShape(name, labelProblem, at.child("namespaces").index(i));
  }
  const { matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  validateLabelKeys(term, "matchLabelKeys", at);
  validateLabelKeys(term, "mismatchLabelKeys", at);
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    at.child("matchLabelKeys").index(i).invalid(
      key,
      "stands in `mismatchLabelKeys` as well",
    );
  }
}

/** What fills a label selector with the values of the pod's own labels. */
interface LabelKeys {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

function validateLabelKeys(
  term: LabelKeys,
  list: "matchLabelKeys" | "mismatchLabelKeys",
  at: Place,
): void {
  const keys = term[list] ?? [];
  if (keys.length === 0) return;
  const place = at.child(list);
  if (term.labelSelector === undefined) {
    place.forbidden("must not be specified when `labelSelector` is not set");
  }
  const { matchLabels = {}, matchExpressions = [] } = term.labelSelector ?? {};
  const taken = new Set([
    ...Object.keys(matchLabels),
    ...matchExpressions.map(({ key }) => key),
  ]);
  for (const [i, key] of keys.entries()) {
    checkShape(key, qualifiedNameProblem, place.index(i));
    if (taken.has(key)) {
      place.index(i).invalid(key, "stands in `labelSelector` as well");
    }
  }
}

function validateSelector(
  selector: LabelSelector | undefined,
  at: Place,
): void {
  if (selector === undefined) return;
  validateLabels(selector.matchLabels ?? {}, at.child("matchLabels"));
  for (const [i, one] of (selector.matchExpressions ?? []).entries()) {
    const place = at.child("matchExpressions").index(i);
    requireShape(one.key, qualifiedNameProblem, place.child("key"));
    const operators = ["In", "NotIn", "Exists", "DoesNotExist"];
    checkEnum(one.operator ?? "", operators, place.child("operator"));
    const { length } = one.values ?? [];
    const wantsValues = one.operator === "In" || one.operator === "NotIn";
    if (wantsValues && length === 0) {
      place.child("values").required(
        "must be set when `operator` is In or NotIn",
      );
    } else if (!wantsValues && length > 0) {
      place.child("values").forbidden(
        "may not be set when `operator` is Exists or DoesNotExist",
      );
    }
  }
}

function validateToleration(toleration: Toleration, at: Place): void {
  const { effect = "", key = "", operator = "", value = "" } = toleration;
  if (key !== "") checkShape(key, qualifiedNameProblem, at.child("key"));
  else if (operator !== "Exists") {
    at.child("operator").invalid(
      operator,
      "must be Exists when `key` is empty",
    );
  }
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
    at.child("effect").invalid(
      effect,
      "must be NoExecute when `tolerationSeconds` is set",
    );
  }
  checkEnum(
    operator,
    ["", "Equal", "Exists", "Lt", "Gt"],
    at.child("operator"),
  );
  if (operator === "Exists") {
    if (value !== "") {
      at.child("value").invalid(
        value,
        "must be empty when `operator` is Exists",
      );
    }
  } else checkShape(value, labelValueProblem, at.child("value"));
  checkEnum(
    effect,
    ["", "NoSchedule", "PreferNoSchedule", "NoExecute"],
    at.child("effect"),
  );
}

function validateSpread(spread: Spread, at: Place): void {
  checkRange(spread.maxSkew ?? 0, { min: 1 }, at.child("maxSkew"));
  checkRange(spread.minDomains, { min: 1 }, at.child("minDomains"));
  requireShape(
    spread.topologyKey,
    qualifiedNameProblem,
    at.child("topologyKey"),
  );
  const place = at.child("whenUnsatisfiable");
  requireText(spread.whenUnsatisfiable, place);
  if (spread.whenUnsatisfiable) {
    checkEnum(
      spread.whenUnsatisfiable,
      ["DoNotSchedule", "ScheduleAnyway"],
      place,
    );
  }
  if (
    spread.minDomains !== undefined &&
    spread.whenUnsatisfiable !== "DoNotSchedule"
  ) {
    at.child("minDomains").invalid(
      spread.minDomains,
      "can only be set when `whenUnsatisfiable` is DoNotSchedule",
    );
  }
  for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
    checkEnum(spread[name], ["Honor", "Ignore"], at.child(name));
  }
  validateSelector(spread.labelSelector, at.child("labelSelector"));
  validateLabelKeys(spread, "matchLabelKeys", at);
}
