/**
 * How well a source does.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  checkpointCondition,
  SourceConditions,
} from "../../../mod/source/source_conditions.ts";

const BAD = { kind: "last_good", text: "a.yaml: bad" } as const;
const AWAY = { kind: "unreachable", text: "no disk" } as const;

/** The conditions as `type status reason since`. */
function told(conditions: SourceConditions): string[] {
  return conditions.list().map(({ type, status, reason, sinceMs }) =>
    `${type} ${status} ${reason} ${sinceMs}`
  );
}

Deno.test("SourceConditions says nothing before the first look", () => {
  deepStrictEqual(new SourceConditions().list(), []);
});

Deno.test("SourceConditions tells since when what is wrong, whatever else happens", () => {
  const conditions = new SourceConditions();
  conditions.update([], 1);
  conditions.update([], 2);
  deepStrictEqual(told(conditions), [
    "Reachable True Answers 1",
    "ManifestsValid True Valid 1",
  ]);
  conditions.update([BAD], 3);
  conditions.update([{ kind: "duplicate", text: "b.yaml: twice" }, BAD], 4);
  deepStrictEqual(told(conditions), [
    "Reachable True Answers 1",
    "ManifestsValid False DuplicatePod 3",
  ]);
  strictEqual(
    conditions.list()[1]?.message,
    "b.yaml: twice; a.yaml: bad",
  );
  conditions.update([AWAY], 5);
  deepStrictEqual(told(conditions), [
    "Reachable False Unreachable 5",
    "ManifestsValid True Valid 5",
  ]);
});

Deno.test("SourceConditions names some of very many faults", () => {
  const conditions = new SourceConditions();
  conditions.update(Array.from({ length: 1000 }, () => BAD), 1);
  match(
    conditions.list()[1]?.message ?? "",
    /^(a\.yaml: bad; ){3}and 997 more$/,
  );
});

Deno.test("checkpointCondition() tells since when a disk refuses", () => {
  strictEqual(checkpointCondition(undefined, 1).status, "True");
  const failure = { message: "full", sinceMs: 9 };
  const { status, reason, message, sinceMs } = checkpointCondition(failure, 1);
  deepStrictEqual([status, reason, message, sinceMs], [
    "False",
    "FailedCheckpoint",
    "full",
    9,
  ]);
});
