/**
 * A URL that is served badly: each way is told, is bounded, and changes nothing.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOSTILE_HTTP } from "../../support/peers/hostile_http.ts";
import { RawServer } from "../../support/peers/manifest_server.ts";
import { podList, startUrlRig, urlPod } from "../../support/source/url_rig.ts";

/** Resident memory that one bad answer of at most 10 MiB may leave behind. */
const MEMORY_BOUND_BYTES = 256 * 1024 * 1024;

function good(...pods: readonly object[]): string {
  const body = podList(...pods);
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

Deno.test("HOSTILE_HTTP has at least 30 behaviours with names of their own", () => {
  ok(HOSTILE_HTTP.length >= 30);
  const names = new Set(HOSTILE_HTTP.map(({ name }) => name));
  strictEqual(names.size, HOSTILE_HTTP.length);
});

for (const { name, act, reason, stalls = false } of HOSTILE_HTTP) {
  Deno.test(`H01–H13 UrlSource tells of ${name}, and keeps what it has`, async () => {
    await using server = await RawServer.start(good(urlPod("canary")));
    await using rig = await startUrlRig({
      url: `http://localhost:${server.port}/manifests.yaml?key=hunter2`,
      headers: { authorization: ["Bearer hunter2"] },
    });
    deepStrictEqual(rig.pods, ["canary=one"]);
    const before = Deno.memoryUsage().rss;
    server.misbehaviour = act;
    if (stalls) {
      const { asked } = server;
      const polls = rig.clock.polls;
      await rig.clock.advance(20_000);
      await rig.until(() => server.asked > asked, "a question");
      await rig.clock.advance(10_000);
      await rig.untilPolls(polls + 1);
    } else await rig.poll();
    strictEqual(rig.sets.length, 1);
    strictEqual(rig.reports.length, 1);
    const [report = ""] = rig.reports;
    match(report, reason);
    match(report, /"http:\/\/localhost:\d+\/manifests\.yaml\?…"/);
    ok(report.length < 2000, report);
    ok(Deno.memoryUsage().rss - before < MEMORY_BOUND_BYTES);
    ok(!JSON.stringify([rig.log, rig.reports]).includes("hunter2"));
    // It is served well again: nothing is left of it.
    server.misbehaviour = good(urlPod("canary", "two"));
    await rig.poll();
    deepStrictEqual([rig.pods, rig.reports], [["canary=two"], []]);
  });
}
