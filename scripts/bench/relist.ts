/**
 * One list of 200 pods, from asking the runtime to knowing that nothing moved.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import type { ObservedPod } from "../../mod/pod/observed/mod.ts";
import {
  AnnouncedEnds,
  ListPace,
  PodObserver,
  RuntimePicture,
  RuntimeWatch,
} from "../../mod/picture/mod.ts";
import { connectCri } from "../../mod/cri/mod.ts";
import { diskFiles } from "../../mod/host/files/mod.ts";
import { type Bench, fakeRuntime } from "./bench_runtime.ts";
import { median } from "./figures.ts";

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
  const pace = new ListPace(deps, { relistPeriodMs: 1000 });
  const managed = { has: () => true };
  const picture = new RuntimePicture({ ...deps, pace, managed });
  const ends = new AnnouncedEnds({
    ...deps,
    runtime,
    ask: () => Promise.resolve(undefined),
  });
  const nothingMore = { complete: (pod: ObservedPod) => Promise.resolve(pod) };
  const observer = new PodObserver({
    ...deps,
    picture,
    ends,
    files: diskFiles,
    resources: nothingMore,
    notes: nothingMore,
  });
  const events = (scope: AbortSignal) => connection.events(scope);
  const parts = { pace, picture, ends, observer, events };
  const watch = new RuntimeWatch({ ...deps, ...parts });
  const { signal } = new AbortController();
  const took: number[] = [];
  // The first ones look closely at every pod, and the engine warms up.
  for (let round = -5; round < ROUNDS; round++) {
    const before = performance.now();
    await watch.relist(signal);
    if (round >= 0) took.push(performance.now() - before);
  }
  return took;
}
