/**
 * Manifests whose last good version the disk does not have yet when the agent ends.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CopiedDirectories } from "../../support/agent/copied_directories.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";

const UID = "0badc0de-0000-4000-8000-000000000001";

/** It has an id of its own, so that an edit changes the pod and makes no other. */
function version(label: string): Record<string, unknown> {
  return web({ uid: UID, labels: { version: label } });
}

const labelOf = (rig: CoreRig) => rig.pod("web")?.metadata.labels?.["version"];

for (const before of ["none", "an older one"] as const) {
  Deno.test(`Agent runs a pod on after it was killed and its manifest turned bad meanwhile, while the disk has ${before} (I2, I8)`, async () => {
    await using rig = await CoreRig.start();
    if (before === "an older one") {
      await rig.apply("web", version("one"));
      await untilRunning(rig);
      await rig.pass(20_000);
    }
    await rig.apply("web", version("two"));
    await rig.until(() => labelOf(rig) === "two", "the version");
    await untilRunning(rig);
    await rig.pass(2_000);
    const { rootDir, runDir } = rig.config.paths;
    const kept = [`${rootDir}/checkpoints`, `${runDir}/manifest-secrets`];
    // An agent that is told to end writes everything: what it had not written yet is
    // put back.
    await using left = await CopiedDirectories.of(...kept);
    const running = rig.only(WEB).id;
    await rig.stopAgent();
    await left.putBack();
    await Deno.writeTextFile(rig.manifestPath("web"), "kind: [");
    const from = rig.fake.calls.length;
    await rig.startAgent();
    await untilRunning(rig);
    await rig.pass(60_000, 5_000);
    strictEqual(rig.only(WEB).id, running);
    strictEqual(labelOf(rig), "two");
    deepStrictEqual(rig.mutations(from), []);
  });
}
