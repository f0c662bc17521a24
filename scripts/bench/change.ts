/**
 * From the rename of a manifest to the change that the agent acts on.
 *
 * @module
 */

import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../mod/base/mod.ts";
import { createManifestFiles, FileSource } from "../../mod/source/file/mod.ts";
import { DiskLastGoodStore } from "../../mod/source/records/mod.ts";
import { PodStorage } from "../../mod/source/merge/mod.ts";
import { median, type Report } from "./figures.ts";

const COUNTS = [1, 100, 1000] as const;
const ROUNDS = 50;

// The first ones are slower, since the engine compiles what they use.
const WARM_UP = 5;

/** Prints the median and the longest at each number of manifests; needs no runtime. */
export async function measureChange(report: Report): Promise<void> {
  for (const count of COUNTS) {
    const directory = await Deno.makeTempDir({ prefix: "skerry-change-" });
    try {
      const took = await changes(directory, count);
      report(
        `rename to change event, ${count} manifests, median`,
        `${median(took).toFixed(1)} ms`,
      );
      report("  longest", `${Math.max(...took).toFixed(1)} ms`);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  }
}

async function changes(directory: string, count: number): Promise<number[]> {
  const manifests = `${directory}/manifests`;
  await Deno.mkdir(manifests);
  for (let at = 0; at < count; at++) {
    const path = `${manifests}/p${at}.yaml`;
    await Deno.writeTextFile(path, manifest(`p${at}`, "first"));
    await Deno.utime(path, 1, 1);
  }
  const stop = new AbortController();
  const sets = fileSource(directory).run(stop.signal);
  const storage = new PodStorage({
    clock: systemClock,
    log: silentLogger,
    events: { record: () => {} },
  });
  // The event that comes first is the one of the first full look.
  const first = await sets.next();
  if (!first.done) storage.merge(first.value);
  await pause();
  const took: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const name = `p${(round + WARM_UP) % count}`;
    await Deno.writeTextFile(
      `${directory}/new`,
      manifest(name, `of-round-${round + WARM_UP}`),
    );
    const next = sets.next();
    const beforeMs = performance.now();
    await Deno.rename(`${directory}/new`, `${manifests}/${name}.yaml`);
    const set = await next;
    const merged = set.done ? [] : storage.merge(set.value);
    const tookMs = performance.now() - beforeMs;
    if (merged.length === 0) throw new Error("A rename brought no change");
    if (round >= 0) took.push(tookMs);
    await pause();
  }
  stop.abort();
  await sets.next();
  return took;
}

function fileSource(directory: string): FileSource {
  const deps = {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    events: { record: () => {} },
    check: () => [],
  };
  return new FileSource(
    {
      path: `${directory}/manifests`,
      nodeName: "edge1",
      checkFrequencyMs: 20_000,
      everyFile: false,
      unknownFields: "refuse",
    },
    {
      ...deps,
      files: createManifestFiles(deps),
      lastGood: new DiskLastGoodStore(
        {
          directory: `${directory}/checkpoints`,
          secretDirectory: `${directory}/run`,
        },
        deps,
      ),
    },
  );
}

function manifest(name: string, note: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  annotations: {note: ${note}}
spec:
  containers:
  - name: main
    image: localhost/busybox:1.35
    command: [sleep, "100000"]
`;
}

// Two changes that come close together are delivered as one.
function pause(): Promise<void> {
  return systemClock.sleep(250, new AbortController().signal);
}
