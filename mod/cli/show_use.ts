/**
 * `skerry top`.
 *
 * @module
 */

import type { PodSummary, StatsSummary } from "../server/mod.ts";
import type { AgentAddress, ClientContext } from "./control_client.ts";
import type { TopCommand } from "./parse/mod.ts";
import { fetchStats } from "./stats_client.ts";
import { amountText, renderTable } from "./text/mod.ts";

/** Between two looks: over less time a rate says little. */
const RATE_MS = 1_000;

/** What is not known. */
const UNKNOWN = "<unknown>";

/**
 * Writes what the node or its pods use, as kubectl does.
 *
 * @throws {AgentUnreachableError} When no agent answers.
 * @throws {AgentAnswerError} When the runtime does not say.
 */
export async function showUse(
  command: TopCommand,
  { io, agent }: ClientContext,
): Promise<void> {
  const { summary, nodeCores } = await lookTwice(agent);
  if (command.what === "node") {
    // The agent is on this machine, and asking for its processors takes no permission.
    const cores = { used: nodeCores, inAll: navigator.hardwareConcurrency };
    return await io.out(renderTable(nodeTable(summary, cores)));
  }
  const { namespace } = command;
  const pods = summary.pods.filter(({ podRef }) =>
    namespace === undefined || podRef.namespace === namespace
  ).toSorted(byName);
  if (pods.length > 0) {
    return await io.out(renderTable(podTable(pods, namespace === undefined)));
  }
  await io.err(
    namespace === undefined
      ? "No resources found"
      : `No resources found in ${namespace} namespace.`,
  );
}

/** What was used between two looks; `nodeCores` in processors. */
async function lookTwice(agent: AgentAddress): Promise<{
  readonly summary: StatsSummary;
  readonly nodeCores: number | undefined;
}> {
  const { clock } = agent;
  const before = await fetchStats(agent, { storage: false });
  const fromMs = clock.monotonic();
  await clock.sleep(RATE_MS, new AbortController().signal);
  const tookMs = clock.monotonic() - fromMs;
  const summary = await fetchStats(agent, { storage: false });
  const [first, last] = [before, summary].map(({ node }) =>
    node.cpu?.usageCoreNanoSeconds
  );
  const nodeCores = first === undefined || last === undefined || tookMs <= 0
    ? undefined
    : Math.max(0, last - first) / (tookMs * 1_000_000);
  return { summary, nodeCores };
}

function nodeTable(
  { node }: StatsSummary,
  cores: {
    readonly used: number | undefined;
    readonly inAll: number;
  },
): readonly (readonly string[])[] {
  const { workingSetBytes: used, availableBytes: left } = node.memory ?? {};
  const share = used === undefined || left === undefined || used + left === 0
    ? UNKNOWN
    : `${Math.round(used / (used + left) * 100)}%`;
  const busy = cores.used === undefined || cores.inAll === 0
    ? UNKNOWN
    : `${Math.round(cores.used / cores.inAll * 100)}%`;
  return [
    ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"],
    [
      node.nodeName,
      coresText(cores.used),
      busy,
      amountText(used) ?? UNKNOWN,
      share,
    ],
  ];
}

function podTable(
  pods: readonly PodSummary[],
  isOfAll: boolean,
): readonly (readonly string[])[] {
  const head = ["NAME", "CPU(cores)", "MEMORY(bytes)"];
  const rows = pods.map(({ podRef: { name, namespace }, cpu, memory }) => {
    const nanoCores = cpu?.usageNanoCores;
    const cores = nanoCores === undefined ? undefined : nanoCores / 1e9;
    const used = amountText(memory?.workingSetBytes) ?? UNKNOWN;
    const row = [name, coresText(cores), used];
    return isOfAll ? [namespace, ...row] : row;
  });
  return [isOfAll ? ["NAMESPACE", ...head] : head, ...rows];
}

/** Thousandths of a processor, as kubectl writes them. */
function coresText(cores: number | undefined): string {
  return cores === undefined ? UNKNOWN : `${Math.round(cores * 1000)}m`;
}

function byName({ podRef: a }: PodSummary, { podRef: b }: PodSummary): number {
  const [first, second] = [a, b].map(({ namespace, name }) =>
    `${namespace}/${name}`
  );
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
