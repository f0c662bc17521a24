/**
 * What a node of a cluster holds in memory and uses of the processor: skerry, the kubelet,
 * and skerry on its own with as many pods, each on a containerd of its own, in the same
 * minutes.
 *
 * @module
 */

import { clusterProgram } from "../cluster_components.ts";
import { Cluster } from "../../tests/support/cluster/cluster.ts";
import { ContainerdRig } from "../lib/containerd_rig.ts";
import { pause } from "../lib/wait_until.ts";
import { Bench, cpuTicks, residentMb } from "./bench_runtime.ts";
import { type Contestant, kindsOf } from "./contestants.ts";
import { median, spread } from "./figures.ts";
import {
  boundPod,
  joinedKinds,
  type JoinedNode,
  PODS_PATH,
  untilNodeReady,
} from "./joined_kinds.ts";
import { PodWatch } from "./pod_watch.ts";

const ROUNDS = 2;

const COUNTS: readonly number[] = [0, 10, 100];

/** Until skerry has given back what it can. */
const SETTLE_MS = 35_000;

const CPU_PARTS = 3;

const CPU_PART_S = 10;

/** One agent, and how it comes to have pods. */
interface Runner {
  readonly name: string;
  readonly pid: () => number;
  /** Makes the pods from `from` to below `to`, and waits until all run. */
  grow(from: number, to: number): Promise<void>;
}

/** By what was measured, by agent. */
type Seen = Map<string, Map<string, number[]>>;

/** Prints memory and processor time of all three, row by row. */
export async function measureJoinedFootprint(bench: Bench): Promise<void> {
  const program = await clusterProgram();
  if ("missing" in program) {
    return bench.report("joined_footprint", `not measured: ${program.missing}`);
  }
  // The kubelet ends what it finds in its runtime.
  await using rig = await ContainerdRig.start();
  await using apart = await Bench.open(rig, () => {});
  await using aloneRig = await ContainerdRig.start();
  await using alone = await Bench.open(aloneRig, () => {});
  const memory: Seen = new Map();
  const processor: Seen = new Map();
  for (let round = -1; round < bench.rounds(ROUNDS); round++) {
    await using cluster = await Cluster.start(program.path, {
      hasControllers: true,
    });
    await using watch = await PodWatch.open(cluster.api);
    await using ends = new AsyncDisposableStack();
    const runners: Runner[] = [];
    for (const kind of joinedKinds({ cluster, bench, apart })) {
      const node = ends.use(await kind.create());
      await node.start();
      await node.untilAnswers();
      await untilNodeReady(cluster, kind.nodeName);
      const { name, nodeName } = kind;
      runners.push(joinedRunner(node, { name, nodeName, cluster, watch }));
    }
    runners.push(await aloneRunner(alone, ends));
    // Deno examines a bundle that it has never seen, for 35 MB; an executable was examined.
    if (round >= 0) await measureRound(runners, { memory, processor });
    await ends.disposeAsync();
    for (const each of [bench, apart, alone]) await each.clear();
  }
  reportSeen(bench, { memory, processor });
}

async function measureRound(
  runners: readonly Runner[],
  { memory, processor }: { readonly memory: Seen; readonly processor: Seen },
): Promise<void> {
  let have = 0;
  for (const count of COUNTS) {
    await Promise.all(runners.map((runner) => runner.grow(have, count)));
    have = count;
    await pause(SETTLE_MS);
    await Promise.all(runners.map(async ({ name, pid }) => {
      const what = `with ${count} pods`;
      rowOf(memory, { what, name }).push(await residentMb(pid()));
      for (let part = 0; part < CPU_PARTS; part++) {
        const before = await cpuTicks(pid());
        await pause(CPU_PART_S * 1000);
        // A tick is 10 ms on every Linux that Deno runs on.
        const share = (await cpuTicks(pid()) - before) / CPU_PART_S;
        rowOf(processor, { what, name }).push(share);
      }
    }));
  }
}

function joinedRunner(
  node: JoinedNode,
  { name, nodeName, cluster, watch }: {
    readonly name: string;
    readonly nodeName: string;
    readonly cluster: Cluster;
    readonly watch: PodWatch;
  },
): Runner {
  return {
    name: `${name} in a cluster`,
    pid: () => node.pid,
    grow: async (from, to) => {
      const names: string[] = [];
      for (let at = from; at < to; at++) names.push(`${nodeName}-${at}`);
      for (const each of names) {
        await cluster.api.create(PODS_PATH, boundPod(each, nodeName));
      }
      await watch.untilReady(names);
    },
  };
}

async function aloneRunner(
  bench: Bench,
  ends: AsyncDisposableStack,
): Promise<Runner> {
  const [kind] = kindsOf(bench);
  if (kind === undefined) throw new Error("Cannot measure skerry: no kind");
  const agent: Contestant = ends.use(await kind.create());
  await agent.start();
  await agent.untilAnswers();
  return {
    name: ALONE,
    pid: () => agent.pid,
    grow: async (from, to) => {
      for (let at = from; at < to; at++) await agent.apply(`p${at}`);
      await agent.untilAllRun(to);
    },
  };
}

const ALONE = "skerry on its own";

function reportSeen(
  bench: Bench,
  { memory, processor }: { readonly memory: Seen; readonly processor: Seen },
): void {
  for (const [what, by] of memory) {
    const base = median(by.get(ALONE) ?? []);
    for (const [name, values] of by) {
      const more = (median(values) - base).toFixed(0);
      const compared = name === ALONE ? "" : `+ ${more} MB; aim + 15`;
      bench.report(`${name} ${what}: resident`, spread(values, "MB"), compared);
    }
  }
  for (const [what, by] of processor) {
    for (const [name, values] of by) {
      bench.report(`${name} ${what}: CPU of one core`, spread(values, "%", 1));
    }
  }
}

function rowOf(
  seen: Seen,
  { what, name }: { readonly what: string; readonly name: string },
): number[] {
  const by = seen.get(what) ?? new Map<string, number[]>();
  seen.set(what, by);
  const row = by.get(name) ?? [];
  by.set(name, row);
  return row;
}
