/**
 * A real API server answers as was recorded; what is tested against the scripted one only,
 * which is held to the same record, is so tested against the truth.
 *
 * After a change of the stories: `deno test -A tests/e2e/cluster/scripted_api_test.ts -- --write`
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { API_STORIES } from "../../support/cluster/api_story.ts";
import { withCluster } from "../../support/cluster/with_cluster.ts";

const PATH = fileURLToPath(
  new URL("../../testdata/api_stories.json", import.meta.url),
);

await withCluster("the stories of a real API server", (test) => {
  const notes: Record<string, unknown> = {};
  for (const [name, tell] of Object.entries(API_STORIES)) {
    test(`the story of ${name} is as it was recorded`, async (cluster) => {
      notes[name] = JSON.parse(JSON.stringify(await tell(cluster.api)));
      if (Deno.args.includes("--write")) return;
      const recorded = JSON.parse(await Deno.readTextFile(PATH));
      deepStrictEqual(notes[name], recorded[name]);
    });
  }
  if (!Deno.args.includes("--write")) return;
  test("they are written down", async () => {
    await Deno.writeTextFile(PATH, `${JSON.stringify(notes, undefined, 2)}\n`);
  });
});
