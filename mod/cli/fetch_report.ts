/**
 * Asks an agent for all that it knows of one pod.
 *
 * @module
 */

import { explainMissingPod } from "../explain/mod.ts";
import type { PodReport } from "../server/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  ask,
  readText,
  refusalOf,
} from "./control_client.ts";
import { fetchSources } from "./get_sources.ts";
import type { NamedPod } from "./parse/mod.ts";
import { fetchPods, manifestName } from "./pod_list.ts";

/**
 * Asks for the report on a pod.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod has the name, saying what may be meant or the
 * matter; or when the answer is no report.
 */
export async function fetchReport(
  agent: AgentAddress,
  wanted: NamedPod,
): Promise<PodReport> {
  const { namespace, name } = wanted;
  const path = [namespace, name].map(encodeURIComponent).join("/");
  const answer = await ask(agent, `/reports/${path}`);
  const text = await readText(answer);
  if (answer.status === 404) throw await missing(agent, wanted);
  if (answer.status !== 200) throw refusalOf(answer.status, text);
  const report = parse(text);
  if (!isReport(report)) {
    throw new AgentAnswerError(
      `Cannot read the report of "${agent.socketPath}": found no PodReport`,
    );
  }
  return report;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused below, like any other answer that is no report.
    return undefined;
  }
}

function isReport(body: unknown): body is PodReport {
  return typeof body === "object" && body !== null && "kind" in body &&
    body.kind === "PodReport" && "explanation" in body &&
    Array.isArray(body.explanation);
}
