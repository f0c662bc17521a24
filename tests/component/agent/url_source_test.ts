/**
 * Pods of a URL beside those of files, in a whole agent.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { CoreRig } from "../../support/agent/core_rig.ts";
import { HOSTILE_HTTP } from "../../support/peers/hostile_http.ts";
import { RawServer } from "../../support/peers/manifest_server.ts";
import { busybox, web } from "../../support/agent/manifests.ts";
import { untilContainerRuns } from "../../support/agent/phases.ts";
import { listAnswer, startWithUrl } from "../../support/agent/pod_server.ts";

function far(name: string, version: string = "one"): Record<string, unknown> {
  const env = [{ name: "VERSION", value: version }];
  return web({ name, spec: { containers: [busybox(name, { env })] } });
}

function near(name: string): Record<string, unknown> {
  return web({ name, spec: { containers: [busybox(name)] } });
}

function failures(rig: CoreRig): number {
  const found = /url_polls_total\{result="failed"\} (\d+)/
    .exec(rig.metrics.render());
  return Number(found?.[1] ?? 0);
}

Deno.test("H01–H13 Agent leaves a canary of a file and one of the URL alone, however the URL is served", async () => {
  await using server = await RawServer.start(listAnswer(far("url-canary")));
  await using rig = await startWithUrl(server);
  await rig.apply("canary", near("file-canary"));
  await untilContainerRuns(rig, "url-canary");
  await untilContainerRuns(rig, "file-canary");
  await rig.pass(3_000);
  const from = rig.fake.calls.length;
  const before = [rig.only("url-canary").id, rig.only("file-canary").id];
  for (const { name, act } of HOSTILE_HTTP) {
    server.misbehaviour = act;
    const failed = failures(rig);
    // The first may have been on its way with the answer before.
    await rig.until(() => failures(rig) >= failed + 2, `failures by ${name}`, {
      stepMs: 1_000,
    });
    deepStrictEqual(rig.mutations(from), [], name);
  }
  deepStrictEqual(
    [rig.only("url-canary").id, rig.only("file-canary").id],
    before,
  );
  // Files are followed all the while.
  await rig.apply("more", near("late"));
  await untilContainerRuns(rig, "late");
  server.misbehaviour = listAnswer(far("url-canary"), far("new"));
  await untilContainerRuns(rig, "new");
  deepStrictEqual(rig.only("url-canary").id, before[0]);
});

Deno.test("SRC-10 Agent runs one of two pods of the same name from file and URL, and the other after it", async () => {
  await using server = await RawServer.start(listAnswer(far("twin")));
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "twin");
  const first = rig.only("twin").id;
  await rig.apply("twin", near("twin"));
  await rig.pass(5_000);
  strictEqual(rig.only("twin").id, first);
  server.misbehaviour = listAnswer();
  await rig.until(
    () =>
      rig.fake.running("twin").length === 1 && rig.only("twin").id !== first,
    "the file's pod",
  );
  await rig.remove("twin");
  await rig.until(() => rig.fake.running("twin").length === 0, "no pod");
});

Deno.test("SRC-23 Agent shows on a pod of the URL that its new version is not valid", async () => {
  await using server = await RawServer.start(listAnswer(far("a"), far("b")));
  await using rig = await startWithUrl(server);
  await untilContainerRuns(rig, "a");
  server.misbehaviour = listAnswer(
    web({ name: "a", spec: { containers: [] } }),
  );
  await rig.until(
    () =>
      rig.status("a")?.conditions?.some(({ type }) =>
        type === "skerry.dev/ManifestAccepted"
      ) === true,
    "the condition",
  );
  const condition = rig.status("a")?.conditions?.find(({ type }) =>
    type === "skerry.dev/ManifestAccepted"
  );
  match(condition?.message ?? "", /localhost:\d+\/m#default\/a/);
  ok(rig.events("a").includes("Warning FailedValidation"));
  await rig.until(() => rig.fake.running("b").length === 0, "b gone");
  strictEqual(rig.fake.running("a").length, 1);
});
