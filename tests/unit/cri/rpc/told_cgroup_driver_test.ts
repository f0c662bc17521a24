/**
 * What a runtime's verbose status says of its cgroup driver.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { driverOfStatus } from "../../../../mod/cri/rpc/mod.ts";

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
