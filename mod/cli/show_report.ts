/**
 * `skerry describe pod` and `skerry explain`.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import { explainMissingPod } from "../explain/mod.ts";
import type { PodReport } from "../server/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askJson,
  type ClientContext,
} from "./control_client.ts";
import { describeReport } from "./describe/mod.ts";
import { fetchSources } from "./get_sources.ts";
import type {
  DescribePodCommand,
  ExplainPodCommand,
  NamedPod,
} from "./parse/mod.ts";
import { fetchPods, manifestName } from "./pod_list.ts";
import { cleanLine, dataText } from "./text/mod.ts";

/**
 * Writes all that is known of a pod, as kubectl would lay it out.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function showDescription(
  command: DescribePodCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const report = await fetchReport(agent, command);
  const zone = new Date(io.clock.now()).getTimezoneOffset();
  await io.out(describeReport(report, { utcOffsetMs: -zone * 60_000 }));
}

/**
 * Writes why a pod is as it is, one sentence a line, or all that is known of it.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name.
 */
export async function showExplanation(
  command: ExplainPodCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const report = await fetchReport(agent, command);
  const lines = report.explanation.map((line) => `${cleanLine(line)}\n`);
  await io.out(
    command.output === undefined
      ? lines.join("")
      : dataText(report, command.output),
  );
}

/**
 * Asks for the report on a pod.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name, saying what may be meant or the
 * matter; or when the answer is no report.
 */
async function fetchReport(
  agent: AgentAddress,
  wanted: NamedPod,
): Promise<PodReport> {
  const { namespace, name } = wanted;
  const path = [namespace, name].map(encodeURIComponent).join("/");
  let report: unknown;
  try {
    report = await askJson(agent, `/reports/${path}`);
  } catch (error) {
    const isMissing = error instanceof AgentAnswerError && error.status === 404;
    throw isMissing ? await missing(agent, wanted) : error;
  }
  if (isReport(report)) return report;
  throw new AgentAnswerError(
    `Cannot read the report of "${agent.socketPath}": found no PodReport`,
  );
}

async function missing(
  agent: AgentAddress,
  wanted: NamedPod,
): Promise<AgentAnswerError> {
  const [{ items }, sources] = await Promise.all([
    fetchPods(agent, undefined),
    fetchSources(agent),
  ]);
  const sentence = explainMissingPod(wanted, {
    pods: items.map((pod) => ({
      namespace: pod.metadata.namespace,
      name: manifestName(pod),
    })),
    sources: sources.items.map(({ location, ready, conditions }) => ({
      location,
      isReady: ready,
      faults: conditions
        .filter(({ type, status }) =>
          type === "ManifestsValid" && status === "False"
        )
        .map(({ message }) => message).join("; "),
    })),
  });
  return new AgentAnswerError(sentence);
}

function isReport(body: unknown): body is PodReport {
  return isRecord(body) && body["kind"] === "PodReport" &&
    Array.isArray(body["explanation"]);
}
