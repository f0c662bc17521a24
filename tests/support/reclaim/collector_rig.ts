/**
 * A collector of images over a store, a disk and manifests that a test sets.
 *
 * @module
 */

import { nodeRef } from "../../../mod/api/objects/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { ListedImage } from "../../../mod/cri/model/mod.ts";
import {
  ImageCollector,
  type ImageCollectorOptions,
} from "../../../mod/reclaim/image_collector.ts";
import { ImageRemovals } from "../../../mod/reclaim/image_removals.ts";
import type { DiskRoom, NamedImages } from "../../../mod/reclaim/ports.ts";
import { EventList } from "../event_list.ts";
import { FakeClock } from "../fake_clock.ts";
import { linesTo } from "../log_lines.ts";
import { containerRow } from "../runtime_rows.ts";

/** Everything around it is in memory. */
export class CollectorRig {
  readonly clock: FakeClock;
  readonly events: EventList = new EventList();
  readonly lines: string[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  /** What is on the node, by id. */
  readonly images: Map<string, ListedImage> = new Map();
  /** The calls that were made. */
  readonly calls: string[] = [];
  /** Refs of containers. */
  containers: string[] = [];
  named: NamedImages | undefined = { active: [], known: [] };
  room: DiskRoom | undefined = { capacityBytes: 1000, availableBytes: 500 };
  /** What the runtime says that images take. */
  usedBytes: bigint = 0n;
  /** In how many places they lie, each of which takes as much. */
  places = 1;
  /** Whether every call fails. */
  isAway = false;
  /** Whether what is removed makes room, as it should. */
  isFreeing = true;
  /** Called before each list of images. */
  listing: () => void = () => {};
  /** Called before each removal. */
  removing: (id: string) => Promise<void> | void = () => {};
  /** The ids that records were kept of, call by call. */
  readonly kept: (readonly string[])[] = [];
  /** What keeping records comes to. */
  keeping: () => Promise<void> = () => Promise.resolve();
  readonly collector: ImageCollector;

  constructor(
    options: Partial<ImageCollectorOptions> = {},
    clock: FakeClock = new FakeClock(),
  ) {
    this.clock = clock;
    const { events, metrics } = this;
    this.collector = new ImageCollector({
      clock,
      events,
      metrics,
      removals: new ImageRemovals(),
      log: linesTo(this.lines, { clock }),
      node: nodeRef("edge1"),
      disk: { room: () => Promise.resolve(this.room) },
      named: () => this.named,
      records: {
        forgetGone: async (list) => {
          await this.keeping();
          this.kept.push((await list()).map(({ id }) => id));
        },
      },
      images: {
        listImages: async () => {
          this.listing();
          return await this.#answer("list", [...this.images.values()]);
        },
        removeImage: ({ image }) => this.#remove(image),
        imageFsInfo: () =>
          this.#answer("info", {
            images: Array.from({ length: this.places }, (_, at) => ({
              mountpoint: `/store-${at}`,
              usedBytes: this.usedBytes,
            })),
            layers: [],
          }),
      },
      runtime: {
        listContainers: () =>
          this.#answer(
            "containers",
            this.containers.map((imageRef, at) =>
              containerRow(`u-${at}`, { imageRef })
            ),
          ),
      },
    }, {
      highThresholdPercent: 85,
      lowThresholdPercent: 80,
      minimumAgeMs: 120_000,
      maximumAgeMs: 0,
      ...options,
    });
  }

  /** Puts images on the node, each of so many bytes. */
  add(size: number, ...ids: readonly string[]): void {
    for (const id of ids) {
      const names = [`r.local/${id}:1`];
      this.images.set(id, { id, names, size: BigInt(size), pinned: false });
    }
  }

  /** Has so many of 1000 bytes left. */
  leave(availableBytes: number): void {
    this.room = { capacityBytes: 1000, availableBytes };
  }

  /** One look, some time later. */
  async collect(afterMs = 300_000): Promise<void> {
    await this.clock.advance(afterMs);
    await this.collector.collect(new AbortController().signal);
  }

  /** The ids that are left. */
  get left(): string[] {
    return [...this.images.keys()].sort();
  }

  #answer<T>(call: string, value: T): Promise<T> {
    this.calls.push(call);
    if (this.isAway) return Promise.reject(new Error("the runtime is away"));
    return Promise.resolve(value);
  }

  async #remove(id: string): Promise<void> {
    this.calls.push(`remove ${id}`);
    await this.removing(id);
    const image = this.images.get(id);
    if (!this.images.delete(id) || image === undefined) return;
    if (!this.isFreeing || this.room === undefined) return;
    const { capacityBytes, availableBytes } = this.room;
    this.room = {
      capacityBytes,
      availableBytes: availableBytes + Number(image.size),
    };
  }
}
