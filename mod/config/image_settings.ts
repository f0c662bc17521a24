/**
 * The settings about images, the registries that they come from, and what is of no use.
 *
 * @module
 */

import { formatDuration } from "../base/text/mod.ts";
import type { Settings } from "./agent_config.ts";
import {
  choice,
  count,
  durationMs,
  givenPath,
  integer,
  listOf,
  nonEmpty,
  numberText,
  orEmpty,
  single,
  text,
} from "./decoders.ts";
import { imagePattern, localEndpoint } from "./image_decoders.ts";
import { field, flag, listFlag, pointer, type Rows } from "./setting.ts";

/** Their rows in the table of settings. */
export const IMAGE_ROWS: Rows<Settings["images"]> = {
  credentialFiles: {
    flag: listFlag("image-credentials FILE", single(givenPath)),
    help:
      "docker's config.json with logins for registries,\nbeside ROOT-DIR/config.json; may be repeated",
    skerry: field("imageCredentials", listOf(givenPath)),
    fallback: [],
    access: "read",
  },
  credentialEndpoint: {
    flag: flag("image-credential-endpoint URL", nonEmpty(localEndpoint)),
    help:
      "a service that gives logins for registries, in the shape\nof the kubelet's credential provider plugins: unix:///…\nor http on a loopback address",
    skerry: field("imageCredentialEndpoint", localEndpoint),
    access: "write",
    net: "endpoint",
  },
  credentialMatchImages: {
    skerry: field("imageCredentialMatchImages", listOf(nonEmpty(text))),
    fallback: [],
  },
  verificationPolicy: {
    kubelet: field(
      "imagePullCredentialsVerificationPolicy",
      orEmpty(choice([
        "NeverVerify",
        "NeverVerifyPreloadedImages",
        "NeverVerifyAllowlistedImages",
        "AlwaysVerify",
      ])),
    ),
    fallback: "NeverVerifyPreloadedImages",
  },
  verificationAllowlist: {
    kubelet: field(
      "preloadedImagesVerificationAllowlist",
      listOf(imagePattern),
    ),
    fallback: [],
  },
  pullsPerSecond: {
    kubelet: pointer("registryPullQPS", count),
    fallback: 5,
  },
  pullBurst: {
    kubelet: field("registryBurst", count),
    fallback: 10,
  },
  progressDeadlineMs: {
    // Upstream's flag as long as it had docker, which showed each byte: there it is 1m.
    flag: flag("image-pull-progress-deadline DURATION", durationMs),
    help:
      "how long a pull may stand still, 0s for an hour; only\ncontainerd shows it (default {default})",
    write: formatDuration,
    skerry: pointer("imagePullProgressDeadline", durationMs),
    fallback: 300_000,
  },
};

const percent = integer(0, 100);
const percentText = numberText(percent);

/** Rows about images, under upstream's names. */
export const IMAGE_COLLECTION_ROWS: Rows<Settings["imageCollection"]> = {
  highThresholdPercent: {
    flag: flag("image-gc-high-threshold PERCENT", percentText),
    help:
      "how full the disk of images is when unused ones are\nremoved, 100 for never (default {default})",
    kubelet: pointer("imageGCHighThresholdPercent", percent),
    fallback: 85,
  },
  lowThresholdPercent: {
    flag: flag("image-gc-low-threshold PERCENT", percentText),
    help: "how full it may be after that (default {default})",
    kubelet: pointer("imageGCLowThresholdPercent", percent),
    fallback: 80,
  },
  minimumAgeMs: {
    flag: flag("minimum-image-ttl-duration DURATION", durationMs),
    help: "how long an image stays at least after it came\n(default {default})",
    write: formatDuration,
    kubelet: field("imageMinimumGCAge", durationMs),
    fallback: 120_000,
  },
  maximumAgeMs: {
    kubelet: field("imageMaximumGCAge", durationMs),
    fallback: 0,
  },
};

const limit = integer(-1);
const limitText = numberText(limit);

/** Rows about dead containers; upstream has flags of these names and no fields. */
export const DEAD_CONTAINERS_ROWS: Rows<Settings["deadContainers"]> = {
  minimumAgeMs: {
    flag: flag("minimum-container-ttl-duration DURATION", durationMs),
    help:
      "how long dead containers stay at least, from when they\nwere made (default {default})",
    write: formatDuration,
    skerry: field("minimumContainerTTLDuration", durationMs),
    fallback: 0,
  },
  perContainer: {
    flag: flag("maximum-dead-containers-per-container NUMBER", limitText),
    help:
      "how many stay of each container of a pod, -1 for all;\none always does (default {default})",
    skerry: pointer("maximumDeadContainersPerContainer", limit),
    fallback: 1,
  },
  total: {
    flag: flag("maximum-dead-containers NUMBER", limitText),
    help:
      "how many stay in all, -1 for any number; one of each\nalways does (default {default})",
    skerry: pointer("maximumDeadContainers", limit),
    fallback: -1,
  },
};

/** The runtime is asked some times within it. */
const LEAST_PROGRESS_MS = 10_000;

/** What is wrong with the settings of pulls. */
export function pullFaults(
  { progressDeadlineMs }: Settings["images"],
): string[] {
  const isGood = progressDeadlineMs === 0 ||
    progressDeadlineMs >= LEAST_PROGRESS_MS;
  return isGood ? [] : [
    `Cannot use imagePullProgressDeadline: found ${
      formatDuration(progressDeadlineMs)
    }, wanted at least ${formatDuration(LEAST_PROGRESS_MS)}, or 0s for none`,
  ];
}

/** What of these settings contradicts itself. Upstream has the same rules. */
export function imageConflicts(images: Settings["imageCollection"]): string[] {
  const { highThresholdPercent: high, lowThresholdPercent: low } = images;
  const { minimumAgeMs, maximumAgeMs } = images;
  const faults: string[] = [];
  if (low >= high) {
    faults.push(
      `Cannot use imageGCLowThresholdPercent: found ${low} beside imageGCHighThresholdPercent ${high}, wanted it lower than that`,
    );
  }
  if (maximumAgeMs > 0 && maximumAgeMs <= minimumAgeMs) {
    faults.push(
      `Cannot use imageMaximumGCAge: found ${
        formatDuration(maximumAgeMs)
      } beside imageMinimumGCAge ${
        formatDuration(minimumAgeMs)
      }, wanted it longer than that, or 0s for none`,
    );
  }
  return faults;
}
