/**
 * What images are wanted and how long pulls take, in numbers.
 *
 * @module
 */

import type { PullPolicy } from "../../api/defaults/mod.ts";
import type {
  Counter,
  Histogram,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";

/** Upstream's, in seconds. */
const DURATION_BUCKETS = [
  ...[1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900],
  ...[1_200, 1_800, 2_700, 3_600],
];

const MB = 2n ** 20n;
const GB = 2n ** 30n;

/** Above how many bytes an image has which label; the largest first. */
const SIZES: readonly (readonly [bytes: bigint, label: string])[] = [
  [100n * GB, "GT100GB"],
  [60n * GB, "60GB-100GB"],
  [40n * GB, "40GB-60GB"],
  [30n * GB, "30GB-40GB"],
  [20n * GB, "20GB-30GB"],
  [10n * GB, "10GB-20GB"],
  [5n * GB, "5GB-10GB"],
  [GB, "1GB-5GB"],
  [500n * MB, "500MB-1GB"],
  [100n * MB, "100MB-500MB"],
  [10n * MB, "10MB-100MB"],
  [0n, "0-10MB"],
];

/** What is known of a request for an image; absent where it was not asked or failed. */
export interface ImageNeed {
  readonly isPresent?: boolean;
  readonly isPullNeeded?: boolean;
}

/** Counts what images were wanted, and notes how long pulls took that brought one. */
export class PullMetrics {
  readonly #durations: Histogram;
  readonly #requests: Counter;

  constructor(deps: { readonly metrics: MetricsRegistry }) {
    this.#requests = deps.metrics.counter(
      "kubelet_image_manager_ensure_image_requests_total",
      "Requests for images of containers; a pull is one",
      ["present_locally", "pull_policy", "pull_required"],
    );
    this.#durations = deps.metrics.histogram(
      "kubelet_image_pull_duration_seconds",
      "How long the runtime took for pulls that succeeded, by the size of the image",
      { labelNames: ["image_size_in_bytes"], buckets: DURATION_BUCKETS },
    );
  }

  /** A container wants an image. */
  wanted(policy: PullPolicy, { isPresent, isPullNeeded }: ImageNeed): void {
    this.#requests.inc({
      pull_policy: policy.toLowerCase(),
      present_locally: String(isPresent ?? "unknown"),
      pull_required: String(isPullNeeded ?? "unknown"),
    });
  }

  /** One was pulled. */
  pulled(tookMs: number, sizeBytes: bigint): void {
    const image_size_in_bytes = sizeLabel(sizeBytes);
    this.#durations.observe(tookMs / 1_000, { image_size_in_bytes });
  }
}

/** Upstream's label for an image of this size; "N/A" when the runtime did not say. Pure. */
export function sizeLabel(sizeBytes: bigint): string {
  const found = SIZES.find(([bytes]) => sizeBytes > bytes);
  return found?.[1] ?? "N/A";
}
