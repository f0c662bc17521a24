/**
 * Asks an agent what is used.
 *
 * @module
 */

import { isRecord } from "../base/mod.ts";
import type { StatsSummary } from "../server/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askJson,
} from "./control_client.ts";

/**
 * Asks for what the node and its pods use; an agent of the same version made the answer.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the runtime does not say, or the answer is none.
 */
export async function fetchStats(
  agent: AgentAddress,
  options: { readonly storage: boolean },
): Promise<StatsSummary> {
  const query = options.storage ? "" : "?only_cpu_and_memory=true";
  const body = await askJson(agent, `/stats/summary${query}`);
  if (isSummary(body)) return body;
  throw new AgentAnswerError(
    `Cannot read the figures of "${agent.socketPath}": found no summary`,
  );
}

function isSummary(body: unknown): body is StatsSummary {
  return isRecord(body) && isRecord(body["node"]) &&
    Array.isArray(body["pods"]);
}
