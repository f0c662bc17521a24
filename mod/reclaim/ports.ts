/**
 * What collecting images needs of others, and what it offers to them.
 *
 * @module
 */

import type {
  ImageService,
  ListedImage,
  RuntimeService,
} from "../cri/model/mod.ts";

/** The calls that looking at images and removing them takes. */
export interface ImageCallees {
  readonly images: Pick<
    ImageService,
    "listImages" | "removeImage" | "imageFsInfo"
  >;
  readonly runtime: Pick<RuntimeService, "listContainers">;
}

/** The images that manifests name, as they name them. */
export interface NamedImages {
  /** Of pods that run, are to run or are about to: these are never removed. */
  readonly active: Iterable<string>;
  /**
   * Of all other manifests that are known, such as pods that have ended, are refused or
   * were rolled back. Offline they could not be pulled again, so they go under hard
   * pressure only.
   */
  readonly known: Iterable<string>;
}

/** The room on one file system, in bytes. */
export interface DiskRoom {
  /** Somebody has said that images lie there; else it may be another disk. */
  readonly isShown?: true;
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** Measures the file system that images lie on, as far as the agent can see it. */
export interface DiskMeter {
  /** `undefined` when it is not there. */
  room(): Promise<DiskRoom | undefined>;
}

/**
 * What is remembered of images that were pulled, such as with whose credentials. It goes
 * with its image, whoever removes that.
 */
export interface PulledRecords {
  /**
   * Forgets what is remembered of images that are gone; called after each look at them.
   *
   * @param list asks the runtime anew; not called when nothing is remembered
   */
  forgetGone(list: () => Promise<readonly ListedImage[]>): Promise<void>;
}

/** How much the node lacks room: what a known manifest names goes under `hard` only. */
export type Pressure = "soft" | "hard";

/** What a reclaim has removed. */
export interface Reclaimed {
  readonly images: number;
  /** By the sizes that the runtime gives, which may be more than what became free. */
  readonly bytes: number;
}

/** Frees room at once; for the watcher of node pressure. */
export interface ImageReclaim {
  /**
   * Removes all unused images. If there is none, then under hard pressure it removes one
   * that a known manifest names, the least recently used; the caller measures again before
   * it asks for the next one. What containers or starting pods use stays, and so does what
   * came a moment ago. While manifests are not known yet, nothing is removed.
   *
   * @throws {CriError} when the runtime cannot be asked
   */
  reclaim(pressure: Pressure, signal: AbortSignal): Promise<Reclaimed>;
}
