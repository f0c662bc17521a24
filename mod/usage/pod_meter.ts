/**
 * Measures what pods use of the node.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import {
  LABEL_CONTAINER_NAME,
  LABEL_POD_UID,
  logDirectoryName,
} from "../api/vocabulary/mod.ts";
import type { ContainerStats, RuntimeService } from "../cri/model/mod.ts";
import type { ContainerUse, PodUse, StoredAmount } from "./pod_use.ts";
import type {
  MeteredPaths,
  ProcessMeter,
  StallMeter,
  StorageMeter,
} from "./ports.ts";

interface PodMeterDeps {
  readonly runtime: Pick<RuntimeService, "listContainerStats">;
  readonly storage: StorageMeter;
  readonly processes: ProcessMeter;
  /** @default nothing tells */
  readonly stalls?: StallMeter;
}

/** What is wanted of pods. */
export interface MeterOptions {
  /** `memory` walks through no files but those in memory. */
  readonly what: "memory" | "all";
  readonly signal: AbortSignal;
}

const NOTHING: StoredAmount = { bytes: 0, inodes: 0 };

/** Measures pods one after the other, when it is asked; it keeps nothing. */
export class PodMeter {
  readonly #deps: PodMeterDeps;
  readonly #paths: MeteredPaths;

  constructor(deps: PodMeterDeps, paths: MeteredPaths) {
    this.#deps = deps;
    this.#paths = paths;
  }

  /**
   * What each pod uses, by UID; one whose files cannot be read is not there.
   *
   * @throws {CriError} When the runtime has no figures.
   */
  async measure(
    pods: readonly Pod[],
    options: MeterOptions,
  ): Promise<ReadonlyMap<string, PodUse>> {
    const { signal } = options;
    const stats = await this.#deps.runtime.listContainerStats({ signal });
    const byPod = Map.groupBy(stats, ({ labels }) => labels[LABEL_POD_UID]);
    const uses = new Map<string, PodUse>();
    for (const pod of pods) {
      const { uid } = pod.metadata;
      try {
        const given = { pod, stats: byPod.get(uid) ?? [] };
        uses.set(uid, await this.#measurePod(given, options));
      } catch (_unreadable) {
        // Its absence says so; the others count all the same.
        signal.throwIfAborted();
      }
    }
    return uses;
  }

  async #measurePod(
    { pod, stats }: {
      readonly pod: Pod;
      readonly stats: readonly ContainerStats[];
    },
    { what, signal }: MeterOptions,
  ): Promise<PodUse> {
    const wantsAll = what === "all";
    const { volumes: all = [] } = pod.spec;
    const inMemory = all.filter(({ emptyDir }) => emptyDir?.medium === "Memory")
      .map(({ name }) => name);
    const found = wantsAll || inMemory.length > 0
      ? await this.#deps.storage.volumes(
        wantsAll ? pod : onlyVolumes(pod, inMemory),
        signal,
      )
      : new Map<string, StoredAmount>();
    const volumes = [...found].map(([name, stored]) => {
      return { name, stored, isInMemory: inMemory.includes(name) };
    });
    const storedIn = (isInMemory: boolean): StoredAmount =>
      sum(
        volumes.filter((each) => each.isInMemory === isInMemory)
          .map(({ stored }) => stored),
      );
    const containers: ContainerUse[] = [];
    const { initContainers = [], containers: apps } = pod.spec;
    for (const { name } of [...initContainers, ...apps]) {
      const own = stats.filter(({ labels }) =>
        labels[LABEL_CONTAINER_NAME] === name
      );
      const logs = wantsAll ? await this.#logs(pod, name, signal) : undefined;
      containers.push({ name, ...figuresOf(own), logs });
    }
    const own = wantsAll ? await this.#ownFiles(pod, signal) : NOTHING;
    const stalls = await this.#deps.stalls?.(pod);
    return {
      containers,
      processes: await this.#deps.processes(pod),
      ...(stalls !== undefined && { stalls }),
      volumes,
      inMemoryBytes: storedIn(true).bytes,
      files: sum([storedIn(false), own]),
    };
  }

  #logs(pod: Pod, name: string, signal: AbortSignal): Promise<StoredAmount> {
    const path = `${this.#paths.podLogsDir}/${logDirectoryName(pod)}/${name}`;
    return this.#deps.storage.directory(path, signal);
  }

  async #ownFiles(pod: Pod, signal: AbortSignal): Promise<StoredAmount> {
    const { storage } = this.#deps;
    const own = `${this.#paths.podsDir}/${pod.metadata.uid}`;
    return sum([
      await storage.directory(`${own}/etc-hosts`, signal),
      await storage.directory(`${own}/containers`, signal),
    ]);
  }
}

/** The runtime may have several of a container that restarted: their layers add up. */
function figuresOf(
  stats: readonly ContainerStats[],
): Omit<ContainerUse, "name" | "logs"> {
  const memory = stats.flatMap(({ memory }) =>
    memory?.workingSet === undefined ? [] : [Number(memory.workingSet)]
  );
  const layers = stats.flatMap(({ writtenBytes, writtenInodes }) =>
    writtenBytes === undefined ? [] : [{
      bytes: Number(writtenBytes),
      inodes: Number(writtenInodes ?? 0n),
    }]
  );
  return {
    memoryBytes: memory.length === 0
      ? undefined
      : memory.reduce((total, next) => total + next, 0),
    cpu: newest(stats.map(({ cpu }) => cpu)),
    memory: newest(stats.map(({ memory }) => memory)),
    swap: newest(stats.map(({ swap }) => swap)),
    layer: layers.length === 0 ? undefined : sum(layers),
  };
}

function newest<Figures extends { readonly atNanos: bigint }>(
  all: readonly (Figures | undefined)[],
): Figures | undefined {
  return all.filter((each) => each !== undefined)
    .toSorted((a, b) => a.atNanos < b.atNanos ? 1 : -1)[0];
}

function onlyVolumes(pod: Pod, names: readonly string[]): Pod {
  const volumes = (pod.spec.volumes ?? []).filter(({ name }) =>
    names.includes(name)
  );
  return { ...pod, spec: { ...pod.spec, volumes } };
}

function sum(amounts: readonly StoredAmount[]): StoredAmount {
  return amounts.reduce((total, next) => ({
    bytes: total.bytes + next.bytes,
    inodes: total.inodes + next.inodes,
  }), NOTHING);
}
