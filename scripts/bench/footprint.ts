/**
 * What skerry and the kubelet hold in memory and use of the processor, each on a
 * containerd of its own, in the same minutes.
 *
 * @module
 */

import { ContainerdRig } from "../lib/containerd_rig.ts";
import { pause } from "../lib/wait_until.ts";
import { Bench, cpuTicks, residentMb } from "./bench_runtime.ts";
import { type Contestant, kindsOf } from "./contestants.ts";
import { footprintRows, type Seen } from "./rows.ts";

const ROUNDS = 2;

/** Pods, and skerry's aim in MB. */
const COUNTS: readonly (readonly [number, string])[] = [
  [0, "aim 62"],
  [10, "aim 65"],
  [30, "aim 70"],
  [100, "aim 80"],
];

/** So many come and go. */
const MOST = 100;

/** With these the processor time is counted, too. */
const CPU_COUNTS: readonly number[] = [0, MOST];

/** Until skerry has given back what it can. */
const SETTLE_MS = 33_000;

const CPU_PARTS = 3;

const CPU_PART_S = 10;

/** One agent with the pods that it has. */
interface Runner {
  readonly name: string;
  readonly agent: Contestant;
  readonly seen: Seen;
}

/** Prints memory and processor time of both, row by row. */
export async function measureFootprint(bench: Bench): Promise<void> {
  // The kubelet ends what it finds in its runtime.
  await using rig = await ContainerdRig.start();
  await using apart = await Bench.open(rig, () => {});
  const kinds = [
    ...kindsOf(apart),
    ...kindsOf(bench).filter(({ name }) => name === "kubelet"),
  ];
  const seen = new Map<string, Seen>(
    kinds.map(({ name }) => [name, new Map()]),
  );
  for (let round = -1; round < bench.rounds(ROUNDS); round++) {
    await using ends = new AsyncDisposableStack();
    const runners: Runner[] = [];
    for (const { name, create } of kinds) {
      const agent = ends.use(await create());
      runners.push({ name, agent, seen: seen.get(name) ?? new Map() });
      await agent.start();
      await agent.untilAnswers();
    }
    // Deno examines a bundle that it has never seen, for 35 MB; an executable was examined.
    if (round >= 0) await measureRound(runners);
    for (const { agent } of runners) await agent.terminate();
    await apart.clear();
    await bench.clear();
  }
  for (const row of footprintRows(seen)) bench.report(...row);
}

async function measureRound(runners: readonly Runner[]): Promise<void> {
  const all = async (step: (runner: Runner) => Promise<void>) => {
    await Promise.all(runners.map(step));
  };
  let have = 0;
  const become = async (count: number): Promise<void> => {
    await all((runner) => change(runner, { from: have, to: count }));
    have = count;
  };
  for (const [count, aim] of COUNTS) {
    await become(count);
    await pause(SETTLE_MS);
    const what = `with ${count} pods on containerd: resident`;
    await all((runner) => noteResident(runner, { what, aim }));
    if (CPU_COUNTS.includes(count)) {
      await all((runner) => noteCpu(runner, count));
    }
  }
  for (const count of [0, MOST, 0]) await become(count);
  await pause(30_000);
  const what = `30 s after ${MOST} pods came and went, twice: resident`;
  await all((runner) => noteResident(runner, { what, aim: "aim 75" }));
}

async function change(
  { agent }: Runner,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let at = from; at < to; at++) await agent.apply(`p${at}`);
  for (let at = from; at > to; at--) await agent.remove(`p${at - 1}`);
  await agent.untilAllRun(to);
}

async function noteResident(
  { agent, seen }: Runner,
  { what, aim }: { readonly what: string; readonly aim: string },
): Promise<void> {
  const row = rowOf(seen, { what, unit: "MB", aim });
  row.push(await residentMb(agent.pid));
}

async function noteCpu(
  { agent, seen }: Runner,
  count: number,
): Promise<void> {
  const what = `with ${count} pods on containerd: CPU of one core`;
  const row = rowOf(seen, { what, unit: "%", aim: "aim 0.3" });
  for (let part = 0; part < CPU_PARTS; part++) {
    const before = await cpuTicks(agent.pid);
    await pause(CPU_PART_S * 1000);
    // A tick is 10 ms on every Linux that Deno runs on.
    row.push((await cpuTicks(agent.pid) - before) / CPU_PART_S);
  }
}

function rowOf(
  seen: Seen,
  { what, unit, aim }: {
    readonly what: string;
    readonly unit: string;
    readonly aim: string;
  },
): number[] {
  const row = seen.get(what) ?? { unit, aim, values: [] };
  seen.set(what, row);
  return row.values;
}
