/**
 * What the control server logs.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { AgentStub } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("ControlServer says once that its socket is missing, each time, and that it is there again", async () => {
  await using dir = await TempDir.make();
  const directory = `${dir.path}/run`;
  await Deno.mkdir(directory);
  const clock = new FakeClock();
  const said: string[] = [];
  const agent = new AgentStub(clock);
  agent.log = messagesTo(said, { clock });
  await using _server = await agent.serve(`${directory}/s.sock`);
  const look = async (): Promise<void> => {
    await clock.advance(5_000);
    await until(() => clock.pendingTimers === 1, "the look");
  };
  const wanted: string[] = [];
  for (let times = 0; times < 2; times++) {
    await look();
    deepStrictEqual(said, wanted);
    await Deno.remove(directory, { recursive: true });
    await look();
    await look();
    wanted.push("control_socket_missing");
    deepStrictEqual(said, wanted);
    await Deno.mkdir(directory);
    await look();
    wanted.push("control_socket_made_again");
    deepStrictEqual(said, wanted);
  }
});

Deno.test("ControlServer that begins without its socket says so once", async () => {
  await using dir = await TempDir.make();
  const clock = new FakeClock();
  const said: string[] = [];
  const agent = new AgentStub(clock);
  agent.log = messagesTo(said, { clock });
  await using _server = await agent.serve(`${dir.path}/run/s.sock`);
  for (let times = 0; times < 2; times++) {
    await clock.advance(5_000);
    await until(() => clock.pendingTimers === 1, "the look");
  }
  deepStrictEqual(said, ["control_socket_missing"]);
});

Deno.test("ControlServer says why there are no figures, and that a log could not be read to its end", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const log = `${dir.path}/0.log`;
  const said: string[] = [];
  const agent = new AgentStub();
  agent.log = messagesTo(said);
  agent.locate = () => ({ kind: "found", path: log, isRunning: () => false });
  await Deno.writeTextFile(`${log}.20240101-000000.gz`, "this is no gzip");
  await using _server = await agent.serve(path);
  using client = Deno.createHttpClient({
    proxy: { transport: "unix", path },
  });
  const ask = async (place: string, status = 200): Promise<string> => {
    const answer = await fetch(`http://localhost${place}`, { client });
    strictEqual(answer.status, status);
    return await answer.text();
  };
  ok((await ask("/metrics/resource")).includes("resource_scrape_error 1"));
  deepStrictEqual(said, ["stats_not_measured"]);
  ok((await ask("/stats/summary", 500)).includes("no figures"));
  strictEqual(await ask("/containerLogs/ns/p/c"), "");
  deepStrictEqual(said.slice(1), [
    "control_request_failed",
    "rotated_log_unreadable",
  ]);
});
