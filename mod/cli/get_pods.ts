/**
 * `skerry get pods`.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { ClientContext } from "./control_client.ts";
import { EXIT_OK } from "./exit_code.ts";
import {
  cells,
  headings,
  isTable,
  nothingFound,
  renderList,
} from "./listing.ts";
import type { GetPodsCommand } from "./parse/mod.ts";
import { fetchPods, type PodList, requirePod } from "./pod_list.ts";
import { podRow, PODS } from "./pod_row.ts";
import { type ColumnWidths, fitColumns, renderTable } from "./text/mod.ts";

const WATCH_PERIOD_MS = 1_000;

/**
 * Writes the pods in the form asked for.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When no pod or several have the name.
 */
export async function getPods(
  command: GetPodsCommand,
  context: ClientContext,
): Promise<number> {
  const { io, agent } = context;
  const list = await fetchPods(agent, command.namespace);
  if (command.watch) return await watch(command, context, list);
  const items = wantedPods(list, command);
  if (items.length === 0 && isTable(command)) {
    await io.err(nothingFound(command));
    return EXIT_OK;
  }
  await io.out(render({ ...list, items }, command, io.clock.now()));
  return EXIT_OK;
}

function wantedPods(
  { items }: PodList,
  { name }: GetPodsCommand,
): readonly Pod[] {
  return name === undefined ? items : [requirePod(items, name)];
}

/** The whole output for `list`, which holds the one pod if one was named. */
export function render(
  list: PodList,
  command: Pick<GetPodsCommand, "name" | "namespace" | "output">,
  nowMs: number,
): string {
  const body = command.name === undefined ? list : list.items[0];
  const { items } = list;
  return renderList(PODS, { items, body }, { shown: command, nowMs });
}

/** Writes a line for every pod whose line has changed, until stopped. */
async function watch(
  command: GetPodsCommand,
  { io, agent }: ClientContext,
  first: PodList,
): Promise<number> {
  using stop = io.stopRequests();
  let known: ReadonlyMap<string, string> = new Map();
  let widths: ColumnWidths | undefined;
  let list = first;
  while (true) {
    const nowMs = io.clock.now();
    const rows: string[][] = [];
    const shown = new Map<string, string>();
    for (const pod of wantedPods(list, command)) {
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
      rows.push(cells(PODS, row, command));
    }
    known = shown;
    if (rows.length > 0 || widths === undefined) {
      if (widths === undefined) rows.unshift(headings(PODS, command));
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
