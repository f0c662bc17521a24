/**
 * What is wrong with which pods are whose, by TestValidateReplicationController,
 * TestValidateReplicaSet and the same parts of the other tests of upstream.
 *
 * @module
 */

import {
  testWorkloads,
  type WorkloadRow,
} from "../../../support/api/workload_rows.ts";

const MISMATCH =
  "spec.template.metadata.labels: Invalid value: an object: `selector` does not match template `labels`";

for (
  const kind of [
    "ReplicaSet",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
  ] as const
) {
  const rows: readonly WorkloadRow[] = [
    ["nothing special", {}],
    ["no name", { metadata: { name: "" } }, "metadata.name: Required value"],
    [
      "a name that is none",
      { metadata: { name: "a_b" } },
      `metadata.name: Invalid value: "a_b": must consist of lower case letters, digits, '-' and '.', and start and end with a letter or digit (RFC 1123 subdomain, such as 'example.com')`,
    ],
    [
      "no selector",
      { spec: { selector: null } },
      "spec.selector: Required value",
    ],
    [
      "an empty selector",
      { spec: { selector: {} } },
      `spec.selector: Invalid value: an object: empty selector is invalid for a ${kind}`,
    ],
    [
      "a selector of empty lists",
      { spec: { selector: { matchLabels: {}, matchExpressions: [] } } },
      `spec.selector: Invalid value: an object: empty selector is invalid for a ${kind}`,
    ],
    [
      "a selector that does not match",
      { spec: { selector: { matchLabels: { app: "db" } } } },
      MISMATCH,
    ],
    ["pods without labels", { labels: {} }, MISMATCH],
    [
      "an expression that matches",
      {
        spec: {
          selector: {
            matchExpressions: [{
              key: "app",
              operator: "In",
              values: ["db", "web"],
            }],
          },
        },
      },
    ],
    [
      "an operator that is none",
      {
        spec: {
          selector: {
            matchLabels: { app: "web" },
            matchExpressions: [{ key: "app", operator: "Is" }],
          },
        },
      },
      'spec.selector.matchExpressions[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
      MISMATCH,
    ],
    [
      "a value that no label has",
      {
        spec: {
          selector: {
            matchExpressions: [{
              key: "app",
              operator: "In",
              values: ["web", "a b"],
            }],
          },
        },
      },
      `spec.selector.matchExpressions[0].values[1]: Invalid value: "a b": must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit`,
    ],
    [
      "labels that are none",
      { metadata: { labels: { "no good": "v" } } },
      `metadata.labels[no good]: Invalid value: "no good": the name must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit (such as 'MyName' or 'example.com/my.name')`,
    ],
    [
      "a label of its pods that is none",
      { labels: { app: "web", other: "-" } },
      `spec.template.metadata.labels[other]: Invalid value: "-": must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit`,
    ],
    [
      "pods that are not started again",
      { pod: { restartPolicy: "OnFailure" } },
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
    ],
    [
      "pods that never are",
      { pod: { restartPolicy: "Never" } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      "a deadline of its pods",
      { pod: { activeDeadlineSeconds: 60 } },
      `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in a ${kind} is not supported`,
    ],
    [
      "ephemeral containers",
      { pod: { ephemeralContainers: [{ name: "e", image: "i" }] } },
      "spec.template.spec.ephemeralContainers: Forbidden: cannot be set when a pod is created",
    ],
    [
      "no container",
      { pod: { containers: [] } },
      "spec.template.spec.containers: Required value",
    ],
    [
      "too few ready seconds",
      { spec: { minReadySeconds: -1 } },
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
    ],
    ["no second to be ready", { spec: { minReadySeconds: 0 } }],
  ];
  testWorkloads(kind, rows);
  if (kind !== "DaemonSet") {
    testWorkloads(kind, [
      [
        "less than no replica",
        { spec: { replicas: -1 } },
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      ],
      ["no replica", { spec: { replicas: 0 } }],
    ]);
  }
}

testWorkloads("ReplicationController", [
  ["nothing special", {}],
  ["no selector", { spec: { selector: null } }],
  ["an empty selector", { spec: { selector: {} } }],
  [
    "a selector that does not match",
    { spec: { selector: { app: "db" } } },
    MISMATCH,
  ],
  [
    "neither a selector nor labels",
    { spec: { selector: null }, labels: {} },
    "spec.selector: Invalid value: an object: empty selector is invalid for a ReplicationController",
  ],
  [
    "no template",
    { spec: { template: null } },
    "spec.template: Required value",
    MISMATCH,
    "spec.template.spec.containers: Required value",
  ],
  [
    "less than no replica",
    { spec: { replicas: -1 } },
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  ],
  [
    "too few ready seconds",
    { spec: { minReadySeconds: -1 } },
    "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
  ],
  [
    "pods that are not started again",
    { pod: { restartPolicy: "OnFailure" } },
    'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
  ],
  [
    "a deadline of its pods",
    { pod: { activeDeadlineSeconds: 60 } },
    "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in a ReplicationController is not supported",
  ],
]);

/** A selector that means one of these lets go of what its own controller makes. */
const GIVEN = [
  ["Deployment", "pod-template-hash"],
  ["DaemonSet", "controller-revision-hash"],
  ["StatefulSet", "controller-revision-hash"],
  ["StatefulSet", "controller.kubernetes.io/hash"],
  ["StatefulSet", "apps.kubernetes.io/pod-index"],
  ["StatefulSet", "statefulset.kubernetes.io/pod-name"],
] as const;

for (const [kind, key] of GIVEN) {
  const labels = { app: "web", [key]: "x" };
  const words =
    "the controller gives this label a value of its own; leave it out of `selector`";
  testWorkloads(kind, [
    [`the label ${key} in its template`, { labels }],
    [
      `the label ${key} in its selector`,
      { labels, spec: { selector: { matchLabels: labels } } },
      `spec.selector.matchLabels[${key}]: Invalid value: "x": ${words}`,
    ],
    [
      `the label ${key} in an expression`,
      {
        spec: {
          selector: {
            matchLabels: { app: "web" },
            matchExpressions: [{ key, operator: "DoesNotExist" }],
          },
        },
      },
      `spec.selector.matchExpressions[0].key: Invalid value: "${key}": ${words}`,
    ],
  ]);
}

testWorkloads("ReplicaSet", [
  [
    "the label of a Deployment in its selector, as one that was exported has it",
    {
      labels: { "pod-template-hash": "x" },
      spec: { selector: { matchLabels: { "pod-template-hash": "x" } } },
    },
  ],
]);
