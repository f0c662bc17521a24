/**
 * Every sentence of explain, against the one file that holds them all, and what each is about,
 * against another.
 *
 * Whoever changes a sentence on purpose has the files written anew, and reads what changed in them:
 * `deno test -A tests/unit/explain/sentences_test.ts -- --write`.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import goldenFindings from "../../testdata/explain_findings.json" with {
  type: "json",
};
import golden from "../../testdata/explain_sentences.json" with {
  type: "json",
};
import { explainPod } from "../../../mod/explain/explain.ts";
import { explainMissingPod } from "../../../mod/explain/missing_pod.ts";
import { shortageWords } from "../../../mod/explain/refusal_sentences.ts";
import { explainPlan } from "../../../mod/explain/explain_plan.ts";
import { planPod } from "../../../mod/pod/plan/mod.ts";
import { observed, probes as probesOf } from "../../support/observed_pods.ts";
import { ACCEPTED_ROWS } from "../../support/explain/accepted_rows.ts";
import { COMPANY_ROWS } from "../../support/explain/company_rows.ts";
import { CONTAINER_ROWS } from "../../support/explain/container_rows.ts";
import { ENDING_ROWS } from "../../support/explain/ending_rows.ts";
import { FAILURE_ROWS } from "../../support/explain/failure_rows.ts";
import { HEALTH_ROWS } from "../../support/explain/health_rows.ts";
import { MISSING_PODS } from "../../support/explain/missing_pod_rows.ts";
import { PLANS, webOnly } from "../../support/explain/plan_rows.ts";
import { REFUSAL_ROWS } from "../../support/explain/refusal_rows.ts";
import { SHORTAGES } from "../../support/explain/shortage_rows.ts";
import type { Rows } from "../../support/explain/rows.ts";

const PODS: Rows = {
  ...CONTAINER_ROWS,
  ...FAILURE_ROWS,
  ...HEALTH_ROWS,
  ...ENDING_ROWS,
  ...REFUSAL_ROWS,
  ...ACCEPTED_ROWS,
  ...COMPANY_ROWS,
};

/** The sentences of each function, by what they tell of. */
const TOLD: Readonly<Record<string, Sentences>> = {
  explainPod: tell(PODS, (facts) => explainPod(facts).map(({ text }) => text)),
  explainPlan: {
    ...tell(
      PLANS,
      ({ pod = webOnly(), observed, probes = probesOf() }) =>
        explainPlan(planPod({ pod, observed, probes }), pod, observed),
    ),
    "no plan": explainPlan(undefined, webOnly(), observed()),
  },
  explainMissingPod: tell(MISSING_PODS, (known) => {
    const wanted = { namespace: "default", name: "wbe" };
    return [explainMissingPod(wanted, known)];
  }),
  shortageWords: tell(SHORTAGES, (shortage) => [shortageWords(shortage)]),
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

/** What the sentences of `explainPod()` are about, as it goes over the control socket. */
const FINDINGS: Findings = JSON.parse(JSON.stringify(
  Object.fromEntries(
    Object.entries(PODS).map(([name, facts]) => [
      name,
      explainPod(facts).map(({ text: _text, ...finding }) => finding),
    ]),
  ),
));

type Findings = Readonly<Record<string, readonly unknown[]>>;

const isWriting = Deno.args.includes("--write");
if (isWriting) {
  write("explain_sentences.json", TOLD);
  write("explain_findings.json", FINDINGS);
}

function write(name: string, golden: unknown): void {
  const path = new URL(`../../testdata/${name}`, import.meta.url);
  Deno.writeTextFileSync(path, `${JSON.stringify(golden, undefined, 2)}\n`);
}

const GOLDEN: Readonly<Record<string, Sentences>> = isWriting ? TOLD : golden;
const GOLDEN_FINDINGS: Findings = isWriting ? FINDINGS : goldenFindings;

for (const [name, told] of Object.entries(TOLD)) {
  for (const [what, sentences] of Object.entries(told)) {
    Deno.test(`${name}() tells of ${what}`, () => {
      deepStrictEqual(sentences, GOLDEN[name]?.[what]);
    });
  }
}

for (const [what, findings] of Object.entries(FINDINGS)) {
  Deno.test(`explainPod() finds what there is of ${what}`, () => {
    deepStrictEqual(findings, GOLDEN_FINDINGS[what]);
  });
}

Deno.test("the golden sentences are those that are told, and no others", () => {
  deepStrictEqual(
    Object.entries(GOLDEN).map(([name, told]) => [name, Object.keys(told)]),
    Object.entries(TOLD).map(([name, told]) => [name, Object.keys(told)]),
  );
  deepStrictEqual(Object.keys(GOLDEN_FINDINGS), Object.keys(FINDINGS));
});
