/**
 * What an agent leaves that was killed while it wrote.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { untilRunning, withRunning } from "../../support/agent/phases.ts";

Deno.test("Agent started anew removes what the last one was writing when it was killed", async () => {
  await using rig = await withRunning();
  await rig.stopAgent();
  const { rootDir, runDir } = rig.config.paths;
  const directories = [
    `${rootDir}/checkpoints/manifests`,
    `${rootDir}/checkpoints/rollbacks`,
    `${runDir}/status`,
  ];
  for (const directory of directories) {
    await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(`${directory}/.0a1b.json.4711-1.tmp`, "{");
  }
  await rig.startAgent();
  await untilRunning(rig);
  await rig.pass(10_000);
  const left = directories.flatMap((directory) =>
    rig.list(directory).filter((name) => name.endsWith(".tmp"))
      .map((name) => `${directory}/${name}`)
  );
  deepStrictEqual(left, []);
});
