/**
 * Sources, a disk, and agents that live and die between them.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { Pod } from "../../../mod/api/types/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { ObjectStore } from "../../../mod/local/mod.ts";
import { DiskSetCheckpoint } from "../../../mod/source/records/source_checkpoint.ts";
import {
  type NotificationMode,
  PodConfigMux,
  type PodNotification,
} from "../../../mod/source/merge/merge_mux.ts";
import { PodStorage } from "../../../mod/source/merge/merge.ts";
import type {
  SourceContent,
  SourceName,
} from "../../../mod/source/merge/source_set.ts";
import { SourcesReady } from "../../../mod/source/merge/sources_ready.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeRecords } from "./fake_records.ts";
import { NO_EVENTS } from "../no_ops.ts";

/** All that there can be. */
export const SOURCES: readonly SourceName[] = ["file", "http", "api"];

/** Long enough for whatever is tried again to be tried. */
const RETRIES_MS = 200_000;

/** One thing that happens. */
export type RestartStep =
  | {
    readonly kind: "update";
    readonly source: SourceName;
    readonly content: SourceContent;
  }
  | { readonly kind: "cut" | "heal"; readonly source: SourceName }
  | { readonly kind: "disk"; readonly failure: string | undefined }
  | { readonly kind: "damage"; readonly part: number }
  | { readonly kind: "boot" }
  | { readonly kind: "restart" | "kill"; readonly settles: boolean };

/** One life of an agent: what is in its memory, and who waits to write. */
export class Life {
  readonly storage: PodStorage;
  readonly mux: PodConfigMux;
  readonly objects: ObjectStore = new ObjectStore();
  readonly ready: SourcesReady;
  /** What somebody knows who listens to nothing but the notifications. */
  readonly listener: Map<string, Pod> = new Map<string, Pod>();
  readonly #mode: NotificationMode;
  readonly #checkpoints: ReadonlyMap<SourceName, DiskSetCheckpoint>;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(world: World) {
    const { clock, disk, mode } = world;
    const deps = { clock, log: silentLogger, events: NO_EVENTS };
    this.#mode = mode;
    this.storage = new PodStorage(deps);
    const { storage, objects } = this;
    this.mux = new PodConfigMux(mode, { storage, objects });
    this.ready = new SourcesReady(SOURCES, storage);
    const metrics = new MetricsRegistry();
    this.#checkpoints = new Map(SOURCES.map((source) => {
      const directory = `/state/${source}`;
      const secretDirectory = `/run/${source}`;
      const places = { source, origin: "o", directory, secretDirectory };
      const checkpointDeps = { ...deps, metrics, files: disk };
      return [source, new DiskSetCheckpoint(places, checkpointDeps)];
    }));
    this.#running = Promise.all(
      [...this.#checkpoints.values()].map((checkpoint) =>
        checkpoint.run(this.#stop.signal)
      ),
    );
  }

  /** A source that answers is believed and kept; a silent one has its checkpoint. */
  async start(world: World): Promise<void> {
    for (const source of SOURCES) {
      if (!world.isCut(source)) this.deliver(source, world.truth(source));
      else await this.#restore(source);
    }
  }

  deliver(source: SourceName, content: SourceContent): void {
    this.#checkpoints.get(source)?.save(content);
    this.#listen(this.mux.merge({ source, ...content }));
    this.ready.add(source);
  }

  async #restore(source: SourceName): Promise<void> {
    const kept = await this.#checkpoints.get(source)?.load();
    if (kept?.kind !== "present") return;
    this.#listen(this.mux.merge({ op: "restore", source, ...kept.content }));
    this.ready.add(source);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #listen(told: readonly PodNotification[]): void {
    for (const { op, pods } of told) {
      if (op === "set") this.listener.clear();
      for (const one of pods) {
        if (op === "remove") this.listener.delete(keyOf(one));
        else this.listener.set(keyOf(one), one);
      }
    }
    // Nobody is told of a status in the snapshot modes, and none changes here.
    deepStrictEqual(
      [...this.listener].sort(byKey),
      this.storage.pods().map((one) => [keyOf(one), one] as const).sort(byKey),
      `the listener knows everything (${this.#mode})`,
    );
  }
}

/** The sources as they are, the disk, and the agent that lives at present. */
export class World {
  readonly clock: FakeClock = new FakeClock();
  readonly disk: FakeRecords = new FakeRecords();
  readonly mode: NotificationMode;
  readonly #truths = new Map<SourceName, SourceContent>();
  readonly #cut = new Set<SourceName>();
  life: Life;

  constructor(mode: NotificationMode) {
    this.mode = mode;
    this.life = new Life(this);
  }

  truth(source: SourceName): SourceContent {
    return this.#truths.get(source) ?? { pods: [], objects: [], workloads: [] };
  }

  isCut(source: SourceName): boolean {
    return this.#cut.has(source);
  }

  async do(step: RestartStep): Promise<void> {
    switch (step.kind) {
      case "update":
        this.#truths.set(step.source, step.content);
        if (!this.isCut(step.source)) {
          this.life.deliver(step.source, step.content);
        }
        break;
      case "cut":
        this.#cut.add(step.source);
        break;
      case "heal":
        this.#cut.delete(step.source);
        this.life.deliver(step.source, this.truth(step.source));
        break;
      case "disk":
        this.disk.failing = (call) =>
          call.startsWith("read ") ? undefined : step.failure;
        break;
      case "damage":
        this.disk.spoil("/state", (text) => {
          return text.slice(0, text.length * step.part);
        });
        break;
      case "boot":
        for (const name of this.disk.namesIn("/run")) {
          this.disk.files.delete(`/run/${name}`);
        }
        await this.#restart();
        break;
      case "restart":
      case "kill":
        if (step.settles) await this.clock.advance(RETRIES_MS);
        if (step.kind === "kill") this.#kill();
        await this.#restart();
        break;
    }
    this.#check();
  }

  /** Everybody speaks and every disk is well. */
  async heal(): Promise<void> {
    await this.do({ kind: "disk", failure: undefined });
    for (const source of SOURCES) await this.do({ kind: "heal", source });
    await this.clock.advance(RETRIES_MS);
  }

  /** What was not written is lost, since the disk takes nothing any more. */
  #kill(): void {
    const { failing } = this.disk;
    this.disk.failing = () => "EIO";
    this.#revive = () => {
      this.disk.failing = failing;
    };
  }

  #revive: () => void = () => {};

  async #restart(): Promise<void> {
    await this.life.stop();
    this.#revive();
    this.#revive = () => {};
    this.life = new Life(this);
    await this.life.start(this);
  }

  /** What must hold at every moment. */
  #check(): void {
    const { storage, ready } = this.life;
    const missing = SOURCES.filter((source) => !storage.seen(source));
    deepStrictEqual(ready.missing(), missing);
    for (const source of SOURCES) {
      if (this.isCut(source) || !storage.seen(source)) continue;
      const uids = storage.pods()
        .filter((one) => keyOf(one).startsWith(`${source} `))
        .map(({ metadata }) => metadata.uid);
      deepStrictEqual(
        uids.sort(),
        this.truth(source).pods.map(({ metadata }) => metadata.uid).sort(),
      );
    }
  }
}

/** Names a pod among those of all sources. */
export function keyOf({ metadata }: Pod): string {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  return `${source} ${metadata.uid}`;
}

function byKey(a: readonly [string, Pod], b: readonly [string, Pod]): number {
  return a[0] < b[0] ? -1 : 1;
}

/** All that counts of a state; when a pod was seen first is history, not state. */
export function stateOf({ storage, objects }: Life): unknown {
  const pods = storage.pods().map((one) => {
    const { "kubernetes.io/config.seen": _seen, ...annotations } =
      one.metadata.annotations ?? {};
    return { ...one, metadata: { ...one.metadata, annotations } };
  });
  return {
    pods: pods.sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1),
    objects: objects.list(),
  };
}
