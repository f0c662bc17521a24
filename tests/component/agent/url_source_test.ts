/**
 * Pods of a URL beside those of files, in a whole agent.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { CoreRig } from "../../support/agent/core_rig.ts";
import { HOSTILE_HTTP } from "../../support/peers/hostile_http.ts";
import { RawServer } from "../../support/peers/manifest_server.ts";
import { busybox, web } from "../../support/agent/manifests.ts";
import { untilContainerRuns } from "../../support/agent/phases.ts";

function serve(...items: readonly unknown[]): string {
  const body = JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function far(name: string, version: string = "one"): Record<string, unknown> {
  const env = [{ name: "VERSION", value: version }];
  return web({ name, spec: { containers: [busybox(name, { env })] } });
}

function near(name: string): Record<string, unknown> {
  return web({ name, spec: { containers: [busybox(name)] } });
}

async function start(server: RawServer): Promise<CoreRig> {
  const url = `http://localhost:${server.port}/m`;
  const flags = [`--manifest-url=${url}`, "--http-check-frequency=2s"];
  return await CoreRig.start({ flags });
}

function failures(rig: CoreRig): number {
  const found = /url_polls_total\{result="failed"\} (\d+)/
    .exec(rig.metrics.render());
  return Number(found?.[1] ?? 0);
}

Deno.test("H01–H13 Agent leaves a canary of a file and one of the URL alone, however the URL is served", async () => {
  await using server = await RawServer.start(serve(far("url-canary")));
  await using rig = await start(server);
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
  server.misbehaviour = serve(far("url-canary"), far("new"));
  await untilContainerRuns(rig, "new");
  deepStrictEqual(rig.only("url-canary").id, before[0]);
});

Deno.test("SRC-10 Agent runs one of two pods of the same name from file and URL, and the other after it", async () => {
  await using server = await RawServer.start(serve(far("twin")));
  await using rig = await start(server);
  await untilContainerRuns(rig, "twin");
  const first = rig.only("twin").id;
  await rig.apply("twin", near("twin"));
  await rig.pass(5_000);
  strictEqual(rig.only("twin").id, first);
  server.misbehaviour = serve();
  await rig.until(
    () =>
      rig.fake.running("twin").length === 1 && rig.only("twin").id !== first,
    "the file's pod",
  );
  await rig.remove("twin");
  await rig.until(() => rig.fake.running("twin").length === 0, "no pod");
});

Deno.test("SRC-23 Agent shows on a pod of the URL that its new version is not valid", async () => {
  await using server = await RawServer.start(serve(far("a"), far("b")));
  await using rig = await start(server);
  await untilContainerRuns(rig, "a");
  server.misbehaviour = serve(web({ name: "a", spec: { containers: [] } }));
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
