/**
 * The pods that two lists of the runtime show.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { groupByPod } from "../../../../mod/runtime/observe/list_pods.ts";
import { sandboxRow } from "../../../support/runtime_rows.ts";

/** A sandbox of the pod when it had this name. */
function sandboxOf(name: string, age: { attempt: number; createdAt?: bigint }) {
  const { attempt, createdAt = 1n } = age;
  const { labels, metadata, ...row } = sandboxRow("u");
  return {
    ...row,
    id: name,
    createdAt,
    metadata: { ...metadata, attempt },
    labels: { ...labels, "io.kubernetes.pod.name": name },
  };
}

const NEW = sandboxOf("new", { attempt: 2 });
const OLD = sandboxOf("old", { attempt: 0, createdAt: 9n });
const BETWEEN = sandboxOf("between", { attempt: 1 });
const AGAIN = sandboxOf("again", { attempt: 2, createdAt: 2n });

for (
  const [named, ...sandboxes] of [
    ["new", OLD, NEW, BETWEEN],
    ["new", NEW, BETWEEN, OLD],
    ["new", BETWEEN, OLD, NEW],
    ["between", OLD, BETWEEN],
    ["again", AGAIN, NEW, OLD],
    ["again", NEW, AGAIN],
  ] as const
) {
  const ids = sandboxes.map(({ id }) => id);
  Deno.test(`groupByPod() names a pod of the sandboxes ${ids.join(", ")} "${named}"`, () => {
    const { pods } = groupByPod(sandboxes, []);
    deepStrictEqual([...pods.values()].map(({ name }) => name), [named]);
  });
}
