/**
 * What a core makes of the node beside its pods.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { WEB, web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("Agent has garbage collected after its start, and after what moves", async () => {
  let collected = 0;
  Reflect.set(globalThis, "gc", () => collected++);
  try {
    await using rig = await CoreRig.start();
    await rig.pass(60_000);
    strictEqual(collected, 3);
    await rig.apply("web", web());
    await untilRunning(rig);
    rig.fake.exitContainer(rig.only(WEB).id, 1);
    await rig.pass(60_000);
    ok(collected >= 6, `${collected}`);
  } finally {
    Reflect.deleteProperty(globalThis, "gc");
  }
});

Deno.test("Agent says that a host view shows no cgroups, and says nothing without one", async () => {
  await using dir = await TempDir.make();
  for (
    const [flags, times] of [[[`--host-view=${dir.path}`], 1], [[], 0]] as const
  ) {
    await using rig = await CoreRig.start({ flags });
    await rig.pass(1_000);
    strictEqual(rig.logged("no_cgroups_in_host_view").length, times);
  }
});

Deno.test("Agent without a cluster keeps nothing of one that it was a node of, Secrets neither", async () => {
  await using rig = await CoreRig.start({
    prepare: async ({ config: { paths } }) => {
      for (const directory of placesOf(paths)) {
        await Deno.mkdir(directory, { recursive: true });
        await Deno.writeTextFile(`${directory}/${"0".repeat(32)}.json`, "{}");
      }
    },
  });
  for (const directory of placesOf(rig.config.paths)) {
    deepStrictEqual(rig.list(directory), []);
  }
  // It is not ended before it has reached its runtime.
  await rig.pass(1_000);
});

function placesOf(
  { rootDir, runDir }: { readonly rootDir: string; readonly runDir: string },
): readonly string[] {
  return [`${rootDir}/checkpoints/api`, `${runDir}/api-secrets`];
}
