/**
 * What operators read of images that are removed, and of those that are not.
 *
 * @module
 */

import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../base/telemetry/mod.ts";
import { describeError } from "../base/text/mod.ts";
import type { EventSink, PodRef } from "../api/types/mod.ts";
import type { ListedImage } from "../cri/model/mod.ts";
import type { ImagePurpose } from "./plan_images.ts";

/** Where it is told. */
export interface ImageReportDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  /** The node, about which events are. */
  readonly node: PodRef;
}

/** How many failures of one look are said; the rest is of the same kind. */
const MOST_FAILURES = 3;

/** Tells of each thing once, as long as it stays the same. */
export class ImageReports {
  readonly #deps: ImageReportDeps;
  readonly #collected: Counter;
  /** Why the last look failed, and how often in a row. */
  #failure: { readonly why: string; readonly count: number } | undefined;
  #isSeen = true;

  constructor(deps: ImageReportDeps) {
    this.#deps = { ...deps, log: deps.log.named("reclaim") };
    this.#collected = deps.metrics.counter(
      "kubelet_image_garbage_collected_total",
      "Images that were removed, by reason: space, age or pressure",
      ["reason"],
    );
  }

  /** An image was removed. */
  removed({ kind: reason }: ImagePurpose, image: ListedImage): void {
    const { id, names, size } = image;
    const [name = id] = names;
    this.#collected.inc({ reason });
    const bytes = Number(size);
    this.#deps.log.info("image_removed", { image: name, bytes, reason });
  }

  /** These were removed one after the other. */
  swept(purpose: ImagePurpose, removed: readonly ListedImage[]): void {
    if (removed.length === 0) return;
    this.#deps.events.record(this.#deps.node, {
      type: "Normal",
      reason: "ImagesRemoved",
      message: removalsText(purpose, removed),
    });
  }

  /** Whether the agent sees the disk of images. */
  seen(isSeen: boolean): void {
    if (this.#isSeen && !isSeen) {
      this.#deps.log.warn("image_disk_not_seen", {
        note:
          "images lie on another file system than the agent sees: show it as imagefs of --host-view, or none is removed when it is full",
      });
    }
    this.#isSeen = isSeen;
  }

  /** A look is over, with these failures. */
  tried(failures: readonly unknown[]): void {
    if (failures.length === 0) {
      this.#failure = undefined;
      return;
    }
    const why = failures.slice(0, MOST_FAILURES).map(describeError).join("; ");
    const count = (this.#failure?.count ?? 0) + 1;
    const isNew = this.#failure?.why !== why;
    this.#failure = { why, count };
    if (isNew) this.#deps.log.warn("images_not_collected", { error: why });
    // As upstream: the first one may be of a runtime that starts.
    if (count > 1) this.warn("ImageGCFailed", why);
  }

  /** Something is wrong with the node. */
  warn(reason: string, message: string): void {
    const { events, node } = this.#deps;
    events.record(node, { type: "Warning", reason, message });
  }
}

/** The message of an event is cut at 1024 characters. */
const MOST_NAMES = 5;

/** More than most names have. */
const NAME_LENGTH = 100;

/** One sentence on images that were removed. Pure. */
function removalsText(
  purpose: ImagePurpose,
  removed: readonly ListedImage[],
): string {
  const bytes = removed.reduce((sum, { size }) => sum + Number(size), 0);
  const names = removed.slice(0, MOST_NAMES).map(({ id, names }) =>
    (names[0] ?? id).slice(0, NAME_LENGTH)
  );
  const more = removed.length - names.length;
  const list = names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  const images = removed.length === 1 ? "1 image" : `${removed.length} images`;
  return `Removed ${images} of ${bytes} bytes, ${WHY[purpose.kind]}: ${list}`;
}

const WHY: Readonly<Record<ImagePurpose["kind"], string>> = {
  age: "not used for the longest time that is allowed",
  space: "unused, since the disk of images is too full",
  pressure: "unused, since the node lacks room",
};
