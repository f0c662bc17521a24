/**
 * Which images are removed, and in which order.
 *
 * @module
 */

import type { ListedImage } from "../cri/model/mod.ts";
import { type ImageNames, isSandboxImage } from "./image_names.ts";
import type { DiskRoom } from "./ports.ts";

/** An image, and since when it is known and was not used; monotonic milliseconds. */
export interface SeenImage extends ListedImage {
  /** Negative infinity for one that was there before the first look. */
  readonly firstSeenMs: number;
  /** Of one that was never used, when it was seen first, or the first look. */
  readonly lastUsedMs: number;
}

/** What images are needed for. */
export interface ImageUses {
  /** By containers of anybody, running or dead. */
  readonly containers: ImageNames;
  /** By pods that run or are to run. */
  readonly active: ImageNames;
  /** By manifests of any other kind. */
  readonly known: ImageNames;
}

/** Why an image stays. */
export type HoldReason = "runtime" | "container" | "active" | "known";

/** The strongest reason for which an image stays; `undefined` when nothing needs it. Pure. */
export function holdOf(
  image: ListedImage,
  uses: ImageUses,
): HoldReason | undefined {
  if (image.id === "" || image.pinned || isSandboxImage(image)) {
    return "runtime";
  }
  if (uses.containers.has(image)) return "container";
  if (uses.active.has(image)) return "active";
  return uses.known.has(image) ? "known" : undefined;
}

/** What images are removed for. */
export type ImagePurpose =
  /** They were not used for so long. */
  | { readonly kind: "age"; readonly maximumAgeMs: number }
  /** The disk is too full. */
  | { readonly kind: "space" }
  /** The node lacks room; `takesKnown` when what manifests name goes as well. */
  | { readonly kind: "pressure"; readonly takesKnown: boolean };

/**
 * The images that may go, in the order in which they do: what no manifest names before
 * what one does, then the least recently used, then the one seen first. Pure.
 *
 * Upstream: pkg/kubelet/images/image_gc_manager.go.
 */
export function removableImages(
  images: readonly SeenImage[],
  options: {
    readonly uses: ImageUses;
    readonly purpose: ImagePurpose;
    readonly nowMs: number;
    readonly minimumAgeMs: number;
  },
): readonly SeenImage[] {
  const { uses, purpose, nowMs, minimumAgeMs } = options;
  const takesKnown = purpose.kind === "pressure" && purpose.takesKnown;
  const candidates = images.flatMap((image) => {
    const hold = holdOf(image, uses);
    const isFree = hold === undefined || takesKnown && hold === "known";
    if (!isFree || nowMs - image.firstSeenMs < minimumAgeMs) return [];
    const isYoung = purpose.kind === "age" &&
      nowMs - image.lastUsedMs <= purpose.maximumAgeMs;
    return isYoung ? [] : [{ image, rank: hold === undefined ? 0 : 1 }];
  });
  return candidates.sort((one, other) =>
    one.rank - other.rank || byUse(one.image, other.image)
  ).map(({ image }) => image);
}

function byUse(one: SeenImage, other: SeenImage): number {
  if (one.lastUsedMs !== other.lastUsedMs) {
    return one.lastUsedMs - other.lastUsedMs;
  }
  if (one.firstSeenMs !== other.firstSeenMs) {
    return one.firstSeenMs < other.firstSeenMs ? -1 : 1;
  }
  return one.id < other.id ? -1 : 1;
}

/** When a disk is too full, and how far it is emptied then; percent of it that are used. */
export interface ImageThresholds {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
}

/** How full a disk is. */
export interface DiskVerdict {
  /** Whole percent, a part of one counted as one. */
  readonly usedPercent: number;
  /** 0 while it is not too full. */
  readonly excessBytes: number;
}

/**
 * Judges the room on the disk of images; `undefined` when the figures are none. Pure.
 */
export function judgeDisk(
  { capacityBytes, availableBytes }: DiskRoom,
  { highThresholdPercent, lowThresholdPercent }: ImageThresholds,
): DiskVerdict | undefined {
  if (!(capacityBytes > 0) || !(availableBytes >= 0)) return undefined;
  const available = Math.min(availableBytes, capacityBytes);
  const usedPercent = 100 - Math.floor(available * 100 / capacityBytes);
  if (usedPercent < highThresholdPercent) {
    return { usedPercent, excessBytes: 0 };
  }
  const wanted = capacityBytes * (100 - lowThresholdPercent) / 100;
  const excessBytes = Math.max(0, Math.ceil(wanted - available));
  return { usedPercent, excessBytes };
}
