/**
 * One list of 200 pods, from asking the runtime to knowing that nothing moved.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import { Pleg } from "../../mod/picture/mod.ts";
import { diskFiles } from "../../mod/host/files/mod.ts";
import { PodCache, PodObserver } from "../../mod/picture/mod.ts";
import { type Bench, fakeRuntime, median } from "./bench_runtime.ts";

const PODS = 200;
const ROUNDS = 30;

/** Prints the median and the longest, on a fake runtime in another process. */
export async function measureRelist(bench: Bench): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-relist-" });
  const socketPath = `${directory}/cri.sock`;
  try {
    await using _fake = await fakeRuntime(socketPath, PODS);
    const took = await relists(socketPath);
    bench.report(
      `relist of ${PODS} pods on the fake runtime, median`,
      `${median(took).toFixed(1)} ms`,
      "aim ≤ 15",
    );
    bench.report("  longest", `${Math.max(...took).toFixed(1)} ms`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function relists(socketPath: string): Promise<number[]> {
  const deps = {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
  };
  await using connection = connectCri({ endpoint: socketPath }, deps);
  const { runtime } = connection;
  const cache = new PodCache();
  const observer = new PodObserver({
    runtime,
    files: diskFiles,
    cache,
    clock: systemClock,
  });
  const pleg = new Pleg({
    ...deps,
    runtime,
    cache,
    inspect: (listing, signal) => observer.inspect(listing, signal),
  }, { relistPeriodMs: 1000 });
  const { signal } = new AbortController();
  const took: number[] = [];
  // The first ones look closely at every pod, and the engine warms up.
  for (let round = -5; round < ROUNDS; round++) {
    const before = performance.now();
    await pleg.relist(signal);
    if (round >= 0) took.push(performance.now() - before);
  }
  return took;
}
