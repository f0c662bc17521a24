/**
 * Which cgroup driver a runtime uses.
 *
 * @module
 */

import * as wire from "../../../proto/gen/runtime/v1/api.ts";
import type { CgroupDriver } from "../../api/types/mod.ts";
import { CriError } from "../model/mod.ts";
import { infoField, toldConfig } from "./told_config.ts";
import { methodOf, type Rpc, type RpcOptions } from "./rpc.ts";

const RUNTIME_CONFIG = methodOf(
  wire.RuntimeServiceDefinition,
  wire.RuntimeServiceDefinition.methods.runtimeConfig,
);

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

/**
 * Reads the driver from the verbose status of containerd before 2.0, which shows
 * its configuration: `SystemdCgroup` of the default runtime.
 */
export function driverOfStatus(
  info: ReadonlyMap<string, string>,
): CgroupDriver | undefined {
  const config = infoField(toldConfig(info), "containerd");
  const name = infoField(config, "defaultRuntimeName");
  const runtimes = infoField(config, "runtimes");
  if (typeof name !== "string" || runtimes === undefined) return undefined;
  const options = infoField(infoField(runtimes, name), "options");
  // Without options the runtime has its default, which is cgroupfs.
  return infoField(options, "SystemdCgroup") === true ? "systemd" : "cgroupfs";
}
