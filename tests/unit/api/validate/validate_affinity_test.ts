/** How many values an operator of an affinity takes. */

import {
  type Parts,
  type RefusedRow,
  type TakenRow,
  testRefused,
  testTaken,
} from "../../../support/api/rows.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** A pod with one expression about labels of its node. */
function onNode(operator: string, values: readonly string[]): Parts {
  const matchExpressions = [{ key: "zone", operator, values }];
  const nodeSelectorTerms = [{ matchExpressions }];
  const nodeAffinity = { [REQUIRED]: { nodeSelectorTerms } };
  return { spec: { affinity: { nodeAffinity } } };
}

/** How many values each operator takes, and how many it does not. */
const COUNTS: Readonly<
  Record<string, readonly [taken: number[], refused: number[], words: RegExp]>
> = {
  In: [[1, 2], [0], /must be set when `operator` is In or NotIn/],
  NotIn: [[1, 2], [0], /must be set when `operator` is In or NotIn/],
  Exists: [[0], [1], /may not be set when `operator` is Exists/],
  DoesNotExist: [[0], [1], /may not be set when `operator` is Exists/],
  Gt: [[1], [0, 2], /must be one integer when `operator` is Gt or Lt/],
  Lt: [[1], [0, 2], /must be one integer when `operator` is Gt or Lt/],
};

for (const [operator, [taken, refused, words]] of Object.entries(COUNTS)) {
  const row = (count: number): TakenRow => [
    `${operator} with ${count} values`,
    onNode(operator, ["1", "2"].slice(0, count)),
  ];
  const field =
    `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values`;
  testTaken(taken.map(row));
  testRefused(
    refused.map((count): RefusedRow => [...row(count), field, words]),
  );
}
