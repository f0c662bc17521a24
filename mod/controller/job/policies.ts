/**
 * What a Job says of failures and of success: `podFailurePolicy`, `successPolicy`.
 *
 * @module
 */

import type { ContainerStatus, Pod } from "../../api/types/mod.ts";
import type { Job } from "../../api/workload/mod.ts";
import {
  countCommon,
  countIndexes,
  type IndexSet,
  parseIndexes,
} from "./indexes.ts";

type PodFailureRule = NonNullable<
  Job["spec"]["podFailurePolicy"]
>["rules"][number];
type FailureExitCodes = NonNullable<PodFailureRule["onExitCodes"]>;

/** What becomes of a Job by the failure of one of its pods. */
export type FailureVerdict =
  | { readonly kind: "counts" }
  | { readonly kind: "is_ignored" }
  | { readonly kind: "fails_index" }
  | { readonly kind: "fails_job"; readonly message: string };

/** Says what the first rule that means a failed pod makes of it; without one it counts. */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  const rules = job.spec.podFailurePolicy?.rules ?? [];
  for (const [at, rule] of rules.entries()) {
    const words = matchWords(rule, pod);
    if (words === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { kind: "is_ignored" };
      case "FailIndex":
        return { kind: "fails_index" };
      case "Count":
        return { kind: "counts" };
      case "FailJob": {
        const message = `${words} matching FailJob rule at index ${at}`;
        return { kind: "fails_job", message };
      }
    }
  }
  return { kind: "counts" };
}

/** Why a rule means a pod, in upstream's words; `undefined` when it does not. */
function matchWords(rule: PodFailureRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  const { onExitCodes, onPodConditions } = rule;
  if (onExitCodes !== undefined) {
    const found = failedContainer(pod, onExitCodes);
    return found === undefined
      ? undefined
      : `Container ${found.name} for pod ${namespace}/${name} failed with ` +
        `exit code ${found.state?.terminated?.exitCode}`;
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((each) =>
      each.type === type && (each.status ?? "True") === status
    )
  );
  return condition &&
    `Pod ${namespace}/${name} has condition ${condition.type}`;
}

function failedContainer(
  { status }: Pod,
  { containerName, operator, values }: FailureExitCodes,
): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find((each) => {
    const code = each.state?.terminated?.exitCode ?? 0;
    if (code === 0) return false;
    if (containerName !== undefined && containerName !== each.name) {
      return false;
    }
    switch (operator) {
      case "In":
        return values.includes(code);
      case "NotIn":
        return !values.includes(code);
      default:
        return false;
    }
  });
}

/**
 * Whether the indexes that have succeeded are enough, by a rule of the Job.
 *
 * @returns in upstream's words which rule it was
 */
export function judgeSuccess(
  { spec }: Job,
  succeeded: IndexSet,
): string | undefined {
  const rules = succeeded.length === 0 ? [] : spec.successPolicy?.rules ?? [];
  const at = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const enough = succeededCount ?? Infinity;
    if (succeededIndexes === undefined) {
      return countIndexes(succeeded) >= enough;
    }
    const wanted = parseIndexes(succeededIndexes, spec.completions ?? 0);
    // What cannot be read means nothing, rather than everything.
    if (wanted.length === 0) return false;
    const common = countCommon(wanted, succeeded);
    return common === countIndexes(wanted) || common >= enough;
  });
  return at === -1 ? undefined : `Matched rules at index ${at}`;
}
