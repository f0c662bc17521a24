/**
 * What a runtime can do with mounts, from what it has said of itself.
 *
 * @module
 */

import type { RuntimeVersion } from "../../cri/model/mod.ts";
import type { MountAbilities, NodeRuntime } from "./spec_input.ts";

/** What is known of a runtime that has said nothing yet: nothing can be promised. */
const UNKNOWN: MountAbilities = {
  runtime: "the runtime",
  recursiveReadOnly: false,
  imageVolumes: false,
};

/**
 * Judges what a runtime can do under one of its handlers; what is not certain, it
 * cannot. (It would pass over a field that it does not know, and the container would
 * see something else than it asked for.)
 *
 * @param handler the name of the runtime's handler; empty for its default
 */
export function mountAbilities(
  runtime: NodeRuntime | undefined,
  handler: string,
): MountAbilities {
  if (runtime === undefined) return UNKNOWN;
  const handlers: readonly {
    readonly name: string;
    readonly recursiveReadOnlyMounts?: boolean;
  }[] = runtime.handlers;
  const known = handlers.find(({ name }) => name === handler);
  const { version } = runtime;
  return {
    runtime: version === undefined
      ? UNKNOWN.runtime
      : `runtime "${version.runtimeName}" ${version.runtimeVersion}`,
    recursiveReadOnly: known?.recursiveReadOnlyMounts ?? false,
    imageVolumes: version !== undefined && mountsImages(version),
  };
}

/** The first releases that mount images; no field of the CRI tells it. */
const IMAGE_VOLUMES_SINCE: ReadonlyMap<string, readonly [number, number]> =
  new Map([["containerd", [2, 1]], ["cri-o", [1, 31]]]);

function mountsImages(version: RuntimeVersion): boolean {
  const since = IMAGE_VOLUMES_SINCE.get(version.runtimeName);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version.runtimeVersion) ?? [];
  if (since === undefined || major === undefined || minor === undefined) {
    return false;
  }
  const ahead = Number(major) - since[0];
  return ahead > 0 || (ahead === 0 && Number(minor) >= since[1]);
}
