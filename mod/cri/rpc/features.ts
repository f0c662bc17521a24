/**
 * What a runtime can do, beyond what every runtime can.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";
import type { CgroupDriver } from "../../api/types/mod.ts";
import {
  CriError,
  type RuntimeHandler,
  type RuntimeVersion,
} from "../model/mod.ts";
import { methodOf, type Rpc, type RpcOptions } from "./rpc.ts";

const RUNTIME_CONFIG = methodOf(
  wire.RuntimeServiceDefinition,
  wire.RuntimeServiceDefinition.methods.runtimeConfig,
);

/** Whether a runtime can do something; `unknown` means that it must be tried. */
export type Support = "yes" | "no" | "unknown";

/** What the runtime can do, as far as it has said or shown. */
export interface RuntimeFeatures {
  readonly version: RuntimeVersion;
  readonly handlers: readonly RuntimeHandler[];
  readonly supplementalGroupsPolicy: boolean;
  /** `undefined` when the runtime does not say (containerd before 2.0). */
  readonly cgroupDriver: CgroupDriver | undefined;
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

/**
 * Asks which cgroup driver the runtime uses.
 *
 * @throws {CriError} When the runtime cannot be asked now; not when it does not
 * know the question or fails to answer it.
 */
export async function askCgroupDriver(
  rpc: Rpc,
  options: RpcOptions,
): Promise<CgroupDriver | undefined> {
  try {
    const { linux } = await rpc.call(RUNTIME_CONFIG, {}, options);
    if (linux === undefined) return undefined;
    return linux.cgroupDriver === wire.CgroupDriver.SYSTEMD
      ? "systemd"
      : "cgroupfs";
  } catch (error) {
    const isAnswer = error instanceof CriError &&
      (error.kind === "unimplemented" || error.kind === "failed");
    if (isAnswer) return undefined;
    throw error;
  }
}
