/**
 * Checks where a pod wants to run: node selector, affinity, tolerations, spread.
 *
 * @module
 */

import {
  type Check,
  checkFields,
  defaulting,
  each,
  type FieldChecks,
  fields,
  oneOf,
  own,
  range,
  required,
  shape,
  Uniques,
  unlessEmpty,
} from "./checks.ts";
import {
  labelProblem,
  labelValueProblem,
  qualifiedNameProblem,
  subdomainProblem,
} from "./names.ts";
import { matchesLabels } from "../access/mod.ts";
import type { Place } from "../fault/mod.ts";
import type { PodSpec } from "../types/mod.ts";
import type { LabelSelector, PodTemplate } from "../workload/mod.ts";
import { validateLabels } from "./validate_metadata.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

type Affinity = NonNullable<PodSpec["affinity"]>;
type NodeAffinity = NonNullable<Affinity["nodeAffinity"]>;
type NodeTerm = NonNullable<
  NodeAffinity[typeof REQUIRED]
>["nodeSelectorTerms"][number];
type PodRules = NonNullable<Affinity["podAffinity"]>;
type PodTerm = NonNullable<PodRules[typeof REQUIRED]>[number];
type TermSelector = NonNullable<PodTerm["labelSelector"]>;
/** Which taints of a node a pod puts up with. */
export type Toleration = NonNullable<PodSpec["tolerations"]>[number];
type Spread = NonNullable<PodSpec["topologySpreadConstraints"]>[number];

/** Reports what is wrong with where a pod wants to run. */
export function validateScheduling(spec: PodSpec, at: Place): void {
  checkFields(spec, at, SCHEDULING);
}

const WEIGHT = defaulting(0, range(1, 100));
const QUALIFIED = required(shape(qualifiedNameProblem));
const LABEL_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"];

const NODE_TERM = fields<NodeTerm>({
  matchExpressions: each(fields({
    operator: defaulting("", oneOf(...LABEL_OPERATORS, "Gt", "Lt")),
    key: QUALIFIED,
    values: (values, at, term) => {
      checkCount(values, at, term);
      const { operator } = term;
      if (operator !== "In" && operator !== "NotIn") return;
      each(shape(labelValueProblem))(values, at);
    },
  })),
  matchFields: each(fields({
    key: defaulting("", oneOf("metadata.name")),
    operator: defaulting("", oneOf("In", "NotIn")),
    values: (values, at) => {
      if (values?.length !== 1) {
        at.required("must be one value when `matchFields` is used");
      }
      each(shape(subdomainProblem))(values, at);
    },
  })),
});

const NODE_RULES = fields<NodeAffinity>({
  [REQUIRED]: fields({
    nodeSelectorTerms: (terms, at) => {
      if (!terms?.length) {
        at.required("must have at least one node selector term");
      }
      each(NODE_TERM)(terms, at);
    },
  }),
  [PREFERRED]: each(fields({ weight: WEIGHT, preference: NODE_TERM })),
});

/** Reports a number of values that an operator cannot have. */
function checkCount(
  values: readonly string[] | undefined,
  at: Place,
  { operator }: { readonly operator?: string },
): void {
  const length = values?.length ?? 0;
  switch (operator) {
    case "In":
    case "NotIn":
      if (length > 0) return;
      return at.required("must be set when `operator` is In or NotIn");
    case "Exists":
    case "DoesNotExist":
      if (length === 0) return;
      return at.forbidden(
        "may not be set when `operator` is Exists or DoesNotExist",
      );
    case "Gt":
    case "Lt":
      if (length === 1) return;
      return at.required("must be one integer when `operator` is Gt or Lt");
  }
}

/** What a selector of labels may be; absent is right. */
const LABEL_SELECTOR: Check<TermSelector | undefined> = fields<
  TermSelector
>({
  matchLabels: validateLabels,
  matchExpressions: each(fields({
    key: QUALIFIED,
    operator: defaulting("", oneOf(...LABEL_OPERATORS)),
    values: checkCount,
  })),
});

const POD_TERM = fields<PodTerm>({
  topologyKey: QUALIFIED,
  labelSelector: LABEL_SELECTOR,
  namespaceSelector: LABEL_SELECTOR,
  namespaces: each(shape(labelProblem)),
  matchLabelKeys: (keys, at, term) => {
    checkLabelKeys(keys, at, term);
    each<string>((key, at) => {
      if (term.mismatchLabelKeys?.includes(key) !== true) return;
      at.invalid(key, "stands in `mismatchLabelKeys` as well");
    })(keys, at);
  },
  mismatchLabelKeys: checkLabelKeys,
});

const POD_RULES = fields<PodRules>({
  [REQUIRED]: each(POD_TERM),
  [PREFERRED]: each(fields({
    weight: WEIGHT,
    podAffinityTerm: (term, at) => {
      if (term === undefined) at.required();
      POD_TERM(term, at);
    },
  })),
});

/** Checks what fills a label selector with the values of the pod's own labels. */
function checkLabelKeys(
  keys: readonly string[] | undefined,
  at: Place,
  { labelSelector }: { readonly labelSelector?: TermSelector },
): void {
  if (!keys?.length) return;
  if (labelSelector === undefined) {
    at.forbidden("must not be specified when `labelSelector` is not set");
  }
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const taken = new Set([
    ...Object.keys(matchLabels),
    ...matchExpressions.map(({ key }) => key),
  ]);
  each<string>((key, at) => {
    shape(qualifiedNameProblem)(key, at);
    if (taken.has(key)) at.invalid(key, "stands in `labelSelector` as well");
  })(keys, at);
}

const TOLERATION_OPERATOR = oneOf("", "Equal", "Exists", "Lt", "Gt");
const LABEL_VALUE = shape(labelValueProblem);
const EFFECT = oneOf("", "NoSchedule", "PreferNoSchedule", "NoExecute");

const TOLERATION = fields<Toleration>({
  key: unlessEmpty(shape(qualifiedNameProblem)),
  operator: (operator, at, { key }) => {
    if (!key && operator !== "Exists") {
      at.invalid(operator ?? "", "must be Exists when `key` is empty");
    }
    TOLERATION_OPERATOR(operator, at);
  },
  value: (value, at, { operator }) => {
    if (operator !== "Exists") LABEL_VALUE(value, at);
    else if (value) {
      at.invalid(value, "must be empty when `operator` is Exists");
    }
  },
  effect: (effect, at, { tolerationSeconds }) => {
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      at.invalid(
        effect ?? "",
        "must be NoExecute when `tolerationSeconds` is set",
      );
    }
    EFFECT(effect, at);
  },
});

const SPREAD = fields<Spread>({
  maxSkew: defaulting(0, range(1)),
  minDomains: (count, at, { whenUnsatisfiable }) => {
    range(1)(count, at);
    if (count === undefined || whenUnsatisfiable === "DoNotSchedule") return;
    at.invalid(
      count,
      "can only be set when `whenUnsatisfiable` is DoNotSchedule",
    );
  },
  topologyKey: QUALIFIED,
  whenUnsatisfiable: required(oneOf("DoNotSchedule", "ScheduleAnyway")),
  nodeAffinityPolicy: oneOf("Honor", "Ignore"),
  nodeTaintsPolicy: oneOf("Honor", "Ignore"),
  labelSelector: LABEL_SELECTOR,
  matchLabelKeys: checkLabelKeys,
});

const SCHEDULING: FieldChecks<PodSpec> = {
  nodeSelector: validateLabels,
  affinity: fields({
    nodeAffinity: NODE_RULES,
    podAffinity: POD_RULES,
    podAntiAffinity: POD_RULES,
  }),
  tolerations: each(TOLERATION),
  topologySpreadConstraints: (constraints, at) => {
    const spreads = new Uniques();
    each<Spread>((one, at) => {
      SPREAD(one, at);
      spreads.check(`{${one.topologyKey}, ${one.whenUnsatisfiable}}`, at);
    })(constraints, at);
  },
};

const VALUES = each(LABEL_VALUE);

/**
 * Reports what is wrong with the selector of a workload, values of expressions included,
 * and labels of its pods that it does not mean.
 *
 * @param workload.given the labels that its controller writes itself, whatever the template
 * says
 */
export function validateSelected(
  { selector, template, given = [] }: {
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly given?: readonly string[];
  },
  at: Place,
): void {
  const selectorAt = at.child("selector");
  LABEL_SELECTOR(selector, selectorAt);
  const expressionsAt = selectorAt.child("matchExpressions");
  const expressions = selector.matchExpressions ?? [];
  // What is made would not be meant, and would be let go of and made again without end.
  for (const key of given) {
    const value = own(selector.matchLabels, key);
    const labelAt = selectorAt.child("matchLabels").key(key);
    if (value !== undefined) labelAt.invalid(value, GIVEN);
  }
  for (const [i, { key, values }] of expressions.entries()) {
    const expressionAt = expressionsAt.index(i);
    VALUES(values, expressionAt.child("values"));
    if (given.includes(key)) expressionAt.child("key").invalid(key, GIVEN);
  }
  const { labels = {} } = template.metadata ?? {};
  if (matchesLabels(selector, labels)) return;
  at.child("template").child("metadata").child("labels").invalid(
    labels,
    "`selector` does not match template `labels`",
  );
}

const GIVEN =
  "the controller gives this label a value of its own; leave it out of `selector`";
