/**
 * What a runtime can do, beyond what every runtime can.
 *
 * @module
 */

import type { CgroupDriver } from "../../api/types/mod.ts";
import type { RuntimeHandler, RuntimeVersion } from "../model/mod.ts";

/** Whether a runtime can do something; `unknown` means that it must be tried. */
export type Support = "yes" | "no" | "unknown";

/** What the runtime can do, as far as it has said or shown. */
export interface RuntimeFeatures {
  readonly version: RuntimeVersion;
  readonly handlers: readonly RuntimeHandler[];
  readonly supplementalGroupsPolicy: boolean;
  /** `undefined` when the runtime does not say. */
  readonly cgroupDriver: CgroupDriver | undefined;
  /** The image of sandboxes; absent when the runtime does not say, or pins it. */
  readonly sandboxImage?: string;
}

/**
 * Judges whether the runtime has the CRI's stream of events: containerd has it since
 * 1.7, CRI-O when it is switched on. An earlier refusal of the stream does not count,
 * since the runtime may have been restarted with other settings.
 */
export function judgeContainerEvents(version: RuntimeVersion): Support {
  if (version.runtimeName !== "containerd") return "unknown";
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version.runtimeVersion) ?? [];
  if (major === undefined || minor === undefined) return "unknown";
  return Number(major) * 1000 + Number(minor) >= 1007 ? "yes" : "no";
}
