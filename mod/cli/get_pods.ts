/**
 * `skerry get pods`.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import type { ClientContext } from "./control_client.ts";
import { GrowingTable, isTable, writeList } from "./listing.ts";
import type { GetPodsCommand } from "./parse/mod.ts";
import { fetchPods, type PodList, requirePod } from "./pod_list.ts";
import { type PodRow, podRow, PODS } from "./pod_row.ts";
import { ServerNotices } from "./get_sources.ts";

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
): Promise<void> {
  const { io, agent } = context;
  const list = await fetchPods(agent, command.namespace, command);
  if (command.watch) return await watch(command, context, list);
  if (isTable(command)) await new ServerNotices(context).look();
  const items = wantedPods(list, command);
  const body = command.name === undefined ? list : items[0];
  await writeList(PODS, { items, body }, { shown: command, io });
}

function wantedPods(
  { items }: PodList,
  { name }: GetPodsCommand,
): readonly Pod[] {
  return name === undefined ? items : [requirePod(items, name)];
}

/** Writes a line for every pod whose line has changed, until stopped. */
async function watch(
  command: GetPodsCommand,
  context: ClientContext,
  first: PodList,
): Promise<void> {
  const { io, agent } = context;
  const notices = new ServerNotices(context);
  using stop = io.stopRequests();
  const table = new GrowingTable(PODS.columns, command);
  let known: ReadonlyMap<string, string> = new Map();
  let list = first;
  while (true) {
    await notices.look();
    const nowMs = io.clock.now();
    const rows: PodRow[] = [];
    const shown = new Map<string, string>();
    for (const pod of wantedPods(list, command)) {
      const row = podRow(pod, nowMs);
      // The ages of all pods change all the time.
      const restarts = row.restarts.split(" ")[0];
      const lasting = JSON.stringify({ ...row, age: "", restarts });
      // A refused pod has no UID, and of two with one name one may be ending.
      const { uid, namespace, name } = pod.metadata;
      const key = JSON.stringify([uid, namespace, name]);
      shown.set(key, lasting);
      if (known.get(key) !== lasting) rows.push(row);
    }
    known = shown;
    const text = table.add(rows);
    if (text !== "") await io.out(text);
    await io.clock.sleep(WATCH_PERIOD_MS, stop.signal).catch(() => {});
    if (stop.signal.aborted) return;
    list = await fetchPods(agent, command.namespace, command);
  }
}
