/**
 * `skerry df`.
 *
 * @module
 */

import type {
  FsSummary,
  ImageState,
  PodSummary,
  StatsSummary,
} from "../server/mod.ts";
import { askList, type ClientContext } from "./control_client.ts";
import type { DfCommand } from "./parse/mod.ts";
import { fetchStats } from "./stats_client.ts";
import { amountText, renderTable } from "./text/mod.ts";

const UNKNOWN = "<unknown>";

type Table = readonly (readonly string[])[];

/**
 * Writes what pods and images take of the disk, the largest first, and what is left.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the runtime does not say.
 */
export async function showDisk(
  _command: DfCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const summary = await fetchStats(agent, { storage: true });
  const { items }: { readonly items: readonly ImageState[] } = await askList(
    agent,
    "/images",
    "images",
  );
  const tables = [
    diskTable(summary),
    podTable(summary.pods),
    imageTable(items),
  ];
  await io.out(
    tables.filter((rows) => rows.length > 1)
      .map((rows) => renderTable(rows)).join("\n"),
  );
}

function diskTable({ node }: StatsSummary): Table {
  const disks: readonly (readonly [string, FsSummary | undefined])[] = [
    ["nodefs", node.fs],
    ["imagefs", node.runtime?.imageFs],
    ["containerfs", node.runtime?.containerFs],
  ];
  return [
    ["DISK", "SIZE", "USED", "FREE", "INODES-FREE"],
    ...disks.flatMap(([name, disk]) =>
      disk === undefined ? [] : [[
        name,
        textOf(disk.capacityBytes),
        textOf(disk.usedBytes),
        textOf(disk.availableBytes),
        disk.inodesFree === undefined ? UNKNOWN : String(disk.inodesFree),
      ]]
    ),
  ];
}

function podTable(pods: readonly PodSummary[]): Table {
  const rows = pods.map((pod) => {
    const { podRef: { name, namespace }, containers, volume = [] } = pod;
    const total = pod["ephemeral-storage"]?.usedBytes ?? 0;
    const logs = sum(containers.map(({ logs }) => logs?.usedBytes));
    const layers = sum(containers.map(({ rootfs }) => rootfs?.usedBytes));
    const volumes = sum(volume.map(({ usedBytes }) => usedBytes));
    // A volume in memory has no disk behind it.
    const inMemory = sum(
      volume.filter(({ capacityBytes }) => capacityBytes === undefined)
        .map(({ usedBytes }) => usedBytes),
    );
    const amounts = [logs, volumes - inMemory, layers, total, inMemory];
    return { total, cells: [namespace, name, ...amounts.map(textOf)] };
  });
  return [
    ["NAMESPACE", "POD", "LOGS", "VOLUMES", "LAYERS", "TOTAL", "IN-MEMORY"],
    ...rows.toSorted((a, b) => b.total - a.total).map(({ cells }) => cells),
  ];
}

function imageTable(images: readonly ImageState[]): Table {
  return [
    ["IMAGE", "SIZE", "USED-BY"],
    ...images.toSorted((a, b) => b.size - a.size).map((
      { id, names: [name = id], size, users, pinned },
    ) => [
      name,
      textOf(size),
      users.length > 0 ? `${users.length}` : pinned ? "<runtime>" : "<none>",
    ]),
  ];
}

function textOf(bytes: number | undefined): string {
  return amountText(bytes) ?? UNKNOWN;
}

function sum(amounts: readonly (number | undefined)[]): number {
  return amounts.reduce<number>((total, next) => total + (next ?? 0), 0);
}
