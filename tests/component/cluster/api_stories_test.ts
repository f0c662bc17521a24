/**
 * The scripted API server answers as a real one was seen to answer.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { ApiClient } from "../../support/cluster/api_client.ts";
import { API_STORIES } from "../../support/cluster/api_story.ts";
import { ScriptedApi } from "../../support/cluster/scripted_api.ts";
import recorded from "../../testdata/api_stories.json" with { type: "json" };

const RECORDED: Readonly<Record<string, unknown>> = recorded;

for (const [name, tell] of Object.entries(API_STORIES)) {
  Deno.test(`ScriptedApi answers in the story of ${name} as kube-apiserver does`, async () => {
    await using api = await ScriptedApi.start();
    const admin = await api.authority.issue({ name: "admin" });
    using client = new ApiClient(api.server, admin);
    const notes: unknown = JSON.parse(JSON.stringify(await tell(client)));
    deepStrictEqual(notes, RECORDED[name]);
  });
}
