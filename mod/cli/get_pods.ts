/**
 * `skerry get pods`.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { GetPodsCommand } from "./parse/mod.ts";
import type { AgentAddress } from "./control_client.ts";
import {
  cleanLine,
  type ColumnWidths,
  dataText,
  fitColumns,
  renderTable,
} from "./text/mod.ts";
import { EXIT_OK } from "./exit_code.ts";
import type { CliIo } from "./io.ts";
import { fetchPods, type PodList, requirePod } from "./pod_list.ts";
import { podRow } from "./pod_row.ts";

const WATCH_PERIOD_MS = 1_000;

/**
 * Writes the pods in the form asked for.
 *
 * @throws {AgentUnreachableError} When nobody answers.
 * @throws {AgentAnswerError} When no pod or several have the name.
 */
export async function getPods(
  command: GetPodsCommand,
  context: { readonly io: CliIo; readonly agent: AgentAddress },
): Promise<number> {
  const { io, agent } = context;
  const list = await fetchPods(agent, command.namespace);
  if (command.watch) return await watch(command, context, list);
  const pods = command.name === undefined
    ? list.items
    : [requirePod(list.items, command.name)];
  const isTable = command.output === "table" || command.output === "wide";
  if (pods.length === 0 && isTable) {
    await io.err(
      command.namespace === undefined
        ? "No resources found"
        : `No resources found in ${command.namespace} namespace.`,
    );
    return EXIT_OK;
  }
  await io.out(render({ ...list, items: pods }, command, io.clock.now()));
  return EXIT_OK;
}

/** The whole output for `list`, which holds the one pod if one was named. */
export function render(
  list: PodList,
  command: Pick<GetPodsCommand, "name" | "namespace" | "output">,
  nowMs: number,
): string {
  const body = command.name === undefined ? list : list.items[0];
  switch (command.output) {
    case "json":
    case "yaml":
      return dataText(body, command.output);
    case "name":
      return list.items.map(({ metadata }) =>
        `pod/${cleanLine(metadata.name)}\n`
      ).join("");
    case "table":
    case "wide":
      return renderTable([
        header(command),
        ...list.items.map((pod) => cells(pod, command, nowMs)),
      ]);
  }
}

type Columns = Pick<GetPodsCommand, "namespace" | "output">;

function header(columns: Columns): string[] {
  return [
    ...(columns.namespace === undefined ? ["NAMESPACE"] : []),
    ...["NAME", "READY", "STATUS", "RESTARTS", "AGE"],
    ...(columns.output === "wide" ? ["IP", "NODE"] : []),
  ];
}

function cells(pod: Pod, columns: Columns, nowMs: number): string[] {
  const row = podRow(pod, nowMs);
  return [
    ...(columns.namespace === undefined ? [row.namespace] : []),
    ...[row.name, row.ready, row.status, row.restarts, row.age],
    ...(columns.output === "wide" ? [row.ip, row.node] : []),
  ];
}

/** Writes a line for every pod whose line has changed, until stopped. */
async function watch(
  command: GetPodsCommand,
  context: { readonly io: CliIo; readonly agent: AgentAddress },
  first: PodList,
): Promise<number> {
  const { io, agent } = context;
  using stop = io.stopRequests();
  let known: ReadonlyMap<string, string> = new Map();
  let widths: ColumnWidths | undefined;
  let list = first;
  while (true) {
    const nowMs = io.clock.now();
    const pods = command.name === undefined
      ? list.items
      : [requirePod(list.items, command.name)];
    const rows: string[][] = [];
    const shown = new Map<string, string>();
    for (const pod of pods) {
      const row = podRow(pod, nowMs);
      // The ages of all pods change all the time.
      const lasting = JSON.stringify({
        ...row,
        age: "",
        restarts: row.restarts.split(" ")[0],
      });
      // A refused pod has no UID, and of two with one name one may be ending.
      const { uid, namespace, name } = pod.metadata;
      const key = JSON.stringify([uid, namespace, name]);
      shown.set(key, lasting);
      if (known.get(key) === lasting) continue;
      rows.push(cells(pod, command, nowMs));
    }
    known = shown;
    if (rows.length > 0 || widths === undefined) {
      if (widths === undefined) rows.unshift(header(command));
      widths ??= fitColumns(rows);
      await io.out(renderTable(rows, widths));
    }
    if (stop.signal.aborted) return EXIT_OK;
    try {
      await io.clock.sleep(WATCH_PERIOD_MS, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return EXIT_OK;
      throw error;
    }
    list = await fetchPods(agent, command.namespace);
  }
}
