/**
 * Every sentence of explain, against the one file that holds them all.
 *
 * Whoever changes a sentence on purpose has the file written anew, and reads what changed in it:
 * `deno test -A tests/unit/explain/sentences_test.ts -- --write`.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import golden from "../../testdata/explain_sentences.json" with {
  type: "json",
};
import { explainPod } from "../../../mod/explain/explain.ts";
import { explainMissingPod } from "../../../mod/explain/missing_pod.ts";
import { explainPlan } from "../../../mod/explain/explain_plan.ts";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import { observed, probes as probesOf } from "../../support/observed_pods.ts";
import { ROWS as ACCEPTED } from "../../support/explain/accepted_rows.ts";
import { ROWS as CONTAINERS } from "../../support/explain/container_rows.ts";
import { ROWS as ENDING } from "../../support/explain/ending_rows.ts";
import { ROWS as FAILURES } from "../../support/explain/failure_rows.ts";
import { ROWS as HEALTH } from "../../support/explain/health_rows.ts";
import { MISSING_PODS } from "../../support/explain/missing_pod_rows.ts";
import { one, PLANS } from "../../support/explain/plan_rows.ts";
import { ROWS as REFUSALS } from "../../support/explain/refusal_rows.ts";
import type { Rows } from "../../support/explain/rows.ts";

const PODS: Rows = {
  ...CONTAINERS,
  ...FAILURES,
  ...HEALTH,
  ...ENDING,
  ...REFUSALS,
  ...ACCEPTED,
};

/** The sentences of each function, by what they tell of. */
const TOLD: Readonly<Record<string, Sentences>> = {
  explainPod: tell(PODS, explainPod),
  explainPlan: {
    ...tell(
      PLANS,
      ({ pod = one(), observed, probes = probesOf() }) =>
        explainPlan(planPod({ pod, observed, probes }), pod, observed),
    ),
    "no plan": explainPlan(undefined, one(), observed()),
  },
  explainMissingPod: tell(MISSING_PODS, (known) => {
    const wanted = { namespace: "default", name: "wbe" };
    return [explainMissingPod(wanted, known)];
  }),
};

type Sentences = Readonly<Record<string, readonly string[]>>;

function tell<T>(
  rows: Readonly<Record<string, T>>,
  sentencesOf: (row: T) => readonly string[],
): Sentences {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, sentencesOf(row)]),
  );
}

const isWriting = Deno.args.includes("--write");
if (isWriting) {
  const path = new URL(
    "../../testdata/explain_sentences.json",
    import.meta.url,
  );
  Deno.writeTextFileSync(path, `${JSON.stringify(TOLD, undefined, 2)}\n`);
}

const GOLDEN: Readonly<Record<string, Sentences>> = isWriting ? TOLD : golden;

for (const [name, told] of Object.entries(TOLD)) {
  for (const [what, sentences] of Object.entries(told)) {
    Deno.test(`${name}() tells of ${what}`, () => {
      deepStrictEqual(sentences, GOLDEN[name]?.[what]);
    });
  }
}

Deno.test("the golden sentences are those that are told, and no others", () => {
  deepStrictEqual(
    Object.entries(GOLDEN).map(([name, told]) => [name, Object.keys(told)]),
    Object.entries(TOLD).map(([name, told]) => [name, Object.keys(told)]),
  );
});
