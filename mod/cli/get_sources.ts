/**
 * `skerry get sources`.
 *
 * @module
 */

import type { SourceState } from "../server/mod.ts";
import {
  type AgentAddress,
  askList,
  type ClientContext,
} from "./control_client.ts";
import { type Listing, writeList } from "./listing.ts";
import type { GetSourcesCommand } from "./parse/mod.ts";
import { ageText, serverNotice } from "./text/mod.ts";

/** How sources are listed. */
const SOURCES: Listing<SourceState, SourceRow> = {
  kind: "source",
  name: ({ name }) => name,
  row: summarise,
  columns: [
    ["NAME", ({ name }) => name],
    ["READY", ({ ready }) => ready ? "True" : "False"],
    ["PODS", ({ pods }) => String(pods)],
    // How much there is of what manifests said before they turned bad.
    ["LAST-GOOD", ({ lastGood }) => String(lastGood.flatMap(allOf).length)],
    ["STATUS", ({ status }) => status],
    ["SINCE", ({ since }) => since],
    ["LOCATION", ({ location }) => location],
    ["MESSAGE", ({ message }) => message, "wide"],
  ],
};

/** What one manifest said last; an agent before workloads says nothing of them. */
function allOf(
  { pods, workloads = [] }: SourceState["lastGood"][number],
): readonly string[] {
  return [...pods, ...workloads];
}

/**
 * Asks for the sources.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function fetchSources(
  agent: AgentAddress,
): Promise<{ readonly items: readonly SourceState[] }> {
  return await askList(agent, "/sources", "sources");
}

/**
 * Writes where the pods come from, and how well that goes, in the form asked for.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function getSources(
  command: GetSourcesCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const body = await fetchSources(agent);
  const { items } = body;
  await writeList(SOURCES, { items, body }, { shown: command, io });
}

interface SourceRow extends SourceState {
  readonly status: string;
  readonly since: string;
  readonly message: string;
}

function summarise(source: SourceState, nowMs: number): SourceRow {
  const { conditions } = source;
  const bad = conditions.filter(({ status }) => status === "False");
  const shown = bad.length > 0 ? bad : conditions;
  const times = shown.map(({ lastTransitionTime }) => lastTransitionTime)
    .sort();
  // All is well since the last thing became well; else since the first became bad.
  const since = ageText(bad.length > 0 ? times[0] : times.at(-1), nowMs);
  if (bad.length > 0) {
    const status = [...new Set(bad.map(({ reason }) => reason))].join(",");
    const message = bad.map(({ message }) => message).join("; ");
    return { ...source, status, since, message };
  }
  const status = conditions.length > 0 ? "OK" : "Starting";
  return { ...source, status, since, message: "<none>" };
}

/** Says on standard error what is wrong with an API server, and again when that changes. */
export class ServerNotices {
  readonly #context: ClientContext;
  /** What was said last, without what changes with time. */
  #told: string | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
  }

  /**
   * Asks the agent, and says what is new.
   *
   * @throws {AgentUnreachableError} When no agent answers.
   * @throws {AgentAnswerError} When the answer is no list.
   */
  async look(): Promise<void> {
    const { io, agent } = this.#context;
    const { items } = await fetchSources(agent);
    // At one moment it is the same as long as nothing but time has changed.
    const lasting = serverNotice(items, 0);
    const before = this.#told;
    this.#told = lasting;
    if (lasting === before) return;
    await io.err(
      serverNotice(items, io.clock.now()) ?? "The API server answers again",
    );
  }
}
