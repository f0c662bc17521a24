/**
 * Collecting 1000 dead containers and 500 images: how many calls of the runtime that makes,
 * and how long it takes on a fake runtime, whose own work counts as well.
 *
 * @module
 */

import { nodeRef } from "../../mod/api/objects/mod.ts";
import { PodRemains } from "../../mod/agent/sync/mod.ts";
import { MetricsRegistry, silentLogger } from "../../mod/base/telemetry/mod.ts";
import { Sessions, systemClock } from "../../mod/base/mod.ts";
import { GarbageCollector } from "../../mod/collect/mod.ts";
import { connectCri, type CriConnection } from "../../mod/cri/mod.ts";
import { diskFiles } from "../../mod/host/files/mod.ts";
import { ImageCollector, ImageRemovals } from "../../mod/reclaim/mod.ts";
import { NEWEST_ONLY, PodRemover } from "../../mod/runtime/end/mod.ts";
import type { ObservedPod } from "../../mod/pod/observed/mod.ts";
import { ContainerFiles } from "../../mod/runtime/observe/mod.ts";
import {
  containerConfig,
  sandboxConfig,
} from "../../tests/support/cri/cri_rig.ts";
import { FakeCri } from "../../tests/support/fake_cri/fake_cri.ts";
import { ended, observed, sandbox } from "../../tests/support/observed_pods.ts";
import { pause } from "../lib/wait_until.ts";
import type { Report } from "./figures.ts";

const PODS = 100;
const DEAD_OF_EACH = 10;
const IMAGES = 500;

/** What both parts work with. */
interface Scene {
  readonly directory: string;
  readonly fake: FakeCri;
  readonly cri: CriConnection;
}

/** Prints calls and times of both; needs no runtime. */
export async function measureCollect(report: Report): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "skerry-collect-" });
  const socketPath = `${directory}/cri.sock`;
  try {
    await using fake = await FakeCri.start({ socketPath });
    const deps = { clock: systemClock, log: silentLogger };
    const metrics = new MetricsRegistry();
    const endpoint = { endpoint: socketPath };
    await using cri = connectCri(endpoint, { ...deps, metrics });
    const scene = { directory, fake, cri };
    for (
      const [what, collect] of [
        [`${PODS * DEAD_OF_EACH} dead containers`, await fillContainers(scene)],
        [`${IMAGES} images`, fillImages(scene)],
      ] as const
    ) {
      fake.calls.length = 0;
      const before = performance.now();
      await collect();
      const tookMs = performance.now() - before;
      report(`collection of ${what}, calls`, `${fake.calls.length}`);
      report("  time", `${tookMs.toFixed(0)} ms`);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Makes pods that keep one dead container and have more; the rest is what is to go. */
async function fillContainers(
  { directory, fake, cri }: Scene,
): Promise<() => Promise<void>> {
  fake.addImage({ ref: "busybox:1.35" });
  const pods: ObservedPod[] = [];
  for (let at = 0; at < PODS; at++) {
    const config = sandboxConfig(`pod${at}`);
    const sandboxId = await cri.runtime.runPodSandbox(config);
    const containers = [];
    for (let attempt = 0; attempt <= DEAD_OF_EACH; attempt++) {
      const id = await cri.runtime.createContainer({
        sandboxId,
        sandboxConfig: config,
        config: containerConfig("main", {
          metadata: { name: "main", attempt },
        }),
      });
      await cri.runtime.startContainer(id);
      fake.exitContainer(id, 1);
      containers.unshift(ended("main", 1, { id, sandboxId }));
    }
    const uid = `u-${at}`;
    pods.push({ ...observed(containers, [sandbox({ id: sandboxId })]), uid });
  }
  return async () => {
    const metrics = new MetricsRegistry();
    const deps = { clock: systemClock, log: silentLogger, metrics };
    const collector = new GarbageCollector(deps);
    const paths = { podsDir: directory, podLogsDir: directory };
    const files = new ContainerFiles({ files: diskFiles }, paths);
    const unused = (): never => {
      throw new Error("Not asked when dead containers are collected");
    };
    const remains = new PodRemains({
      collector,
      remover: new PodRemover({ runtime: cri.runtime, files }),
      kept: () => NEWEST_ONLY,
      sessions: new Sessions(),
      observer: { look: unused },
      picture: { get: unused, forget: unused },
      directories: { endVolumes: unused, discard: unused, renew: unused },
      resources: { remove: unused },
    });
    const stop = new AbortController();
    const run = collector.run(stop.signal);
    for (const pod of pods) remains.prune(pod);
    while (fake.containers.size > PODS) await pause(1);
    stop.abort();
    await run;
  };
}

/** Puts images on a disk that is full, none of them in use. */
function fillImages({ fake, cri }: Scene): () => Promise<void> {
  for (let at = 0; at < IMAGES; at++) {
    fake.addImage({ ref: `localhost/image${at}:1` });
  }
  return async () => {
    const collector = new ImageCollector({
      clock: systemClock,
      log: silentLogger,
      metrics: new MetricsRegistry(),
      events: { record: () => {} },
      node: nodeRef("edge1"),
      removals: new ImageRemovals(),
      disk: {
        room: () =>
          Promise.resolve({ capacityBytes: 2 ** 40, availableBytes: 0 }),
      },
      named: () => ({ active: [], known: [] }),
      images: cri.images,
      runtime: cri.runtime,
    }, {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minimumAgeMs: 0,
      maximumAgeMs: 0,
    });
    await collector.collect(new AbortController().signal);
  };
}
