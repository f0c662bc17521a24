/**
 * How well a source does.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Moment } from "../../../mod/base/mod.ts";
import { SourceConditions } from "../../../mod/source/source_conditions.ts";
import { sourcePod } from "../../support/source/source_pods.ts";

const BAD = {
  report: { kind: "last_good", file: "a.yaml", faults: [], pods: [] },
  text: "bad",
} as const;
const TWICE = {
  report: {
    kind: "duplicate",
    file: "b.yaml",
    of: "a.yaml",
    pod: sourcePod(),
    field: "name",
  },
  text: "twice",
} as const;
const AWAY = {
  report: { kind: "unreachable", file: "/m", message: "no disk" },
  text: "no disk",
} as const;

const at = (ms: number): Moment => ({ wallMs: ms, monotonicMs: ms });

const LATER = at(9);

/** The conditions as `type status reason since`. */
function told(conditions: SourceConditions): string[] {
  return conditions.list(LATER, undefined).slice(0, 2).map((
    { type, status, reason, sinceMs },
  ) => `${type} ${status} ${reason} ${sinceMs}`);
}

Deno.test("SourceConditions says nothing before the first look", () => {
  deepStrictEqual(new SourceConditions(at(1)).list(LATER, undefined), []);
});

Deno.test("SourceConditions tells since when what is wrong, whatever else happens", () => {
  const conditions = new SourceConditions(at(1));
  conditions.update([], at(1));
  conditions.update([], at(2));
  deepStrictEqual(told(conditions), [
    "Reachable True Answers 1",
    "ManifestsValid True Valid 1",
  ]);
  conditions.update([BAD], at(3));
  conditions.update([TWICE, BAD], at(4));
  deepStrictEqual(told(conditions), [
    "Reachable True Answers 1",
    "ManifestsValid False DuplicatePod 3",
  ]);
  strictEqual(
    conditions.list(LATER, undefined)[1]?.message,
    "b.yaml: twice; a.yaml: bad",
  );
  conditions.update([AWAY], at(5));
  deepStrictEqual(told(conditions), [
    "Reachable False Unreachable 5",
    "ManifestsValid True Valid 5",
  ]);
});

for (
  const [count, more] of [
    [3, ""],
    [4, "; and 1 more"],
    [1000, "; and 997 more"],
  ] as const
) {
  Deno.test(`SourceConditions names three of ${count} faults`, () => {
    const conditions = new SourceConditions(at(1));
    conditions.update(Array.from({ length: count }, () => BAD), at(1));
    strictEqual(
      conditions.list(LATER, undefined)[1]?.message,
      `a.yaml: bad; a.yaml: bad; a.yaml: bad${more}`,
    );
  });
}

Deno.test("CL-05: SourceConditions keeps the span up to now when the clock is set", () => {
  const conditions = new SourceConditions(at(1));
  conditions.update([AWAY], at(100_000));
  // A minute later it is a minute ago, whether that is by then in 1970 or in 2026.
  for (const wallMs of [60_000, 160_000, 1.8e12]) {
    const now = { wallMs, monotonicMs: 160_000 };
    strictEqual(conditions.list(now, undefined)[0]?.sinceMs, wallMs - 60_000);
  }
});

Deno.test("SourceConditions tells since when a disk refuses", () => {
  const conditions = new SourceConditions(at(1));
  conditions.update([], at(2));
  const kept = conditions.list(LATER, undefined)[2];
  deepStrictEqual([kept?.status, kept?.sinceMs], ["True", 1]);
  const failure = { message: "full", sinceMs: 9 };
  deepStrictEqual(conditions.list(LATER, failure)[2], {
    type: "Checkpointed",
    status: "False",
    reason: "FailedCheckpoint",
    ...failure,
  });
});
