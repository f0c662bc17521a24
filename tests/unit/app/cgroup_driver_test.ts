/**
 * Whose word on the cgroup driver counts.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { NodeCgroupDriver } from "../../../mod/app/cgroup_driver.ts";
import type { Logger } from "../../../mod/base/telemetry/mod.ts";

for (
  const [name, told, expected, warnings] of [
    ["another driver", "systemd", "systemd", 1],
    ["nothing", undefined, "cgroupfs", 0],
    ["the same as the configuration", "cgroupfs", "cgroupfs", 0],
  ] as const
) {
  Deno.test(`RT-31 NodeCgroupDriver takes the runtime's word and tells a difference once: ${name}`, () => {
    const logged: Record<string, unknown>[] = [];
    const log = {
      named: () => log,
      warn: (_: string, fields: Record<string, unknown>) => {
        logged.push(fields);
      },
    } as unknown as Logger;
    const driver = new NodeCgroupDriver("cgroupfs", { log });
    strictEqual(driver.current, "cgroupfs");
    for (const said of [undefined, told, told]) driver.learn(said);
    strictEqual(driver.current, expected);
    strictEqual(logged.length, warnings);
    deepStrictEqual(logged.map(({ runtime }) => runtime), [
      ...(warnings > 0 ? [expected] : []),
    ]);
  });
}
