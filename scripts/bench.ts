/**
 * Measures skerry beside the bare CRI calls, on the same runtime in the same run.
 *
 * Prints one line a figure, as smallest / middle / largest, with its ratio to the bare calls
 * and its aim. Nothing here passes or fails: numbers are for people.
 * `--only change,logs,probes,cold,memory,owned,restart,collect,informer,fleet,start,burst,death,idle,relist,boot,footprint,joined,joined_footprint,calls`
 * measures a part; the first ten need no runtime. Where `KUBELET` names a program, start,
 * burst, boot and footprint measure that kubelet, too; `--rounds=1` is the most rounds that
 * these four make. Only by their names are measured calls, half an hour long: those of that
 * kubelet, and fleet, twenty minutes: those of 200 nodes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script whose purpose is to print

import { parseArgs } from "node:util";
import { ContainerdRig } from "./lib/containerd_rig.ts";
import { measureCalls } from "./bench/calls.ts";
import { measureBoot } from "./bench/boot.ts";
import { measureBurst } from "./bench/burst.ts";
import { measureCold } from "./bench/cold.ts";
import { measureCollect } from "./bench/collect.ts";
import { measureDeath } from "./bench/death.ts";
import { measureIdle } from "./bench/idle.ts";
import { measureMemory } from "./bench/memory.ts";
import { measureOwned } from "./bench/owned.ts";
import { measureRelist } from "./bench/relist.ts";
import { measureRestart } from "./bench/restart.ts";
import { measureStart } from "./bench/start.ts";
import { tryKubelet } from "./bench/contestants.ts";
import { measureFleet } from "./bench/fleet.ts";
import { measureFootprint } from "./bench/footprint.ts";
import { Bench } from "./bench/bench_runtime.ts";
import { type Report, reportTo } from "./bench/figures.ts";
import { measureChange } from "./bench/change.ts";
import { measureInformer } from "./bench/informer.ts";
import { measureJoined } from "./bench/joined.ts";
import { measureJoinedFootprint } from "./bench/joined_footprint.ts";
import { measureLogs } from "./bench/logs.ts";
import { measureProbes } from "./bench/probes.ts";
import {
  fetchIfPossible,
  installDependencies,
} from "./install_dependencies.ts";

const PARTS = {
  start: measureStart,
  burst: measureBurst,
  death: measureDeath,
  boot: measureBoot,
  idle: measureIdle,
  footprint: measureFootprint,
  relist: measureRelist,
  joined: measureJoined,
  joined_footprint: measureJoinedFootprint,
  calls: measureCalls,
} as const;

/** What needs no runtime. */
const ALONE = {
  change: measureChange,
  logs: measureLogs,
  probes: measureProbes,
  cold: measureCold,
  memory: measureMemory,
  owned: measureOwned,
  restart: measureRestart,
  collect: measureCollect,
  informer: measureInformer,
  fleet: measureFleet,
} as const;

/** A kubelet to measure beside skerry; an empty variable names none. */
const kubeletPath = Deno.env.get("KUBELET") || undefined;

const ALL: readonly string[] = [...Object.keys(ALONE), ...Object.keys(PARTS)]
  // Its ten minutes are for the comparison; idle has skerry's figures.
  .filter((name) => name !== "footprint" || kubeletPath !== undefined)
  // Half an hour.
  .filter((name) => name !== "calls")
  // Neither does what its twenty minutes measure.
  .filter((name) => name !== "fleet");

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { only: { type: "string" }, rounds: { type: "string" } },
  });
  const report = reportTo((line) => console.log(line));
  const wanted = new Set(values.only?.split(",") ?? ALL);
  for (const [name, measure] of Object.entries(ALONE)) {
    if (!wanted.delete(name)) continue;
    console.error(`measuring: ${name}`);
    await measure(report);
  }
  const rounds = values.rounds;
  const mostRounds = rounds === undefined ? undefined : Number(rounds);
  if (wanted.size > 0) {
    await measureOnRuntime(wanted, { report, mostRounds });
  }
}

async function measureOnRuntime(
  wanted: ReadonlySet<string>,
  { report, mostRounds }: {
    readonly report: Report;
    readonly mostRounds: number | undefined;
  },
): Promise<void> {
  await installDependencies();
  if (wanted.has("death")) await fetchIfPossible();
  await using rig = await ContainerdRig.start({
    progress: (step) => console.error(step),
  });
  await using bench = await Bench.open(rig, report, {
    kubeletPath,
    mostRounds,
  });
  if (kubeletPath !== undefined) await tryKubelet(bench);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!wanted.has(name)) continue;
    console.error(`measuring: ${name}`);
    await measure(bench);
  }
}
