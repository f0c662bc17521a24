/**
 * Measures skerry beside the bare CRI calls, on the same runtime in the same run.
 *
 * Prints one line a figure, with its aim. Nothing here passes or fails: numbers
 * are for people. `--only change,start,burst,death,idle,relist,boot` measures
 * a part; `change` alone needs no runtime.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a command-line script whose purpose is to print

import { parseArgs } from "node:util";
import { ContainerdRig } from "../tests/support/runtime/containerd_rig.ts";
import { measureBoot } from "./bench/boot.ts";
import { measureBurst } from "./bench/burst.ts";
import { measureDeath } from "./bench/death.ts";
import { measureIdle } from "./bench/idle.ts";
import { measureRelist } from "./bench/relist.ts";
import { measureStart } from "./bench/start.ts";
import { Bench, type Report, reportTo } from "./bench/bench_runtime.ts";
import { measureChange } from "./bench/change.ts";
import { installDependencies } from "./install_dependencies.ts";

const PARTS = {
  start: measureStart,
  burst: measureBurst,
  death: measureDeath,
  boot: measureBoot,
  idle: measureIdle,
  relist: measureRelist,
} as const;

const ALL: readonly string[] = ["change", ...Object.keys(PARTS)];

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { only: { type: "string" } },
  });
  const report = reportTo((line) => console.log(line));
  const wanted = new Set(values.only?.split(",") ?? ALL);
  if (wanted.delete("change")) {
    console.error("measuring: change");
    await measureChange(report);
  }
  if (wanted.size > 0) await measureOnRuntime(wanted, report);
}

async function measureOnRuntime(
  wanted: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  await installDependencies();
  await using rig = await ContainerdRig.start({
    progress: (step) => console.error(step),
  });
  await using bench = await Bench.open(rig, report);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!wanted.has(name)) continue;
    console.error(`measuring: ${name}`);
    await measure(bench);
  }
}
