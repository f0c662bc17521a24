/**
 * Sentences that would be told twice.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { explainPod } from "../../../mod/explain/mod.ts";
import {
  facts,
  failed,
  NO_SETTINGS,
  pending,
  saidOf,
  waits,
  web,
} from "../../support/explain/rows.ts";
import { container } from "../../support/pods.ts";

Deno.test("explainPod() tells once what two containers wait for, with the finding of the first", () => {
  const names = ["web", "two"];
  const pod = web(pending(names.map((name) => waits(name, "FailedMount"))), {
    containers: names.map((name) => container(name)),
  });
  const volumes = [{ volume: "cfg", cause: NO_SETTINGS }];
  const said = saidOf({ kind: "volumes", volumes });
  const failures = names.map((container) => ({
    container,
    reason: "FailedMount" as const,
    ...said,
  }));
  const sentences = explainPod(facts({ pod, decision: failed(pod, failures) }));
  deepStrictEqual(
    sentences.map(({ kind, container }) => [kind, container]),
    [["waiting", "web"]],
  );
});
