/**
 * Pods that get another name under their UID: these are other pods.
 *
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  strictEqual,
} from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { untilGone, WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000006";

/** The names of the sandboxes that are ready. */
function names(rig: CoreRig): string[] {
  return rig.ready().map(({ config }) => config.metadata?.name ?? "").sort();
}

for (const when of ["it runs", "it is down"] as const) {
  Deno.test(`Agent ends a pod that was renamed under its UID while ${when}, and runs the other`, async () => {
    await using rig = await CoreRig.start();
    await rig.apply("web", web({ name: "old", uid: UID }));
    await untilRunning(rig, "old");
    const { id } = rig.only(WEB);
    await rig.pass(3_000);
    if (when === "it is down") await rig.stopAgent();
    await rig.apply("web", web({ name: "new", uid: UID }));
    if (when === "it is down") {
      await Deno.utime(rig.manifestPath("web"), 1, 1);
      await rig.startAgent();
    }
    await untilRunning(rig, "new");
    await rig.pass(10_000);
    notStrictEqual(rig.only(WEB).id, id);
    deepStrictEqual(names(rig), [`new-${NODE}`]);
    strictEqual(rig.status("new")?.containerStatuses?.[0]?.restartCount, 0);
    deepStrictEqual(rig.list(rig.config.runtime.podLogsDir), [
      `default_new-${NODE}_${UID}`,
    ]);
    await rig.remove("web");
    await untilGone(rig);
  });
}
