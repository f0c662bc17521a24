/**
 * Whose cgroup driver names the cgroups of pods.
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

for (
  const [configured, told, wanted] of [
    ["cgroupfs", "systemd", /\.slice$/],
    ["systemd", "cgroupfs", /^\/kubepods\/[^.]*$/],
    ["systemd", undefined, /\.slice$/],
  ] as const
) {
  Deno.test(`Agent that is to use ${configured} makes cgroups as the runtime says: ${told}`, async () => {
    await using rig = await CoreRig.start({
      kubelet: [`cgroupDriver: ${configured}`],
      prepare: (rig) => {
        rig.fake.settings.cgroupDriver = told;
      },
    });
    await rig.apply("web", web());
    await untilRunning(rig);
    const [sandbox] = [...rig.fake.sandboxes.values()];
    match(sandbox?.config.linux?.cgroupParent ?? "", wanted);
    strictEqual(
      rig.logged("cgroup_driver_differs").length,
      told === undefined ? 0 : 1,
    );
  });
}
