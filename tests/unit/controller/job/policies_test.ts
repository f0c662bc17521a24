/** Rules of a Job; named after pod_failure_policy_test.go and success_policy_test.go. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Job } from "../../../../mod/api/workload/mod.ts";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { parseIndexes } from "../../../../mod/controller/job/indexes.ts";
import {
  judgeFailure,
  judgeSuccess,
} from "../../../../mod/controller/job/policies.ts";
import { job, jobPod } from "../../../support/controller/job_objects.ts";

type Rules = NonNullable<Job["spec"]["podFailurePolicy"]>["rules"];

function onCodes(
  action: string,
  operator: string,
  values: readonly number[],
  containerName?: string,
): Rules[number] {
  const named = containerName === undefined ? {} : { containerName };
  return { action, onExitCodes: { operator, values, ...named } };
}

function onCondition(action: string, status?: string): Rules[number] {
  const pattern = { type: "DisruptionTarget", status: status ?? "True" };
  return { action, onPodConditions: [pattern] };
}

const failed = (exitCode = 2) => jobPod("a", { phase: "Failed", exitCode });
const disrupted = (status = "True") =>
  jobPod("a", {
    phase: "Failed",
    conditions: [{ type: "DisruptionTarget", status }],
  });

const FAILURES: Readonly<Record<string, readonly [Rules, Pod, string]>> = {
  "no policy rules": [[], failed(), "counts"],
  "unknown action - skip rule": [
    [onCodes("Other", "In", [2]), onCodes("Ignore", "In", [2])],
    failed(),
    "is_ignored",
  ],
  "unknown operator": [[onCodes("Ignore", "Near", [2])], failed(), "counts"],
  "ignore rule matched for exit codes": [
    [onCodes("Ignore", "In", [1, 2, 3])],
    failed(),
    "is_ignored",
  ],
  "ignore rule matched on negative exit codes": [
    [onCodes("Ignore", "In", [-1])],
    failed(-1),
    "is_ignored",
  ],
  "successful containers are skipped by the rules": [
    [onCodes("Ignore", "NotIn", [5])],
    failed(0),
    "counts",
  ],
  "containers that run are skipped by the rules": [
    [onCodes("Ignore", "NotIn", [5])],
    jobPod("a", { phase: "Running" }),
    "counts",
  ],
  "pod failure policy with NotIn operator": [
    [onCodes("Ignore", "NotIn", [1, 2])],
    failed(),
    "counts",
  ],
  "NotIn operator that matches": [
    [onCodes("Ignore", "NotIn", [1])],
    failed(),
    "is_ignored",
  ],
  "the container is named": [
    [onCodes("Ignore", "In", [2], "main")],
    failed(),
    "is_ignored",
  ],
  "another container is named": [
    [onCodes("Ignore", "In", [2], "other")],
    failed(),
    "counts",
  ],
  "FailIndex": [[onCodes("FailIndex", "In", [2])], failed(), "fails_index"],
  "count rule matched for exit codes": [
    [onCodes("Count", "In", [2]), onCodes("Ignore", "In", [2])],
    failed(),
    "counts",
  ],
  "ignore rule matched for pod conditions": [
    [onCondition("Ignore")],
    disrupted(),
    "is_ignored",
  ],
  "a pattern without a status means one that is true": [
    [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }],
    disrupted(),
    "is_ignored",
  ],
  "ignore rule matches by the status=False": [
    [onCondition("Ignore", "False")],
    disrupted("False"),
    "is_ignored",
  ],
  "does not match when status is False, but actual True": [
    [onCondition("Ignore", "False")],
    disrupted(),
    "counts",
  ],
  "default - do not match condition with status=False": [
    [onCondition("Ignore")],
    disrupted("False"),
    "counts",
  ],
  "another condition": [[onCondition("Ignore")], failed(), "counts"],
  "one of several patterns": [
    [{
      action: "Ignore",
      onPodConditions: [
        { type: "Other", status: "True" },
        { type: "DisruptionTarget", status: "True" },
      ],
    }],
    disrupted(),
    "is_ignored",
  ],
  "rule without a matcher": [[{ action: "Ignore" }], disrupted(), "counts"],
};

for (const [name, [rules, pod, kind]] of Object.entries(FAILURES)) {
  Deno.test(`judgeFailure() goes by the first rule: ${name}`, () => {
    const subject = job({ podFailurePolicy: { rules } });
    deepStrictEqual(judgeFailure(subject, pod), { kind });
  });
}

Deno.test("judgeFailure() counts without a policy", () => {
  deepStrictEqual(judgeFailure(job(), failed()), { kind: "counts" });
});

Deno.test("judgeFailure() says in upstream's words why a Job fails", () => {
  const rules = [onCodes("Ignore", "In", [9]), onCodes("FailJob", "In", [2])];
  const subject = job({ podFailurePolicy: { rules } });
  deepStrictEqual(judgeFailure(subject, failed()), {
    kind: "fails_job",
    message: "Container main for pod shop/a failed with exit code 2 matching " +
      "FailJob rule at index 1",
  });
  const other = job({ podFailurePolicy: { rules: [onCondition("FailJob")] } });
  deepStrictEqual(judgeFailure(other, disrupted()), {
    kind: "fails_job",
    message:
      "Pod shop/a has condition DisruptionTarget matching FailJob rule " +
      "at index 0",
  });
});

Deno.test("judgeFailure() looks at init containers as well", () => {
  const pod = failed();
  const { containerStatuses = [] } = pod.status ?? {};
  const initOnly: Pod = {
    ...pod,
    status: { phase: "Failed", initContainerStatuses: containerStatuses },
  };
  const rules = [onCodes("Ignore", "In", [2])];
  const subject = job({ podFailurePolicy: { rules } });
  deepStrictEqual(judgeFailure(subject, initOnly), { kind: "is_ignored" });
  const bare: Pod = { ...pod, status: { phase: "Failed" } };
  deepStrictEqual(judgeFailure(subject, bare), { kind: "counts" });
});

type Success = NonNullable<Job["spec"]["successPolicy"]>["rules"];

const SUCCESSES: Readonly<
  Record<string, readonly [Success, string, number | undefined]>
> = {
  "any rules are nothing": [[], "0", undefined],
  "succeededIndexes is invalid format": [
    [{ succeededIndexes: "invalid" }],
    "0-2",
    undefined,
  ],
  "an invalid rule with a count": [
    [{ succeededIndexes: "invalid", succeededCount: 0 }],
    "0-2",
    undefined,
  ],
  "succeededIndexes matched rules": [
    [{ succeededIndexes: "0-2" }],
    "0-2",
    0,
  ],
  "succeededIndexes didn't match rules": [
    [{ succeededIndexes: "0-2" }],
    "3",
    undefined,
  ],
  "succeededCount is specified; matched": [[{ succeededCount: 2 }], "0,1", 0],
  "succeededCount is specified; didn't match": [
    [{ succeededCount: 2 }],
    "3",
    undefined,
  ],
  "multiple rules; met one of rules": [
    [{ succeededIndexes: "9" }, { succeededIndexes: "5-6" }],
    "5-7",
    1,
  ],
  "multiple rules; met all rules": [
    [{ succeededIndexes: "4,5" }, { succeededIndexes: "4-6" }],
    "4-6",
    0,
  ],
  "both are specified; met": [
    [{ succeededIndexes: "3-6", succeededCount: 2 }],
    "2-4",
    0,
  ],
  "both are specified; didn't match": [
    [{ succeededIndexes: "3-6", succeededCount: 3 }],
    "0-4",
    undefined,
  ],
  "succeededIndexes are nothing": [
    [{ succeededIndexes: "4,6-9" }],
    "",
    undefined,
  ],
  "nothing has succeeded and none is needed": [
    [{ succeededCount: 0 }],
    "",
    undefined,
  ],
  "rules is subset of succeededIndexes": [
    [{ succeededIndexes: "2,4" }],
    "1-8",
    0,
  ],
  "rule without a matcher": [[{}], "0-9", undefined],
};

for (const [name, [rules, done, want]] of Object.entries(SUCCESSES)) {
  Deno.test(`judgeSuccess() finds a rule that is met: ${name}`, () => {
    const spec = { completions: 10, successPolicy: { rules } };
    const words = want === undefined
      ? undefined
      : `Matched rules at index ${want}`;
    strictEqual(judgeSuccess(job(spec), parseIndexes(done, 10)), words);
  });
}

Deno.test("judgeSuccess() is never met without a policy", () => {
  strictEqual(judgeSuccess(job(), parseIndexes("0-9", 10)), undefined);
});
