/**
 * The cgroup driver: the runtime's answer counts before the configuration, as upstream.
 *
 * @module
 */

import type { Logger } from "../base/telemetry/mod.ts";
import type { CgroupDriver } from "../api/types/mod.ts";

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
   * Takes what the runtime has said when it became ready, and says so when that is another
   * driver than the configuration names. The configuration stays in force when the runtime
   * does not say.
   */
  learn(found: CgroupDriver | undefined): void {
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
}
