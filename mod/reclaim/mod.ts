/**
 * Images that nothing uses any more, and when they are removed.
 *
 * Which image may go is decided by pure functions; the collector looks every five minutes
 * and removes one image after the other. Nothing is written to the disk, and nothing is
 * said while there is nothing to do. What is not known, such as the manifests of a source
 * that has not spoken, keeps everything.
 *
 * For a watcher of node pressure: {@linkcode ImageReclaim} frees room at once, and only
 * its hard form takes images that known manifests name.
 *
 * @example A disk above its threshold
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { judgeDisk } from "./mod.ts";
 *
 * deepStrictEqual(
 *   judgeDisk({ capacityBytes: 1000, availableBytes: 100 }, {
 *     highThresholdPercent: 85,
 *     lowThresholdPercent: 80,
 *   }),
 *   { usedPercent: 90, excessBytes: 100 },
 * );
 * ```
 *
 * @module
 */

export {
  ImageCollector,
  type ImageCollectorOptions,
} from "./image_collector.ts";
export { ImageRemovals, type PodImageService } from "./image_removals.ts";
export {
  type DiskVerdict,
  type ImageThresholds,
  judgeDisk,
} from "./plan_images.ts";
export type {
  DiskMeter,
  DiskRoom,
  ImageReclaim,
  NamedImages,
  Pressure,
  PulledRecords,
  Reclaimed,
} from "./ports.ts";
