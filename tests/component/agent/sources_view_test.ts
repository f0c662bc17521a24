/**
 * The sources as clients see them while an agent runs.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { SourceState } from "../../../mod/server/mod.ts";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { NODE } from "../../support/agent/core_config.ts";
import { web } from "../../support/agent/manifests.ts";
import { withRunning } from "../../support/agent/phases.ts";
import { PodServer } from "../../support/agent/pod_server.ts";

function sources(rig: CoreRig): readonly SourceState[] {
  return rig.views.sources();
}

function source(rig: CoreRig, name: string): SourceState | undefined {
  return sources(rig).find((each) => each.name === name);
}

/** The conditions of a source that are not met, as `type reason`. */
function wrong(rig: CoreRig, name: string): readonly string[] {
  return (source(rig, name)?.conditions ?? [])
    .filter(({ status }) => status === "False")
    .map(({ type, reason }) => `${type} ${reason}`);
}

Deno.test("AgentViews shows a manifest that turned bad at its source, and what runs on (I8)", async () => {
  await using rig = await withRunning();
  const well = source(rig, "file");
  deepStrictEqual(
    [well?.ready, well?.pods, well?.location, well?.lastGood],
    [true, 1, rig.config.source.manifestPath, []],
  );
  deepStrictEqual(
    well?.conditions.map(({ type, status }) => `${type} ${status}`),
    ["Reachable True", "ManifestsValid True", "Checkpointed True"],
  );

  await rig.apply("web", web({ spec: { restartPolicy: "Sometimes" } }));
  await rig.until(() => wrong(rig, "file").length > 0, "the condition");
  deepStrictEqual(wrong(rig, "file"), ["ManifestsValid InvalidManifest"]);
  const bad = source(rig, "file");
  const { message = "", lastTransitionTime = "" } =
    bad?.conditions.find(({ status }) => status === "False") ?? {};
  match(message, /web\.json.*restartPolicy.*last good version runs on/);
  ok(Math.abs(Date.parse(lastTransitionTime) - rig.clock.now()) < 60_000);
  deepStrictEqual(bad?.lastGood, [{
    manifest: rig.manifestPath("web"),
    pods: [`default/web-${NODE}`],
  }]);
  strictEqual(bad?.pods, 1);
  ok(rig.events("web").includes("Warning FailedValidation"));

  await rig.apply("web", web());
  await rig.until(() => wrong(rig, "file").length === 0, "no fault");
});

Deno.test("AgentViews shows a URL that is silent, was heard, and is away", async () => {
  await using server = new PodServer(web());
  server.isCut = true;
  await using rig = await CoreRig.start({ flags: server.flags });
  await rig.until(() => wrong(rig, "http").length > 0, "the condition");
  strictEqual(source(rig, "http")?.ready, false);
  strictEqual(source(rig, "http")?.location, server.url);
  deepStrictEqual(wrong(rig, "http"), ["Reachable Unreachable"]);
  await rig.until(() => source(rig, "file")?.ready === true, "the file source");

  server.isCut = false;
  await rig.until(() => source(rig, "http")?.ready === true, "its answer");
  deepStrictEqual(wrong(rig, "http"), []);
  server.isCut = true;
  await rig.until(() => wrong(rig, "http").length > 0, "the condition");
  const { ready, pods } = source(rig, "http") ?? {};
  deepStrictEqual([ready, pods], [true, 1]);
});

Deno.test("AgentViews tells a URL whose answer is of no use from one that is away", async () => {
  let body = JSON.stringify(web());
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, () => new Response(body));
  const url = `http://127.0.0.1:${server.addr.port}/`;
  await using rig = await CoreRig.start({ flags: [`--manifest-url=${url}`] });
  await rig.until(() => source(rig, "http")?.ready === true, "its answer");
  for (const garbage of ["<html>log in</html>", "{{{{"]) {
    body = garbage;
    await rig.pass(25_000);
    deepStrictEqual(wrong(rig, "http"), ["Reachable InvalidAnswer"]);
    // Also where the same answer comes again.
    await rig.pass(25_000);
    deepStrictEqual(wrong(rig, "http"), ["Reachable InvalidAnswer"]);
  }
  strictEqual(source(rig, "http")?.pods, 1);
  // Once for each thing that was wrong.
  strictEqual(rig.logged("manifest_source_unreachable").length, 2);
});

Deno.test("AgentViews shows that a disk takes no checkpoints", async () => {
  await using rig = await CoreRig.start({
    prepare: async (rig) => {
      const directory = `${rig.config.paths.rootDir}/checkpoints`;
      await Deno.mkdir(directory, { recursive: true });
      await Deno.writeTextFile(`${directory}/manifests`, "");
    },
  });
  await rig.apply("web", web());
  await rig.until(() => wrong(rig, "file").length > 0, "the condition");
  deepStrictEqual(wrong(rig, "file"), ["Checkpointed FailedCheckpoint"]);
});
