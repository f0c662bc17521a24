/**
 * `skerry get sources`.
 *
 * @module
 */

import { formatAge } from "../base/text/mod.ts";
import type { SourceState } from "../server/mod.ts";
import type { GetSourcesCommand } from "./parse/mod.ts";
import {
  type AgentAddress,
  AgentAnswerError,
  askJson,
} from "./control_client.ts";
import { cleanLine, dataText, renderTable } from "./text/mod.ts";
import { EXIT_OK } from "./exit_code.ts";
import type { CliIo } from "./io.ts";
import { isSourceList, type SourceList } from "./source_list.ts";

/**
 * Writes where the pods come from, and how well that goes, in the form asked for.
 *
 * @throws {AgentUnreachableError} When nobody answers.
 * @throws {AgentAnswerError} When the answer is no list.
 */
export async function getSources(
  command: GetSourcesCommand,
  context: { readonly io: CliIo; readonly agent: AgentAddress },
): Promise<number> {
  const { io, agent } = context;
  const body = await askJson(agent, "/sources");
  if (!isSourceList(body)) {
    throw new AgentAnswerError(
      `Cannot read the sources of "${agent.socketPath}": found no list`,
    );
  }
  await io.out(render(body, command, io.clock.now()));
  return EXIT_OK;
}

function render(
  list: SourceList,
  { output }: Pick<GetSourcesCommand, "output">,
  nowMs: number,
): string {
  switch (output) {
    case "json":
    case "yaml":
      return dataText(list, output);
    case "name":
      return list.items.map(({ name }) => `source/${cleanLine(name)}\n`)
        .join("");
    case "table":
    case "wide": {
      const header = [...COLUMNS, ...output === "wide" ? ["MESSAGE"] : []];
      const rows = list.items.map((source) => {
        const { message, ...row } = summarise(source, nowMs);
        const cells = [row.name, row.ready, row.pods, row.lastGood, row.status];
        cells.push(row.since, row.location);
        return output === "wide" ? [...cells, message] : cells;
      });
      return renderTable([header, ...rows]);
    }
  }
}

const COLUMNS = [
  "NAME",
  "READY",
  "PODS",
  "LAST-GOOD",
  "STATUS",
  "SINCE",
  "LOCATION",
];

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
