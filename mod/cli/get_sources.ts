/**
 * `skerry get sources`.
 *
 * @module
 */

import { formatAge } from "../base/text/mod.ts";
import type { SourceState } from "../server/mod.ts";
import {
  type AgentAddress,
  askList,
  type ClientContext,
} from "./control_client.ts";
import { EXIT_OK } from "./exit_code.ts";
import { type Listing, renderList } from "./listing.ts";
import type { GetSourcesCommand } from "./parse/mod.ts";

/** How sources are listed. */
const SOURCES: Listing<SourceState, SourceRow> = {
  kind: "source",
  name: ({ name }) => name,
  row: summarise,
  columns: [
    { heading: "NAME", cell: ({ name }) => name },
    { heading: "READY", cell: ({ ready }) => ready },
    { heading: "PODS", cell: ({ pods }) => pods },
    { heading: "LAST-GOOD", cell: ({ lastGood }) => lastGood },
    { heading: "STATUS", cell: ({ status }) => status },
    { heading: "SINCE", cell: ({ since }) => since },
    { heading: "LOCATION", cell: ({ location }) => location },
    { heading: "MESSAGE", only: "wide", cell: ({ message }) => message },
  ],
};

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
): Promise<number> {
  const body = await fetchSources(agent);
  const { items } = body;
  const options = { shown: command, nowMs: io.clock.now() };
  await io.out(renderList(SOURCES, { items, body }, options));
  return EXIT_OK;
}

interface SourceRow {
  readonly name: string;
  readonly ready: string;
  readonly pods: string;
  /** How many pods run from what a manifest said before it turned bad. */
  readonly lastGood: string;
  readonly status: string;
  readonly since: string;
  readonly location: string;
  readonly message: string;
}

function summarise(source: SourceState, nowMs: number): SourceRow {
  const { name, ready, pods, location, conditions, lastGood } = source;
  const bad = conditions.filter(({ status }) => status === "False");
  const shown = bad.length > 0 ? bad : conditions;
  const times = shown.map((each) => Date.parse(each.lastTransitionTime));
  // All is well since the last thing became well; else since the first became bad.
  const sinceMs = bad.length > 0 ? Math.min(...times) : Math.max(...times);
  const kept = lastGood.reduce((sum, each) => sum + each.pods.length, 0);
  return {
    name,
    ready: ready ? "True" : "False",
    pods: String(pods),
    lastGood: String(kept),
    status: bad.length > 0
      ? bad.map(({ reason }) => reason).join(",")
      : conditions.length > 0
      ? "OK"
      : "Starting",
    since: shown.length > 0
      ? formatAge(Math.max(0, nowMs - sinceMs))
      : "<unknown>",
    location,
    message: bad.length > 0
      ? bad.map(({ message }) => message).join("; ")
      : "<none>",
  };
}
