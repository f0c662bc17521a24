/**
 * Removes images that nothing uses, when the disk is full, they are old, or room is wanted.
 *
 * @module
 */

import { type Clock, isAbort, Semaphore } from "../base/mod.ts";
import { CriError, type ListedImage } from "../cri/model/mod.ts";
import { ImageNames } from "./image_names.ts";
import { type ImageReportDeps, ImageReports } from "./image_reports.ts";
import type { ImageRemovals } from "./image_removals.ts";
import {
  type ImagePurpose,
  type ImageThresholds,
  type ImageUses,
  judgeDisk,
  removableImages,
  type SeenImage,
} from "./plan_images.ts";
import type {
  DiskMeter,
  ImageCallees,
  ImageReclaim,
  NamedImages,
  Pressure,
  PulledRecords,
  Reclaimed,
} from "./ports.ts";

/** Upstream's ImageGCPeriod. */
const PERIOD_MS = 300_000;

/** The start of an agent is busy with pods; a disk that is full then waits no longer. */
const FIRST_MS = 120_000;

interface ImageCollectorDeps extends ImageCallees, ImageReportDeps {
  readonly clock: Clock;
  readonly removals: Pick<ImageRemovals, "during">;
  readonly disk: DiskMeter;
  /** `undefined` while it is not known what the manifests are: nothing is removed then. */
  readonly named: () => NamedImages | undefined;
  /** Absent when nothing is remembered of pulled images. */
  readonly records?: PulledRecords;
}

/** When images are removed. */
export interface ImageCollectorOptions extends ImageThresholds {
  readonly minimumAgeMs: number;
  /** 0 for none. */
  readonly maximumAgeMs: number;
}

/** What is remembered of an image from one look to the next. */
type ImageTimes = Pick<SeenImage, "firstSeenMs" | "lastUsedMs">;

/**
 * Looks at the images every five minutes, and notes which are used. Above the high
 * threshold it removes unused ones down to the low one, and those that were not used for
 * the longest time that they may have.
 *
 * When an image was used last is known since the agent's start only. What is used by
 * containers of anybody, by starting pods or by the runtime itself is never removed; what
 * is named by a known manifest only by {@linkcode ImageCollector.reclaim}.
 */
export class ImageCollector implements ImageReclaim {
  readonly #deps: ImageCollectorDeps;
  readonly #options: ImageCollectorOptions;
  readonly #reports: ImageReports;
  readonly #turns = new Semaphore(1);
  /** By id, of the images of the last look; `undefined` before the first. */
  #times: Map<string, ImageTimes> | undefined;
  /** The ids of images that could not be removed; they come last the next time. */
  readonly #stuck = new Set<string>();

  constructor(deps: ImageCollectorDeps, options: ImageCollectorOptions) {
    this.#deps = deps;
    this.#reports = new ImageReports(deps);
    this.#options = options;
  }

  /**
   * Works until `signal` aborts.
   *
   * @throws {unknown} Its reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    await clock.sleep(FIRST_MS, signal);
    for (;;) {
      await this.collect(signal);
      await clock.sleep(PERIOD_MS, signal);
    }
  }

  /**
   * Looks once, and removes what is too much or too old. A failure is logged.
   *
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async collect(signal: AbortSignal): Promise<void> {
    using _turn = await this.#turns.acquire(signal);
    const { images: store, records } = this.#deps;
    const failures: unknown[] = [];
    try {
      const images = await this.#look(signal);
      failures.push(...await this.#collectOld(images, signal));
      failures.push(...await this.#collectExcess(images, signal));
      await records?.forgetGone(() => store.listImages({ signal }));
    } catch (error) {
      if (isAbort(error, signal)) throw error;
      failures.push(error);
    }
    this.#reports.tried(failures);
  }

  async reclaim(
    pressure: Pressure,
    signal: AbortSignal,
  ): Promise<Reclaimed> {
    using _turn = await this.#turns.acquire(signal);
    const images = await this.#look(signal);
    const reclaim = async (takesKnown: boolean): Promise<Reclaimed> => {
      const purpose = { kind: "pressure", takesKnown } as const;
      const { failures, ...removed } = await this.#remove(images, {
        purpose,
        isEnough: ({ images }) => takesKnown && images > 0,
        signal,
      });
      this.#reports.tried(failures);
      return removed;
    };
    const free = await reclaim(false);
    return pressure === "soft" || free.images > 0 ? free : await reclaim(true);
  }

  /** Images first: one that a container was made of meanwhile is then seen as used. */
  async #look(signal: AbortSignal): Promise<readonly SeenImage[]> {
    const { clock, images } = this.#deps;
    const listed = await images.listImages({ signal });
    const uses = await this.#uses(signal);
    const nowMs = clock.monotonic();
    const before = this.#times;
    const newMs = before === undefined ? -Infinity : nowMs;
    const seen = listed.map((image): SeenImage => {
      const { firstSeenMs = newMs, lastUsedMs = nowMs } =
        before?.get(image.id) ?? {};
      const isUsed = this.#isUsed(image, uses);
      return { ...image, firstSeenMs, lastUsedMs: isUsed ? nowMs : lastUsedMs };
    });
    this.#times = new Map(
      seen.map(({ id, firstSeenMs, lastUsedMs }) => [
        id,
        { firstSeenMs, lastUsedMs },
      ]),
    );
    for (const id of this.#stuck) {
      if (!this.#times.has(id)) this.#stuck.delete(id);
    }
    return seen;
  }

  #isUsed(image: ListedImage, uses: ImageUses | undefined): boolean {
    // What is not known may well use it.
    return uses === undefined || uses.containers.has(image) ||
      uses.active.has(image);
  }

  async #uses(signal: AbortSignal): Promise<ImageUses | undefined> {
    const { runtime, named } = this.#deps;
    const containers = await runtime.listContainers(undefined, { signal });
    const names = named();
    return names && {
      containers: new ImageNames(containers.map(({ imageRef }) => imageRef)),
      active: new ImageNames(names.active),
      known: new ImageNames(names.known),
    };
  }

  async #collectOld(
    images: readonly SeenImage[],
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const { maximumAgeMs } = this.#options;
    if (maximumAgeMs === 0) return [];
    const { failures } = await this.#remove(images, {
      purpose: { kind: "age", maximumAgeMs },
      isEnough: () => false,
      signal,
    });
    return failures;
  }

  async #collectExcess(
    images: readonly SeenImage[],
    signal: AbortSignal,
  ): Promise<readonly unknown[]> {
    const { highThresholdPercent } = this.#options;
    if (highThresholdPercent === 100) return [];
    const info = await this.#deps.images.imageFsInfo({ signal });
    const usedBytes = info.images.reduce(
      (sum, place) => sum + Number(place.usedBytes),
      0,
    );
    const excess = await this.#excess(this.#options, usedBytes);
    if (excess === 0) return [];
    const { lowThresholdPercent: percent } = this.#options;
    const low = { highThresholdPercent: percent, lowThresholdPercent: percent };
    // The sizes of a runtime may be wrong, and images share layers.
    const isEnough = async ({ bytes }: Reclaimed): Promise<boolean> =>
      bytes >= excess || await this.#excess(low, 0) === 0;
    const removal = await this.#remove(images, {
      purpose: { kind: "space" },
      isEnough,
      signal,
    });
    const { bytes, failures } = removal;
    if (!await isEnough(removal)) {
      this.#reports.warn(
        "FreeDiskSpaceFailed",
        `Failed to garbage collect required amount of images: wanted to free ${excess} bytes, found unused images of ${bytes} bytes`,
      );
    }
    return failures;
  }

  /**
   * How many bytes are too few on the disk; 0 where that cannot be known.
   *
   * @param usedBytes what the runtime says that images take there
   */
  async #excess(
    thresholds: ImageThresholds,
    usedBytes: number,
  ): Promise<number> {
    const room = await this.#deps.disk.room();
    const isSeen = room !== undefined && (room.isShown ||
      usedBytes <= Math.max(0, room.capacityBytes - room.availableBytes));
    if (!isSeen) {
      this.#reports.seen(false);
      return 0;
    }
    this.#reports.seen(true);
    const verdict = judgeDisk(room, thresholds);
    if (verdict === undefined) {
      this.#reports.warn(
        "InvalidDiskCapacity",
        `invalid capacity ${room.capacityBytes} on image filesystem`,
      );
    }
    return verdict?.excessBytes ?? 0;
  }

  /**
   * Removes images until it is enough. One that fails holds up no other, unless the runtime
   * does not answer at all.
   */
  async #remove(
    images: readonly SeenImage[],
    { purpose, isEnough, signal }: {
      readonly purpose: ImagePurpose;
      /** Asked of what was removed so far. */
      readonly isEnough: (removed: Reclaimed) => Promise<boolean> | boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<Reclaimed & { readonly failures: readonly unknown[] }> {
    const candidates = await this.#candidates(images, { purpose, signal });
    const removed: SeenImage[] = [];
    const failures: unknown[] = [];
    let bytes = 0;
    for (const image of candidates) {
      if (await isEnough({ images: removed.length, bytes })) break;
      try {
        if (!await this.#removeImage(image, { purpose, signal })) continue;
        removed.push(image);
        bytes += Number(image.size);
      } catch (error) {
        if (isAbort(error, signal)) throw error;
        this.#stuck.add(image.id);
        failures.push(error);
        if (isMute(error)) break;
      }
    }
    this.#reports.swept(purpose, removed);
    return { images: removed.length, bytes, failures };
  }

  async #candidates(
    images: readonly SeenImage[],
    { purpose, signal }: {
      readonly purpose: ImagePurpose;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly SeenImage[]> {
    const uses = await this.#uses(signal);
    if (uses === undefined) return [];
    const left = images.filter(({ id }) => this.#times?.has(id));
    const found = removableImages(left, {
      uses,
      purpose,
      nowMs: this.#deps.clock.monotonic(),
      minimumAgeMs: this.#options.minimumAgeMs,
    });
    const isStuck = ({ id }: SeenImage) => this.#stuck.has(id);
    return [
      ...found.filter((image) => !isStuck(image)),
      ...found.filter(isStuck),
    ];
  }

  /** @returns false when the image is of use again */
  async #removeImage(
    image: SeenImage,
    options: { readonly purpose: ImagePurpose; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { removals, images, named } = this.#deps;
    const { purpose, signal } = options;
    // Asked anew, and from here on without a pause: a pod may have come meanwhile.
    const names = named();
    if (names === undefined || new ImageNames(names.active).has(image)) {
      return false;
    }
    const takesKnown = purpose.kind === "pressure" && purpose.takesKnown;
    if (!takesKnown && new ImageNames(names.known).has(image)) return false;
    await removals.during(
      image,
      () => images.removeImage({ image: image.id }, { signal }),
    );
    this.#times?.delete(image.id);
    this.#reports.removed(purpose, image);
    return true;
  }
}

/** Whether the runtime as a whole does not answer, so that the next call would wait as long. */
function isMute(error: unknown): boolean {
  return error instanceof CriError &&
    (error.kind === "deadline" || error.kind === "unavailable");
}
