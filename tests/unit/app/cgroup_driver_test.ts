/**
 * Whose word on the cgroup driver counts.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  driverOfStatus,
  NodeCgroupDriver,
} from "../../../mod/app/cgroup_driver.ts";
import type { Logger } from "../../../mod/base/telemetry/mod.ts";
import type { CgroupDriver } from "../../../mod/api/types/mod.ts";
import type { CriConnection } from "../../../mod/cri/mod.ts";

const SIGNAL = new AbortController().signal;

/** What containerd before 2.0 shows of its configuration. */
function containerdConfig(systemd: boolean | undefined): string {
  const options = systemd === undefined
    ? undefined
    : { SystemdCgroup: systemd };
  return JSON.stringify({
    containerd: { defaultRuntimeName: "runc", runtimes: { runc: { options } } },
  });
}

for (
  const [name, config, expected] of [
    ["SystemdCgroup true", containerdConfig(true), "systemd"],
    ["SystemdCgroup false", containerdConfig(false), "cgroupfs"],
    ["no options", containerdConfig(undefined), "cgroupfs"],
    ["something else", JSON.stringify({ sandboxImage: "pause" }), undefined],
    ["no JSON", "{", undefined],
    ["nothing", undefined, undefined],
  ] as const
) {
  Deno.test(`driverOfStatus() is ${expected} with ${name}`, () => {
    const info = new Map(config === undefined ? [] : [["config", config]]);
    strictEqual(driverOfStatus(info), expected);
  });
}

/** A runtime that tells its driver in one of two ways, or not at all. */
function runtime(
  features: CgroupDriver | undefined,
  config?: string,
): Pick<CriConnection, "features" | "runtime"> {
  const status = {
    conditions: [],
    handlers: [],
    supplementalGroupsPolicy: false,
    info: new Map(config === undefined ? [] : [["config", config]]),
  };
  // Only these two are asked for anything.
  return {
    features: () => ({ cgroupDriver: features }),
    runtime: { status: () => Promise.resolve(status) },
  } as unknown as Pick<CriConnection, "features" | "runtime">;
}

for (
  const [name, connection, expected, warnings] of [
    ["RuntimeConfig", runtime("systemd"), "systemd", 1],
    ["Status", runtime(undefined, containerdConfig(true)), "systemd", 1],
    ["nothing", runtime(undefined), "cgroupfs", 0],
    ["the same as the configuration", runtime("cgroupfs"), "cgroupfs", 0],
  ] as const
) {
  Deno.test(`RT-31 NodeCgroupDriver takes the runtime's word and tells a difference once: ${name}`, async () => {
    const told: Record<string, unknown>[] = [];
    const log = {
      named: () => log,
      warn: (_: string, fields: Record<string, unknown>) => {
        told.push(fields);
      },
    } as unknown as Logger;
    const driver = new NodeCgroupDriver("cgroupfs", { log });
    strictEqual(driver.current, "cgroupfs");
    await driver.learn(connection, SIGNAL);
    await driver.learn(connection, SIGNAL);
    strictEqual(driver.current, expected);
    strictEqual(told.length, warnings);
    deepStrictEqual(told.map(({ runtime }) => runtime), [
      ...(warnings > 0 ? [expected] : []),
    ]);
  });
}
