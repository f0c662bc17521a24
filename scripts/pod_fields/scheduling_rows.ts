/**
 * Rows of what says where a pod wants to run.
 *
 * @module
 */

import {
  done,
  type Draft,
  notApplicable,
  pod,
  refused,
  type TypeRows,
} from "./row.ts";

const NO_SCHEDULER =
  "a scheduler's business; a pod from a file is on its node already";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const FAR = { key: "zone", operator: "In", values: ["far"] };
const TERM = { matchExpressions: [FAR] };
const SELECTOR = {
  matchLabels: { app: "web" },
  matchExpressions: [{ key: "tier", operator: "In", values: ["x"] }],
};
const POD_TERM = {
  topologyKey: "zone",
  labelSelector: SELECTOR,
  matchLabelKeys: ["a"],
  mismatchLabelKeys: ["b"],
  namespaceSelector: {},
  namespaces: ["shop"],
};
const SPREAD = {
  maxSkew: 1,
  topologyKey: "zone",
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: SELECTOR,
  matchLabelKeys: ["a"],
  minDomains: 1,
  nodeAffinityPolicy: "Honor",
  nodeTaintsPolicy: "Honor",
};

const node = (term: Draft): Draft =>
  pod({
    affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [term] } } },
  });
const preferred = pod({
  affinity: {
    nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: TERM }] },
  },
});
const together = pod({
  affinity: {
    podAffinity: {
      [REQUIRED]: [POD_TERM],
      [PREFERRED]: [{ weight: 1, podAffinityTerm: POD_TERM }],
    },
  },
});
const apart = pod({
  affinity: {
    podAntiAffinity: {
      [REQUIRED]: [POD_TERM],
      [PREFERRED]: [{ weight: 1, podAffinityTerm: POD_TERM }],
    },
  },
});
const spread = pod({ topologySpreadConstraints: [SPREAD] });
const tolerate = pod({
  tolerations: [{
    key: "k",
    operator: "Equal",
    value: "v",
    effect: "NoExecute",
    tolerationSeconds: 3,
  }],
});

/** A field that only a scheduler reads. */
function scheduler(example: Draft, ...instead: readonly unknown[]) {
  return notApplicable(NO_SCHEDULER, example, ...instead);
}

/** A part of a toleration. */
function taint(...instead: readonly unknown[]) {
  return notApplicable("the node has no taints", tolerate, ...instead);
}

/** Affinity, spread, tolerations and gates. */
export const SCHEDULING_PARTS: Readonly<Record<string, TypeRows>> = {
  Affinity: {
    nodeAffinity: done("admission", "the required one", node(TERM)),
    podAffinity: scheduler(together),
    podAntiAffinity: scheduler(apart),
  },
  NodeAffinity: {
    [PREFERRED]: scheduler(preferred),
    [REQUIRED]: done("admission", "", node(TERM)),
  },
  PreferredSchedulingTerm: {
    preference: scheduler(preferred, {}),
    weight: scheduler(preferred, 2),
  },
  NodeSelector: {
    nodeSelectorTerms: done("admission", "", node(TERM), [{
      matchExpressions: [{ ...FAR, operator: "NotIn" }],
    }]),
  },
  NodeSelectorTerm: {
    matchExpressions: done("admission", "", node(TERM), [
      { ...FAR, operator: "NotIn" },
    ]),
    matchFields: done(
      "admission",
      "`metadata.name`",
      node({
        matchFields: [{
          key: "metadata.name",
          operator: "In",
          values: ["far"],
        }],
      }),
      [{ key: "metadata.name", operator: "NotIn", values: ["far"] }],
    ),
  },
  NodeSelectorRequirement: {
    key: done(
      "admission",
      "",
      node({ matchExpressions: [{ key: "zone", operator: "Exists" }] }),
      "rack",
    ),
    operator: done("admission", "", node(TERM), "NotIn"),
    values: done("admission", "", node(TERM), ["near"]),
  },
  PodAffinity: {
    [PREFERRED]: scheduler(together),
    [REQUIRED]: scheduler(together),
  },
  PodAntiAffinity: {
    [PREFERRED]: scheduler(apart),
    [REQUIRED]: scheduler(apart),
  },
  WeightedPodAffinityTerm: {
    podAffinityTerm: scheduler(together, { topologyKey: "rack" }),
    weight: scheduler(together, 2),
  },
  PodAffinityTerm: {
    labelSelector: scheduler(together, {}),
    matchLabelKeys: scheduler(together),
    mismatchLabelKeys: scheduler(together),
    namespaceSelector: scheduler(together),
    namespaces: scheduler(together),
    topologyKey: scheduler(together, "rack"),
  },
  TopologySpreadConstraint: {
    labelSelector: scheduler(spread, {}),
    matchLabelKeys: scheduler(spread),
    maxSkew: scheduler(spread, 2),
    minDomains: scheduler(spread),
    nodeAffinityPolicy: scheduler(spread),
    nodeTaintsPolicy: scheduler(spread),
    topologyKey: scheduler(spread, "rack"),
    whenUnsatisfiable: scheduler(
      pod({
        topologySpreadConstraints: [{
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
        }],
      }),
      "ScheduleAnyway",
    ),
  },
  LabelSelector: {
    matchExpressions: scheduler(spread),
    matchLabels: scheduler(spread),
  },
  LabelSelectorRequirement: {
    key: scheduler(spread, "other"),
    operator: scheduler(spread, "NotIn"),
    values: scheduler(spread, ["y"]),
  },
  Toleration: {
    effect: notApplicable(
      "the node has no taints",
      pod({
        tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
      }),
    ),
    key: taint("l"),
    operator: taint("Equal"),
    tolerationSeconds: taint(),
    value: taint(),
  },
  PodSchedulingGate: {
    name: refused(
      "Forbidden: a pod from a file is on its node already; nothing would clear the gates",
      pod({ schedulingGates: [{ name: "example.com/g" }] }),
    ),
  },
  PodSchedulingGroup: {
    podGroupName: scheduler(pod({ schedulingGroup: { podGroupName: "g" } })),
  },
};
