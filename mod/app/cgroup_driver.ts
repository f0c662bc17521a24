/**
 * The cgroup driver: the runtime's answer counts before the configuration, as upstream.
 *
 * @module
 */

import type { Logger } from "../base/telemetry/mod.ts";
import type { CgroupDriver } from "../api/types/mod.ts";
import type { CriConnection } from "../cri/mod.ts";

/**
 * The cgroup driver of this node: as configured until the runtime has been asked,
 * then the runtime's.
 */
export class NodeCgroupDriver {
  readonly #configured: CgroupDriver;
  readonly #log: Logger;
  #learned: CgroupDriver | undefined;

  constructor(configured: CgroupDriver, deps: { readonly log: Logger }) {
    this.#configured = configured;
    this.#log = deps.log.named("cgroups");
  }

  /** The driver that cgroup parents are spelled for. */
  get current(): CgroupDriver {
    return this.#learned ?? this.#configured;
  }

  /**
   * Asks the runtime, which has to be ready, and says so when it uses another
   * driver than the configuration names. The
   * configuration stays in force when the runtime does not say.
   *
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async learn(
    connection: Pick<CriConnection, "features" | "runtime">,
    signal: AbortSignal,
  ): Promise<void> {
    const found = connection.features()?.cgroupDriver ??
      await this.#fromStatus(connection, signal);
    const before = this.#learned;
    if (found === undefined || found === before) return;
    this.#learned = found;
    if (found === this.#configured) return;
    this.#log.warn("cgroup_driver_differs", {
      configured: this.#configured,
      runtime: found,
      message:
        `The runtime's cgroup driver "${found}" is used, not "${this.#configured}" of cgroupDriver in the configuration: set cgroupDriver to "${found}"`,
    });
  }

  async #fromStatus(
    { runtime }: Pick<CriConnection, "runtime">,
    signal: AbortSignal,
  ): Promise<CgroupDriver | undefined> {
    try {
      const { info } = await runtime.status({ verbose: true, signal });
      return driverOfStatus(info);
    } catch {
      signal.throwIfAborted();
      // It has said that it is ready; what it says of itself beyond is a courtesy.
      return undefined;
    }
  }
}

/**
 * Reads the driver from the verbose status of containerd before 2.0, which shows
 * its configuration: `SystemdCgroup` of the default runtime.
 */
export function driverOfStatus(
  info: ReadonlyMap<string, string>,
): CgroupDriver | undefined {
  const config = field(parse(info.get("config")), "containerd");
  const name = field(config, "defaultRuntimeName");
  const runtimes = field(config, "runtimes");
  if (typeof name !== "string" || runtimes === undefined) return undefined;
  const options = field(field(runtimes, name), "options");
  // Without options the runtime has its default, which is cgroupfs.
  return field(options, "SystemdCgroup") === true ? "systemd" : "cgroupfs";
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
