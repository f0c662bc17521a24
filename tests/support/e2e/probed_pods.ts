/**
 * What an agent tells of the probes of its pods.
 *
 * @module
 */

import { ok } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { PodReport } from "../../../mod/server/mod.ts";
import type { AgentProcess } from "../../../scripts/lib/agent_process.ts";
import { find } from "../../../scripts/lib/pod_views.ts";
import { waitUntil } from "../../../scripts/lib/wait_until.ts";

/**
 * All that the agent tells of the pod that came from the manifest name `name`;
 * `undefined` while it tells nothing.
 */
async function reportOf(
  agent: AgentProcess,
  name: string,
): Promise<PodReport | undefined> {
  const pod = find(await agent.pods() ?? [], name);
  if (pod === undefined) return undefined;
  const { namespace, name: whole } = pod.metadata;
  const { status, text } = await agent.get(`/reports/${namespace}/${whole}`);
  // It is the agent's own answer.
  return status === 200 ? JSON.parse(text) as PodReport : undefined;
}

/**
 * Waits until the report of a pod satisfies `condition`.
 *
 * @throws {Error} when it never does
 */
export async function untilPodReport(
  agent: AgentProcess,
  name: string,
  condition: (report: PodReport) => boolean = () => true,
): Promise<PodReport> {
  let report: PodReport | undefined;
  await waitUntil(`what was wanted of "${name}"`, async () => {
    report = await reportOf(agent, name);
    return report !== undefined && condition(report);
  }, { saw: () => JSON.stringify(report) });
  ok(report);
  return report;
}

/** How often a pod had an event of a reason whose message matches. */
export function countOf(
  report: PodReport,
  reason: string,
  message: RegExp,
): number {
  return report.events
    .filter((event) => event.reason === reason && message.test(event.message))
    .reduce((sum, { count }) => sum + count, 0);
}

/** The status of one condition of a pod; `undefined` before it is told. */
export function conditionOf(
  pod: Pod | undefined,
  type: string,
): string | undefined {
  return pod?.status?.conditions?.find((each) => each.type === type)?.status;
}

/** Waits until a pod is ready, or is not. */
export async function untilPodReady(
  agent: AgentProcess,
  name: string,
  status: "True" | "False" = "True",
): Promise<Pod> {
  const pods = await agent.until(
    `${name} Ready ${status}`,
    (seen) => conditionOf(find(seen, name), "Ready") === status,
  );
  // The wait was for it to be there.
  return find(pods, name) as Pod;
}
