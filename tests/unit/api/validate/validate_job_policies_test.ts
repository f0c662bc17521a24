/**
 * What is wrong with the policies of Jobs, by TestValidateJob of upstream.
 *
 * @module
 */

import {
  type ManifestPatch,
  testWorkloads,
  type WorkloadRow,
} from "../../../support/api/workload_rows.ts";

const failing = (...rules: readonly object[]): ManifestPatch => ({
  spec: { podFailurePolicy: { rules } },
});
const exit = (draft: object) => ({
  action: "FailJob",
  onExitCodes: { operator: "In", values: [1], ...draft },
});
const CONDITION = { type: "DisruptionTarget", status: "True" };
const on = (...onPodConditions: readonly object[]) => ({
  action: "Ignore",
  onPodConditions,
});
const RULES = "spec.podFailurePolicy.rules";
const CODES = `${RULES}[0].onExitCodes`;
const codes = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

testWorkloads("Job", [
  ["failures by code and by condition (valid pod failure policy)", {
    ...failing(exit({ values: [1, 2, 255] }), on(CONDITION)),
  }],
  ["a condition without a status", failing(on({ type: "DisruptionTarget" }))],
  ["no rule", failing()],
  ["as many rules as there may be", failing(...codes(20).map(() => exit({})))],
  [
    "more rules",
    failing(...codes(21).map(() => exit({}))),
    `${RULES}: Too long: must not have more than 20 rules`,
  ],
  [
    "rules for pods that are started again (spec.template.spec.restartPolicy)",
    { ...failing(exit({})), pod: { restartPolicy: "OnFailure" } },
    'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when `podFailurePolicy` is specified',
  ],
  [
    "a replacement before the failure",
    {
      spec: {
        podFailurePolicy: { rules: [exit({})] },
        podReplacementPolicy: "TerminatingOrFailed",
      },
    },
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
  [
    "a rule without an action",
    failing({ ...exit({}), action: undefined }),
    `${RULES}[0].action: Required value`,
  ],
  [
    "an action that is none",
    failing({ ...exit({}), action: "UnknownAction" }),
    `${RULES}[0].action: Unsupported value: "UnknownAction": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
  ],
  ["counting", failing({ ...exit({}), action: "Count" })],
  [
    "failures of indexes without limits of theirs",
    failing({ ...exit({}), action: "FailIndex" }),
    `${RULES}[0].action: Invalid value: "FailIndex": requires \`backoffLimitPerIndex\` to be set`,
  ],
  ["failures of indexes with limits of theirs", {
    spec: {
      completionMode: "Indexed",
      completions: 2,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ ...exit({}), action: "FailIndex" }] },
    },
  }],
  [
    "a rule for nothing",
    failing({ action: "Ignore" }),
    `${RULES}[0]: Invalid value: an object: specifying one of \`onExitCodes\` and \`onPodConditions\` is required`,
  ],
  [
    "a rule for both",
    failing({ ...exit({}), ...on(CONDITION) }),
    `${RULES}[0]: Invalid value: an object: specifying both \`onExitCodes\` and \`onPodConditions\` is not supported`,
  ],
  [
    "an operator that is none",
    failing(exit({ operator: "Is" })),
    `${CODES}.operator: Unsupported value: "Is": supported values: "In", "NotIn"`,
  ],
  [
    "no operator",
    failing(exit({ operator: undefined })),
    `${CODES}.operator: Required value`,
  ],
  ["a container of the pods", failing(exit({ containerName: "main" }))],
  [
    "another container",
    failing(exit({ containerName: "xyz" })),
    `${CODES}.containerName: Invalid value: "xyz": must be one of the container or initContainer names in the pod template`,
  ],
  [
    "no code",
    failing(exit({ values: [] })),
    `${CODES}.values: Invalid value: a list: at least one value is required`,
  ],
  ["as many codes as there are", failing(exit({ values: codes(255) }))],
  [
    "more codes than there are",
    failing(exit({ values: codes(256) })),
    `${CODES}.values: Too long: must have at most 255 items`,
  ],
  [
    "zero among failures",
    failing(exit({ values: [0, 1] })),
    `${CODES}.values[0]: Invalid value: 0: must not be 0 for the In operator`,
  ],
  ["all but zero", failing(exit({ operator: "NotIn", values: [0] }))],
  [
    "a code twice",
    failing(exit({ values: [1, 1] })),
    `${CODES}.values[1]: Duplicate value: 1`,
  ],
  [
    "codes in no order",
    failing(exit({ values: [12, 13, 11] })),
    `${CODES}.values: Invalid value: a list: must be ordered`,
  ],
  [
    "conditions that are none",
    failing(on({ type: "-", status: "Maybe" }, { status: "True" })),
    `${RULES}[0].onPodConditions[0].type: Invalid value: "-": the name must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit (such as 'MyName' or 'example.com/my.name')`,
    `${RULES}[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"`,
    `${RULES}[0].onPodConditions[1].type: Required value`,
  ],
  [
    "as many conditions as there may be",
    failing(on(...codes(20).map(() => CONDITION))),
  ],
  [
    "more conditions",
    failing(on(...codes(21).map(() => CONDITION))),
    `${RULES}[0].onPodConditions: Too long: must not have more than 20 conditions`,
  ],
]);

const succeeding = (...rules: readonly object[]): ManifestPatch => ({
  spec: {
    completionMode: "Indexed",
    completions: 5,
    successPolicy: { rules },
  },
});
const POLICY = "spec.successPolicy";

function indexesRow(text: string, problem?: string): WorkloadRow {
  const row = succeeding({ succeededIndexes: text });
  return problem === undefined ? [`the indexes "${text}"`, row] : [
    `the indexes "${text}"`,
    row,
    `${POLICY}.rules[0].succeededIndexes: Invalid value: "${text}": ${problem}`,
  ];
}

testWorkloads("Job", [
  ["successes by index and count (valid success policy)", {
    ...succeeding(
      { succeededIndexes: "0,2-4", succeededCount: 4 },
      { succeededCount: 5 },
      { succeededIndexes: "1" },
    ),
  }],
  [
    "successes without indexes",
    { spec: { successPolicy: { rules: [{ succeededCount: 1 }] } } },
    `${POLICY}: Invalid value: an object: requires \`completionMode\` Indexed`,
  ],
  [
    "no rule of success",
    succeeding(),
    `${POLICY}.rules: Required value: at least one rule must be specified when \`successPolicy\` is`,
  ],
  [
    "an empty rule of success",
    succeeding({}),
    `${POLICY}.rules[0]: Required value: at least one of \`succeededCount\` or \`succeededIndexes\` must be specified`,
  ],
  [
    "as many rules of success as there may be",
    succeeding(...codes(20).map(() => ({ succeededCount: 1 }))),
  ],
  [
    "more rules of success",
    succeeding(...codes(21).map(() => ({ succeededCount: 1 }))),
    `${POLICY}.rules: Too long: must not have more than 20 rules`,
  ],
  [
    "a negative count of successes",
    succeeding({ succeededCount: -1 }),
    `${POLICY}.rules[0].succeededCount: Invalid value: -1: must be between 0 and 5, inclusive`,
  ],
  [
    "more successes than completions",
    succeeding({ succeededCount: 6 }),
    `${POLICY}.rules[0].succeededCount: Invalid value: 6: must be between 0 and 5, inclusive`,
  ],
  [
    "more successes than indexes",
    succeeding({ succeededCount: 5, succeededIndexes: "0,2-4" }),
    `${POLICY}.rules[0].succeededCount: Invalid value: 5: must be between 0 and 4, inclusive`,
  ],
  indexesRow(""),
  indexesRow("0-4"),
  indexesRow("0,1,4"),
  indexesRow("3-3"),
  indexesRow("x", '"x" must be an index or two'),
  indexesRow("1,", '"" must be an index or two'),
  indexesRow("-1", '"-1" must be an index or two'),
  indexesRow("1-x", '"1-x" must be an index or two'),
  indexesRow("12345678901", '"12345678901" must be an index or two'),
  indexesRow("1-2-3", "\"1-2-3\" must have at most two parts separated by '-'"),
  indexesRow("5", '"5" must be less than the 5 completions'),
  indexesRow("3-5", '"3-5" must be less than the 5 completions'),
  indexesRow("2,1", '"1" must be higher than what is before it'),
  indexesRow("1,1", '"1" must be higher than what is before it'),
  indexesRow("0-2,2-3", '"2-3" must be higher than what is before it'),
  indexesRow("3-2", '"3-2" must be higher than what is before it'),
  [
    "as long a text of indexes as there may be",
    succeeding({ succeededIndexes: "1".repeat(65_536) }),
    `${POLICY}.rules[0].succeededIndexes: Invalid value: "${
      "1".repeat(64)
    }…": "${"1".repeat(64)}…" must be an index or two`,
  ],
  [
    "a very long text of indexes",
    succeeding({ succeededIndexes: "1".repeat(65_537) }),
    `${POLICY}.rules[0].succeededIndexes: Invalid value: "${
      "1".repeat(64)
    }…": must be no more than 65536 characters`,
  ],
]);
