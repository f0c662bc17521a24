/**
 * What is to be found of a pod, by kinds and facts; the golden file has the sentences.
 *
 * @module
 */

import type { ExplainFinding } from "../../mod/explain/mod.ts";
import type { PodReport } from "../../mod/server/mod.ts";

/** A finding by its kind, or by more of it. */
export type WantedFinding =
  | ExplainFinding["kind"]
  | {
    readonly kind?: ExplainFinding["kind"];
    readonly container?: string;
    readonly reason?: string | RegExp;
    /** Facts that its sentence holds, such as the words of the runtime. */
    readonly said?: string | RegExp;
  };

/** The parts of a report that are looked at. */
type Explained = Pick<PodReport, "findings" | "explanation">;

/** Whether just these are found, in this order. */
export function areFound(
  wanted: readonly WantedFinding[],
  report: Explained,
): boolean {
  return wanted.length === report.findings.length &&
    wanted.every((each, index) => isFound(each, report, index));
}

/** Whether a finding, the first if no other is named, is the one that is wanted. */
export function isFound(
  wanted: WantedFinding,
  { findings, explanation }: Explained,
  index: number = 0,
): boolean {
  const found = findings[index];
  if (typeof wanted === "string") return found?.kind === wanted;
  const facts = new Map(Object.entries({ ...found, said: explanation[index] }));
  return Object.entries(wanted).every(([name, fact]) => {
    const text = facts.get(name) ?? "";
    if (fact instanceof RegExp) return fact.test(text);
    return name === "said" ? text.includes(fact) : text === fact;
  });
}

/** What is wanted, as an error says it. */
export function wantedText(wanted: readonly WantedFinding[]): string {
  return JSON.stringify(
    wanted,
    (_key, value) => value instanceof RegExp ? String(value) : value,
  );
}

/** When what failed is tried again, as an explanation says it. */
export function retryTime(report: PodReport): string | undefined {
  const { failures = [], next } = report.decision ?? {};
  return failures[0]?.retryTime ??
    (next?.kind === "retry" ? next.time : undefined);
}

/** Whether what failed is tried again, and be it soon. */
export function isTriedAgain(report: PodReport): boolean {
  return retryTime(report) !== undefined ||
    report.decision?.next.kind === "retry";
}

/** With which code a container ended last. */
export function exitCode(
  { pod }: PodReport,
  container: string,
): number | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ??
    {};
  const { state, lastState } = [...initContainerStatuses, ...containerStatuses]
    .find(({ name }) => name === container) ?? {};
  return (state?.terminated ?? lastState?.terminated)?.exitCode;
}

/** What a probe of a container last answered; `undefined` when it did not fail. */
export function failedProbe(
  { probes }: PodReport,
  kind: PodReport["probes"][number]["kind"],
): string | undefined {
  const last = probes.find((probe) => probe.kind === kind)?.last;
  return last?.kind === "failure" ? last.message.trim() : undefined;
}
