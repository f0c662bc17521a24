/**
 * What removes that which is of no use any more: remains of pods, dead containers, images.
 *
 * @module
 */

import type { Sessions } from "../base/mod.ts";
import { DeadContainers, keptAt, PodRemains } from "../agent/sync/mod.ts";
import type { GarbageCollector } from "../collect/mod.ts";
import type { AgentConfig } from "../config/mod.ts";
import type { PressureParts, Reclaimer } from "../pressure/mod.ts";
import {
  type DiskMeter,
  type DiskRoom,
  ImageCollector,
  type ImageReclaim,
  type ImageRemovals,
  type NamedImages,
  type PulledRecords,
} from "../reclaim/mod.ts";
import {
  type ImageHold,
  imagesOf,
  type PulledImages,
} from "../runtime/images/mod.ts";
import type { StatusManager } from "../status/mod.ts";
import { shownImageFs } from "./build_pressure.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { RuntimeParts } from "./core_runtime.ts";
import type { Sources } from "./core_sources.ts";
import type { OwnedPods } from "./owned_pods.ts";
import { runningPod, type WorkerView } from "../agent/workers/mod.ts";
import { nodeRef } from "../api/objects/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { isTerminalPhase } from "../pod/status/mod.ts";
import type { PodStorage, SourcesReady } from "../source/merge/mod.ts";
import type { Machine } from "../usage/mod.ts";

interface GarbageDeps
  extends
    CoreDeps,
    RuntimeParts,
    Pick<Sources, "storage" | "sourcesReady" | "expectedPods"> {
  readonly sessions: Sessions;
  readonly collector: GarbageCollector;
  readonly statuses: StatusManager;
  readonly removals: ImageRemovals;
  readonly owned: OwnedPods;
  /** What is remembered of images goes with them. */
  readonly pulledImages: PulledImages;
  /** Built later, with what this builds. */
  readonly agent: () => ManifestKnowers["agent"];
  readonly templates: ManifestKnowers["templates"];
}

/** What collects, and how the agent makes use of it. */
interface GarbageParts {
  readonly remains: PodRemains;
  readonly background: readonly { run(signal: AbortSignal): Promise<void> }[];
  readonly reclaimers: PressureParts["reclaimers"];
}

/** Builds it; nothing runs yet. */
export function buildGarbage(
  config: AgentConfig,
  deps: GarbageDeps,
): GarbageParts {
  const { clock, owned, picture, executor } = deps;
  const kept = config.deadContainers;
  const remains = new PodRemains({
    ...deps,
    directories: owned,
    kept: () => keptAt(clock.now(), kept),
  });
  const pods = () => [...owned.uids].flatMap((uid) => picture.get(uid) ?? []);
  const node = nodeRef(config.node.name);
  const dead = new DeadContainers({ ...deps, remains, pods, node }, kept);
  const holds = () => executor.imageHolds();
  const sandboxImage = () => deps.connection.features()?.sandboxImage;
  const images = buildImageCollector(config, {
    ...deps,
    records: deps.pulledImages,
    named: () =>
      namedImages({ ...deps, holds, sandboxImage, agent: deps.agent() }),
  });
  return {
    remains,
    background: [dead, images.collector],
    reclaimers: [images.reclaimer],
  };
}

/** Where manifests are known from. */
export interface ManifestKnowers {
  readonly agent: {
    pods(): readonly WorkerView[];
    versions(): readonly Pod[];
  };
  /** Images that containers are about to be made of. */
  readonly holds: () => readonly ImageHold[];
  /** That of sandboxes, if the runtime says so. */
  readonly sandboxImage: () => string | undefined;
  /** What controllers make pods from, or may make them from again. */
  readonly templates: () => Iterable<Pick<Pod, "spec">>;
  readonly statuses: Pick<StatusManager, "get">;
  readonly storage: Pick<PodStorage, "pods" | "seen">;
  readonly sourcesReady: Pick<SourcesReady, "allReady">;
  /**
   * The pods that a source had which has not spoken; none as well if it never had spoken,
   * so that nobody knows what it will want.
   */
  readonly expectedPods: () => readonly Pod[] | undefined;
}

/** The images of all manifests; `undefined` while some may not be known. */
export function namedImages(of: ManifestKnowers): NamedImages | undefined {
  const { agent, statuses, storage } = of;
  const expected = of.expectedPods();
  const isKnown = storage.seen("file") && storage.seen("local") &&
    expected !== undefined &&
    (of.sourcesReady.allReady() || expected.length > 0);
  if (!isKnown) return undefined;
  const views = agent.pods();
  const active = views.flatMap(({ uid, state }) => {
    const isOver = isTerminalPhase(statuses.get(uid)?.phase);
    if (isOver || runningPod(state) === undefined) return [];
    // The version that is to come has its images pulled before the other ends.
    return state.kind === "syncing" ? [state.pod, state.wanted] : [state.pod];
  });
  const known = [
    ...views.map(({ state }) => state.pod),
    ...storage.pods(),
    ...agent.versions(),
    ...expected,
    ...of.templates(),
  ];
  const held = of.holds().flatMap(({ image, ref }) =>
    ref === undefined ? [image] : [image, ref]
  );
  const sandboxImage = of.sandboxImage();
  return {
    active: new Set([
      ...namesIn(active),
      ...held,
      ...sandboxImage === undefined ? [] : [sandboxImage],
    ]),
    known: namesIn(known),
  };
}

function namesIn(
  pods: Iterable<Pick<Pod, "spec"> | undefined>,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const pod of pods) {
    if (pod === undefined) continue;
    for (const { image = "" } of imagesOf(pod)) names.add(image);
  }
  return names;
}

/** What removes images, by itself and for a node that runs short. */
export interface ImageParts {
  readonly collector: ImageCollector;
  readonly reclaimer: Reclaimer;
}

/** Builds it; it does not run yet. */
export function buildImageCollector(
  config: AgentConfig,
  deps: CoreDeps & {
    readonly removals: ImageRemovals;
    readonly named: () => NamedImages | undefined;
    readonly records: PulledRecords;
  },
): ImageParts {
  const { connection: { runtime, images }, machine } = deps;
  const disk = new ImageDisk(config, machine);
  const collector = new ImageCollector({
    ...deps,
    runtime,
    images,
    node: nodeRef(config.node.name),
    disk,
  }, config.imageCollection);
  return { collector, reclaimer: new ImageReclaimer(collector, disk) };
}

/** Frees room by removing images, before a pod is ended for it. */
export class ImageReclaimer implements Reclaimer {
  readonly #images: ImageReclaim;
  readonly #disk: ImageDisk;

  constructor(images: ImageReclaim, disk: ImageDisk) {
    this.#images = images;
    this.#disk = disk;
  }

  async reclaim(
    { signal: shortage, kind }: Parameters<Reclaimer["reclaim"]>[0],
    signal: AbortSignal,
  ): Promise<"done" | "under_way"> {
    if (!await this.#helps(shortage)) return "done";
    const { images } = await this.#images.reclaim(kind, signal);
    return images > 0 ? "under_way" : "done";
  }

  async #helps(shortage: string): Promise<boolean> {
    if (shortage.startsWith("imagefs.")) return true;
    return shortage.startsWith("nodefs.") && !await this.#disk.isShown();
  }
}

/**
 * The sandbox does not show the directories of the runtime, so its file system for images
 * is shown by the host view, or is that of the root directory.
 */
export class ImageDisk implements DiskMeter {
  readonly #machine: Machine;
  readonly #shownAt: string | undefined;
  readonly #rootDir: string;

  constructor(config: AgentConfig, machine: Machine) {
    this.#machine = machine;
    this.#shownAt = shownImageFs(config);
    this.#rootDir = config.paths.rootDir;
  }

  /** Whether the host view shows it. */
  async isShown(): Promise<boolean> {
    return await this.#shown() !== undefined;
  }

  async room(): Promise<DiskRoom | undefined> {
    const shown = await this.#shown();
    const left = shown ?? await this.#machine.fileSystem(this.#rootDir);
    return left && {
      ...shown !== undefined && { isShown: true },
      capacityBytes: left.bytes.capacity,
      availableBytes: left.bytes.available,
    };
  }

  async #shown(): ReturnType<Machine["fileSystem"]> {
    if (this.#shownAt === undefined) return undefined;
    return await this.#machine.fileSystem(this.#shownAt);
  }
}
