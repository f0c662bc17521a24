/**
 * Whose cgroup driver names the cgroups of pods.
 *
 * @module
 */

import { match, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { alone, web } from "../../support/agent/manifests.ts";
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

Deno.test("Agent makes cgroups as another runtime says that has come in the place of the first", async () => {
  await using rig = await CoreRig.start({
    prepare: (rig) => {
      rig.fake.settings.cgroupDriver = "systemd";
    },
  });
  await rig.apply("one", alone("one"));
  await untilRunning(rig, "one");
  await rig.fake.stop();
  await rig.pass(10_000);
  rig.fake.settings.cgroupDriver = "cgroupfs";
  await rig.fake.restart();
  await rig.pass(10_000);
  await rig.apply("two", alone("two"));
  await untilRunning(rig, "two");
  const parents = [...rig.fake.sandboxes.values()].map(({ config }) =>
    config.linux?.cgroupParent ?? ""
  );
  match(parents[0] ?? "", /\.slice$/);
  match(parents[1] ?? "", /^\/kubepods\/[^.]*$/);
});
