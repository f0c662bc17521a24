/**
 * Directories that no pod has any more: they go, and nothing beside them does.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { web } from "../../support/agent/manifests.ts";
import { untilRunning } from "../../support/agent/phases.ts";
import { filesBelow } from "../../support/files_below.ts";

const UID = "0badc0de-0000-4000-8000-0000000000aa";
const IN_MEMORY = "0badc0de-0000-4000-8000-0000000000ab";

/** A file beside the agent's directories, and a directory of it. */
async function outside(rig: CoreRig): Promise<string> {
  const path = `${rig.directory}/outside`;
  await Deno.mkdir(`${path}/deep`, { recursive: true });
  await Deno.writeTextFile(`${path}/deep/kept`, "kept");
  return path;
}

Deno.test("Agent removes the directories of pods that nobody wants, follows no link and leaves what is no pod's", async () => {
  let kept: ReadonlyMap<string, string> = new Map();
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      const { rootDir, runDir } = rig.config.paths;
      const away = await outside(rig);
      const volume = `${rootDir}/pods/${UID}/volumes/kubernetes.io~empty-dir/v`;
      await Deno.mkdir(`${volume}/more`, { recursive: true });
      await Deno.symlink(away, `${volume}/directory`);
      await Deno.symlink(`${away}/deep/kept`, `${volume}/more/file`);
      await Deno.symlink("/nowhere", `${volume}/more/nowhere`);
      await Deno.mkdir(`${runDir}/pods/${IN_MEMORY}/volumes`, {
        recursive: true,
      });
      await Deno.symlink(away, `${runDir}/pods/${IN_MEMORY}/volumes/link`);
      // A link in the place of a pod's directory, and names that no pod has.
      const other = "0badc0de-0000-4000-8000-0000000000ac";
      await Deno.symlink(away, `${rootDir}/pods/${other}`);
      await Deno.mkdir(`${rootDir}/pods/lost+found`);
      await Deno.writeTextFile(`${rootDir}/pods/note`, "x");
      kept = await filesBelow(away);
    },
  });
  const { rootDir, runDir } = rig.config.paths;
  await rig.until(
    () => rig.list(`${rootDir}/pods`).length === 3,
    "the end of the directory",
  );
  deepStrictEqual(rig.list(`${rootDir}/pods`), [
    "0badc0de-0000-4000-8000-0000000000ac",
    "lost+found",
    "note",
  ]);
  await rig.until(
    () => rig.list(`${runDir}/pods`).length === 0,
    "the end of what was in memory",
  );
  deepStrictEqual(await filesBelow(`${rig.directory}/outside`), kept);
  strictEqual(rig.logged("garbage_not_removed").length, 0);
});

Deno.test("Agent removes no directory while it is not known who wants it, and none of a pod that is wanted", async () => {
  await using rig = await CoreRig.start({
    flags: ["--manifest-url=http://127.0.0.1:9/none"],
    prepare: async (rig) => {
      await Deno.mkdir(`${rig.config.paths.rootDir}/pods/${UID}/volumes`, {
        recursive: true,
      });
      await rig.apply("web", web({ uid: IN_MEMORY }));
    },
  });
  await untilRunning(rig, "web");
  await rig.pass(130_000);
  deepStrictEqual(rig.list(`${rig.config.paths.rootDir}/pods`), [
    UID,
    IN_MEMORY,
  ]);
});
