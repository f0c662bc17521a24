/**
 * What is wrong with Jobs and CronJobs, by TestValidateJob and TestValidateCronJob of
 * upstream.
 *
 * @module
 */

import {
  testWorkloads,
  type WorkloadRow,
} from "../../../support/api/workload_rows.ts";

const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";
const selector = { matchLabels: { app: "web" } };
const indexed = (spec: object) => ({
  spec: { completionMode: "Indexed", completions: 5, ...spec },
});

const NUMBERS = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
] as const;

testWorkloads("Job", [
  ["nothing special", {}],
  ...NUMBERS.flatMap((field): readonly WorkloadRow[] => [
    [`${field} of zero`, { spec: { [field]: 0 } }],
    [
      `a negative ${field} (spec.${field}:must be greater than or equal to 0)`,
      { spec: { [field]: -1 } },
      `spec.${field}: ${NEGATIVE}`,
    ],
  ]),
  [
    "pods that are always started again (spec.template.spec.restartPolicy: Required value)",
    { pod: { restartPolicy: "Always" } },
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    "a restart policy that is none (spec.template.spec.restartPolicy: Unsupported value)",
    { pod: { restartPolicy: "Invalid" } },
    'spec.template.spec.restartPolicy: Unsupported value: "Invalid": supported values: "Always", "OnFailure", "Never"',
  ],
  ["pods that are started again", { pod: { restartPolicy: "OnFailure" } }],
  ["a deadline of its pods", { pod: { activeDeadlineSeconds: 5 } }],
  ["a selector of its own (valid manual selector)", {
    spec: { manualSelector: true, selector },
  }],
  [
    "a selector that is to be made (spec.selector: not auto-generated)",
    { spec: { selector } },
    "spec.selector: Invalid value: an object: `selector` will be auto-generated; leave it out, or set `manualSelector`",
  ],
  [
    "a manual selector that is missing (spec.selector:Required value)",
    { spec: { manualSelector: true } },
    "spec.selector: Required value: when `manualSelector` is true",
  ],
  [
    "a manual selector that does not match",
    {
      spec: { manualSelector: true, selector: { matchLabels: { app: "b" } } },
    },
    "spec.template.metadata.labels: Invalid value: an object: `selector` does not match template `labels`",
  ],
  [
    "a manual selector that means one index",
    {
      labels: { "batch.kubernetes.io/job-completion-index": "0" },
      spec: {
        manualSelector: true,
        completionMode: "Indexed",
        completions: 2,
        selector: {
          matchLabels: { "batch.kubernetes.io/job-completion-index": "0" },
        },
      },
    },
    'spec.selector.matchLabels[batch.kubernetes.io/job-completion-index]: Invalid value: "0": the controller gives this label a value of its own; leave it out of `selector`',
  ],
  [
    "a manual selector that means an index, of a Job that has none",
    {
      labels: { "batch.kubernetes.io/job-completion-index": "0" },
      spec: {
        manualSelector: true,
        selector: {
          matchLabels: { "batch.kubernetes.io/job-completion-index": "0" },
        },
      },
    },
  ],
  [
    "a manual selector that is none",
    {
      spec: {
        manualSelector: true,
        selector: {
          matchLabels: { app: "web" },
          matchExpressions: [{ key: "app", operator: "In" }],
        },
      },
    },
    "spec.selector.matchExpressions[0].values: Required value: must be set when `operator` is In or NotIn",
    "spec.template.metadata.labels: Invalid value: an object: `selector` does not match template `labels`",
  ],
  [
    "labels in the place of its own (controller-uid)",
    {
      labels: {
        "batch.kubernetes.io/controller-uid": "u",
        "controller-uid": "u",
        "batch.kubernetes.io/job-name": "other",
        "job-name": "web",
      },
    },
    `spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: Invalid value: "u": the Job's own UID comes here`,
    'spec.template.metadata.labels[batch.kubernetes.io/job-name]: Invalid value: "other": must be "web"',
    `spec.template.metadata.labels[controller-uid]: Invalid value: "u": the Job's own UID comes here`,
  ],
  ["such labels and a manual selector", {
    labels: { "controller-uid": "u", app: "web" },
    spec: { manualSelector: true, selector },
  }],
  ["a name of 63 letters", { metadata: { name: "a".repeat(63) } }],
  [
    "a name that no label can be",
    { metadata: { name: "a".repeat(64) } },
    "metadata.name: Too long: must be no more than 63 characters, since it is a label of its pods",
  ],
  ["such a name and a manual selector", {
    metadata: { name: "a".repeat(64) },
    spec: { manualSelector: true, selector },
  }],
  [
    "a mode that is none",
    { spec: { completionMode: "Sorted" } },
    'spec.completionMode: Unsupported value: "Sorted": supported values: "Indexed", "NonIndexed"',
  ],
  ["indexes", indexed({})],
  [
    "indexes without a count (spec.completions: Required value)",
    indexed({ completions: null, parallelism: 1 }),
    "spec.completions: Required value: when `completionMode` is Indexed",
  ],
  ["as many indexes at a time as there may be", indexed({ parallelism: 1e5 })],
  [
    "more of them (spec.parallelism: must be less than or equal to 100000)",
    indexed({ parallelism: 100_001 }),
    "spec.parallelism: Invalid value: 100001: must be between 0 and 100000, inclusive",
  ],
  ["many pods at a time without indexes", { spec: { parallelism: 1e6 } }],
  ["a limit for each index", indexed({ backoffLimitPerIndex: 1 })],
  [
    "a negative limit for each index",
    indexed({ backoffLimitPerIndex: -1 }),
    `spec.backoffLimitPerIndex: ${NEGATIVE}`,
  ],
  [
    "a limit for each index without indexes",
    { spec: { backoffLimitPerIndex: 1 } },
    "spec.backoffLimitPerIndex: Invalid value: 1: requires `completionMode` Indexed",
  ],
  [
    "failed indexes without a limit for each",
    indexed({ maxFailedIndexes: 1 }),
    "spec.backoffLimitPerIndex: Required value: when `maxFailedIndexes` is specified",
  ],
  [
    "as many failed indexes as there are",
    indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 5 }),
  ],
  [
    "more failed indexes than there are",
    indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 6 }),
    "spec.maxFailedIndexes: Invalid value: 6: must be between 0 and 5, inclusive",
  ],
  [
    "very many indexes with a limit for each, and nothing else",
    indexed({ backoffLimitPerIndex: 1, completions: 100_001 }),
    "spec.maxFailedIndexes: Required value: when `completions` is above 100000",
  ],
  [
    "very many indexes, and much of everything",
    indexed({
      backoffLimitPerIndex: 1,
      completions: 100_001,
      maxFailedIndexes: 10_001,
      parallelism: 10_001,
    }),
    "spec.maxFailedIndexes: Invalid value: 10001: must be between 0 and 10000, inclusive",
    "spec.parallelism: Invalid value: 10001: must be between 0 and 10000, inclusive",
  ],
  [
    "very many indexes, and enough of everything",
    indexed({
      backoffLimitPerIndex: 1,
      completions: 100_001,
      maxFailedIndexes: 10_000,
      parallelism: 10_000,
    }),
  ],
  [
    "many indexes, and all that may be",
    indexed({
      backoffLimitPerIndex: 1,
      completions: 100_000,
      maxFailedIndexes: 100_000,
      parallelism: 100_000,
    }),
  ],
  [
    "indexes whose pods would have too long a hostname",
    { ...indexed({ completions: 101 }), metadata: { name: "a".repeat(60) } },
    `metadata.name: Invalid value: "${
      "a".repeat(60)
    }": the name and an index together must be no more than 63 characters`,
  ],
  ["indexes whose hostnames just fit", {
    ...indexed({ completions: 100 }),
    metadata: { name: "a".repeat(60) },
  }],
  [
    "indexes whose pods would have a hostname with a dot",
    { ...indexed({}), metadata: { name: "a.b" } },
    `metadata.name: Invalid value: "a.b": the name and an index together must consist of lower case letters, digits and '-', and start and end with a letter or digit (RFC 1123 label, such as 'my-name')`,
  ],
  ["a dot and no index", {
    ...indexed({ completions: 0 }),
    metadata: { name: "a.b" },
  }],
  ["the manager that there is", {
    spec: { managedBy: "kubernetes.io/job-controller" },
  }],
  [
    "another manager",
    { spec: { managedBy: "example.org/queue" } },
    'spec.managedBy: Unsupported value: "example.org/queue": supported values: "kubernetes.io/job-controller"',
  ],
  ["pods that are replaced when they have failed", {
    spec: { podReplacementPolicy: "Failed" },
  }],
  [
    "a policy of replacement that is none",
    { spec: { podReplacementPolicy: "Always" } },
    'spec.podReplacementPolicy: Unsupported value: "Always": supported values: "Failed", "TerminatingOrFailed"',
  ],
]);

const job = (spec: object, podSpec: object = {}) => ({
  spec: {
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "i" }],
            ...podSpec,
          },
        },
        ...spec,
      },
    },
  },
});

testWorkloads("CronJob", [
  ["nothing special", {}],
  ["a name of 52 letters", { metadata: { name: "a".repeat(52) } }],
  [
    "a longer name",
    { metadata: { name: "a".repeat(53) } },
    "metadata.name: Too long: must be no more than 52 characters",
  ],
  [
    "no schedule (spec.schedule: Required value)",
    { spec: { schedule: "" } },
    "spec.schedule: Required value",
  ],
  [
    "a schedule that is none (spec.schedule: Invalid value)",
    { spec: { schedule: "error" } },
    'spec.schedule: Invalid value: "error": Wanted five fields, found 1: "error"',
  ],
  [
    "a zone in its schedule",
    { spec: { schedule: "TZ=America/New_York 0 * * * *" } },
    'spec.schedule: Invalid value: "TZ=America/New_York 0 * * * *": Cannot use TZ or CRON_TZ in a schedule, use `timeZone` instead',
  ],
  ["a zone", { spec: { timeZone: "America/New_York" } }],
  ...["", "Local", "Amerika/New York", "+01:00"].map((
    timeZone,
  ): WorkloadRow => [
    `the zone "${timeZone}" (spec.timeZone)`,
    { spec: { timeZone } },
    `spec.timeZone: Invalid value: "${timeZone}": must be a time zone of the IANA's data base, such as Europe/Berlin`,
  ]),
  ...([
    "startingDeadlineSeconds",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
  ] as const).flatMap((field): readonly WorkloadRow[] => [
    [`${field} of zero`, { spec: { [field]: 0 } }],
    [
      `a negative ${field}`,
      { spec: { [field]: -1 } },
      `spec.${field}: ${NEGATIVE}`,
    ],
  ]),
  ...["Allow", "Forbid", "Replace"].map((policy): WorkloadRow => [
    `the policy ${policy}`,
    { spec: { concurrencyPolicy: policy } },
  ]),
  [
    "a policy that is none",
    { spec: { concurrencyPolicy: "Queue" } },
    'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
  ],
  [
    "no template of Jobs",
    { spec: { jobTemplate: null } },
    "spec.jobTemplate.spec.template.spec.containers: Required value",
    'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    "a selector for its Jobs",
    job({ selector }),
    "spec.jobTemplate.spec.selector: Invalid value: an object: `selector` will be auto-generated",
  ],
  [
    "Jobs with selectors of their own",
    job({ manualSelector: true }),
    'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "false"',
  ],
  ["Jobs without selectors of their own", job({ manualSelector: false })],
  [
    "Jobs with negative numbers",
    job({ parallelism: -1 }),
    `spec.jobTemplate.spec.parallelism: ${NEGATIVE}`,
  ],
  [
    "labels of its Jobs that are none",
    {
      spec: {
        jobTemplate: {
          metadata: { labels: { a: "-" } },
          ...job({}).spec.jobTemplate,
        },
      },
    },
    `spec.jobTemplate.metadata.labels[a]: Invalid value: "-": must be empty or consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit`,
  ],
  [
    "pods that are always started again",
    job({}, { restartPolicy: "Always" }),
    'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
]);
