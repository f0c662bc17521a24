/**
 * Measures skerry beside the bare CRI calls, on the same runtime in the same run.
 *
 * Prints one line a figure, with its aim. Nothing here passes or fails: numbers
 * are for people. `--only start,burst,death,idle,relist,boot` measures a part.
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
import { Bench } from "./bench/bench_runtime.ts";
import { installDependencies } from "./install_dependencies.ts";

const PARTS = {
  start: measureStart,
  burst: measureBurst,
  death: measureDeath,
  boot: measureBoot,
  idle: measureIdle,
  relist: measureRelist,
} as const;

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: { only: { type: "string" } },
  });
  const wanted = values.only?.split(",") ?? Object.keys(PARTS);
  await installDependencies();
  await using rig = await ContainerdRig.start({
    progress: (step) => console.error(step),
  });
  await using bench = await Bench.open(rig, (line) => console.log(line));
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!wanted.includes(name)) continue;
    console.error(`measuring: ${name}`);
    await measure(bench);
  }
}
