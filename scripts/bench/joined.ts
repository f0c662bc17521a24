/**
 * Skerry and the kubelet as nodes of one cluster, in turns: from a bound pod to what the
 * API shows of it.
 *
 * @module
 */

import { clusterProgram } from "../cluster_components.ts";
import { Cluster } from "../../tests/support/cluster/cluster.ts";
import { ContainerdRig } from "../lib/containerd_rig.ts";
import { pause } from "../lib/wait_until.ts";
import { Bench, wallMs } from "./bench_runtime.ts";
import { median, ratio, spread } from "./figures.ts";
import {
  boundPod,
  type JoinedKind,
  joinedKinds,
  PODS_PATH,
  untilNodeReady,
} from "./joined_kinds.ts";
import { PodWatch } from "./pod_watch.ts";

const ROUNDS = 10;

/** How many pods, and how often. */
const BURSTS: readonly (readonly [number, number])[] = [[10, 3], [30, 2]];

/** A kernel that still clears network namespaces makes the next burst up to twice as slow. */
const PAUSE_MS = 25_000;

/** What is measured: each figure of each agent, by its row. */
type Rows = Map<string, { readonly aim: string; readonly by: Figures }>;
type Figures = Map<JoinedKind["name"], number[]>;

/** Where all is made and seen. */
interface Place {
  readonly cluster: Cluster;
  readonly watch: PodWatch;
  readonly rows: Rows;
}

/** Prints how long a bound pod takes to run, and to be shown as ready. */
export async function measureJoined(bench: Bench): Promise<void> {
  const program = await clusterProgram();
  if ("missing" in program) {
    return bench.report("joined", `not measured: ${program.missing}`);
  }
  // The kubelet ends what it finds in its runtime.
  await using rig = await ContainerdRig.start();
  await using apart = await Bench.open(rig, () => {});
  await using cluster = await Cluster.start(program.path, {
    hasControllers: true,
  });
  await using watch = await PodWatch.open(cluster.api);
  await using nodes = new AsyncDisposableStack();
  const kinds = joinedKinds({ cluster, bench, apart });
  for (const kind of kinds) {
    const node = nodes.use(await kind.create());
    await node.start();
    await node.untilAnswers();
    await untilNodeReady(cluster, kind.nodeName);
  }
  const rows: Rows = new Map();
  // The first pod finds nothing compiled, on either node.
  for (const kind of kinds) {
    await pods({ cluster, watch, rows: new Map() }, { kind, count: 1 });
  }
  for (let round = 0; round < bench.rounds(ROUNDS); round++) {
    for (const kind of kinds) {
      await pods({ cluster, watch, rows }, { kind, count: 1 });
      await pause(2_000);
    }
  }
  for (const [count, rounds] of BURSTS) {
    for (let round = 0; round < bench.rounds(rounds); round++) {
      for (const kind of kinds) {
        await pause(PAUSE_MS);
        await pods({ cluster, watch, rows }, { kind, count });
      }
    }
  }
  reportRows(bench, rows);
}

let made = 0;

/** Binds pods to a node, waits until they are ready, and has them gone. */
async function pods(
  { cluster, watch, rows }: Place,
  { kind, count }: { readonly kind: JoinedKind; readonly count: number },
): Promise<void> {
  const names = Array.from({ length: count }, () => `p${made++}`);
  const from = wallMs();
  await Promise.all(
    names.map((name) =>
      cluster.api.create(PODS_PATH, boundPod(name, kind.nodeName))
    ),
  );
  const seen = await watch.untilReady(names);
  const started = await Promise.all(
    seen.map(({ containerId }) => kind.bench.startedAtMs(containerId)),
  );
  const note = (what: string, values: readonly number[], aim = ""): void => {
    const key = `${count === 1 ? "a pod" : `${count} pods`} bound: ${what}`;
    const row = rows.get(key) ?? { aim, by: new Map() };
    rows.set(key, row);
    row.by.set(kind.name, [...row.by.get(kind.name) ?? [], ...values]);
  };
  const runs = seen.map(({ runningMs }) => runningMs - from);
  const starts = started.map((atMs) => atMs - from);
  const shown = seen.map(({ readyMs }, at) => readyMs - (started[at] ?? NaN));
  if (count === 1) {
    note("its container started", starts);
    note("Running in the API", runs, "aim: ahead of the kubelet");
  } else {
    note("the last one's container started", [Math.max(...starts)]);
    note("half of them Running in the API", [median(runs)]);
    note("all Running in the API", [Math.max(...runs)]);
  }
  note("container started → Ready in the API", shown, "aim 100");
  for (const name of names) {
    await cluster.api.ask("DELETE", `${PODS_PATH}/${name}`);
  }
  await watch.untilGone(names);
}

function reportRows(bench: Bench, rows: Rows): void {
  for (const [what, { aim, by }] of rows) {
    const skerry = by.get("skerry") ?? [];
    const kubelet = by.get("kubelet");
    bench.report(`skerry, ${what}`, spread(skerry, "ms"), aim);
    if (kubelet === undefined) continue;
    bench.report(
      `kubelet, ${what}`,
      spread(kubelet, "ms"),
      `${ratio(kubelet, skerry)} of skerry's`,
    );
  }
}
