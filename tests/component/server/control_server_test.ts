/**
 * The control server on a real socket.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { UnixListenError } from "../../../mod/server/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { AgentStub, stubPod } from "../../support/server/agent_stub.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** Asks over a socket. */
class Client implements Disposable {
  readonly #client: Deno.HttpClient;

  constructor(path: string) {
    this.#client = Deno.createHttpClient({
      proxy: { transport: "unix", path },
    });
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    // A name would be asked of the network's name server, though the socket is known.
    return fetch(`http://127.0.0.1${path}`, { ...init, client: this.#client });
  }

  async text(path: string): Promise<string> {
    return await (await this.fetch(path)).text();
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

async function namesIn(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.map(({ name }) => name);
}

const TIME = "2024-05-06T07:08:09.123456789Z";

Deno.test("ControlServer shows its socket with mode 0600 and leaves nothing behind", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  {
    await using _server = await new AgentStub().serve(path);
    const { mode } = await Deno.stat(path);
    strictEqual((mode ?? 0) & 0o777, 0o600);
    deepStrictEqual(await namesIn(dir.path), ["s.sock"]);
  }
  deepStrictEqual(await namesIn(dir.path), []);
});

Deno.test("ControlServer takes the place of a dead agent's socket", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  // A socket that nobody listens on is left when its process is killed.
  const dead = Deno.listen({ transport: "unix", path });
  await Deno.rename(path, `${path}.kept`);
  dead.close();
  await Deno.rename(`${path}.kept`, path);
  await using _server = await new AgentStub().serve(path);
  using client = new Client(path);
  strictEqual(await client.text("/healthz"), "ok");
});

Deno.test("ControlServer refuses a socket on which another answers", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  await using _first = await new AgentStub().serve(path);
  await rejects(() => new AgentStub().serve(path), UnixListenError);
  using client = new Client(path);
  strictEqual(await client.text("/healthz"), "ok");
});

Deno.test("ControlServer answers health, metrics, version and what is not there", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  await using _server = await agent.serve(path);
  using client = new Client(path);
  ok((await client.text("/metrics")).includes("up 1"));
  deepStrictEqual(JSON.parse(await client.text("/version")), {
    version: "0.0.0-test",
  });
  agent.problems = [{ check: "pleg", reason: "late" }];
  const sick = await client.fetch("/healthz");
  strictEqual(sick.status, 500);
  ok((await sick.text()).includes("[-]pleg failed: late"));
  for (
    const unknown of ["/", "/healthz/x", "/api/v1/nodes", "/a/b/c/d/e/f/g"]
  ) {
    const response = await client.fetch(unknown);
    strictEqual(response.status, 404, unknown);
    await response.body?.cancel();
  }
  const posted = await client.fetch("/healthz", { method: "POST" });
  deepStrictEqual([posted.status, posted.headers.get("allow")], [
    405,
    "GET, HEAD",
  ]);
  await posted.body?.cancel();
});

Deno.test("ControlServer lists pods of all namespaces and of one, and one pod", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const agent = new AgentStub();
  agent.pods = [stubPod("b"), stubPod("a"), stubPod("c", "other")];
  await using _server = await agent.serve(path);
  using client = new Client(path);
  const names = async (url: string): Promise<string[]> =>
    JSON.parse(await client.text(url)).items.map((
      { metadata }: { readonly metadata: { readonly name: string } },
    ) => metadata.name);
  deepStrictEqual(await names("/api/v1/pods"), ["a", "b", "c"]);
  deepStrictEqual(await names("/api/v1/pods?namespace=other"), ["c"]);
  deepStrictEqual(await names("/api/v1/namespaces/default/pods"), ["a", "b"]);
  const one = JSON.parse(
    await client.text("/api/v1/namespaces/other/pods/c"),
  );
  strictEqual(one.metadata.name, "c");
  const { metadata, ...rest } = stubPod("c", "other");
  const deletionTimestamp = "2024-01-01T00:00:00Z";
  const ending = { ...metadata, uid: "old", deletionTimestamp };
  agent.pods = [{ ...rest, metadata: ending }, ...agent.pods];
  const next = await client.text("/api/v1/namespaces/other/pods/c");
  strictEqual(JSON.parse(next).metadata.uid, metadata.uid);
  const none = await client.fetch("/api/v1/namespaces/other/pods/a");
  strictEqual(none.status, 404);
  strictEqual((await none.json()).message, 'pods "a" not found');
});

Deno.test("ControlServer serves a log, its end, and refusals", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const log = `${dir.path}/0.log`;
  await Deno.writeTextFile(
    log,
    ["a", "b", "c"].map((line) => `${TIME} stdout F ${line}\n`).join(""),
  );
  const agent = new AgentStub();
  agent.locate = ({ container, previous }) => {
    if (container === "new") return { kind: "not_started", message: "waits" };
    if (container !== "c") return { kind: "not_found", message: "no such" };
    const file = previous ? `${dir.path}/gone.log` : log;
    return { kind: "found", path: file, isRunning: () => false };
  };
  await using _server = await agent.serve(path);
  using client = new Client(path);
  strictEqual(await client.text("/containerLogs/ns/p/c"), "a\nb\nc\n");
  strictEqual(await client.text("/containerLogs/ns/p/c?tailLines=1"), "c\n");
  strictEqual(await client.text("/containerLogs/ns/p/c?tailLines=0"), "");
  strictEqual(
    await client.text("/containerLogs/ns/p/c?follow&timestamps&tailLines=1"),
    `${TIME} c\n`,
  );
  for (
    const [url, status] of [
      ["/containerLogs/ns/p/x", 404],
      ["/containerLogs/ns/p/new", 400],
      ["/containerLogs/ns/p/c?previous", 404],
      ["/containerLogs/ns/p/c?tailLines=x", 400],
      ["/containerLogs/ns/p/%zz", 400],
    ] as const
  ) {
    const response = await client.fetch(url);
    strictEqual(response.status, status, url);
    strictEqual((await response.json()).kind, "Status");
  }
});

Deno.test("ControlServer shows a log of which only one rotated file is left", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const log = `${dir.path}/0.log`;
  await Deno.writeTextFile(
    `${log}.20240101-000000`,
    `${TIME} stdout F a\n`,
  );
  const agent = new AgentStub();
  agent.locate = () => ({ kind: "found", path: log, isRunning: () => false });
  await using _server = await agent.serve(path);
  using client = new Client(path);
  strictEqual(await client.text("/containerLogs/ns/p/c"), "a\n");
});

/** An agent whose only container runs and has written a line. */
async function withLog(
  dir: TempDir,
): Promise<{ readonly agent: AgentStub; readonly log: string }> {
  const log = `${dir.path}/0.log`;
  await Deno.writeTextFile(log, `${TIME} stdout F a\n`);
  const agent = new AgentStub();
  agent.locate = () => ({ kind: "found", path: log, isRunning: () => true });
  return { agent, log };
}

Deno.test("ControlServer ends followed logs when it closes", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const { agent } = await withLog(dir);
  const server = await agent.serve(path);
  using client = new Client(path);
  const response = await client.fetch("/containerLogs/ns/p/c?follow");
  const reader = response.body?.getReader();
  const first = await reader?.read();
  strictEqual(new TextDecoder().decode(first?.value), "a\n");
  await server[Symbol.asyncDispose]();
  strictEqual((await reader?.read())?.done, true);
});

Deno.test("ControlServer takes no further questions while it answers one", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const { agent, log } = await withLog(dir);
  await using _server = await agent.serve(path);
  using socket = await Deno.connect({ transport: "unix", path });
  const question = "GET /containerLogs/ns/p/c?follow HTTP/1.1\r\n\r\n";
  const questions = new TextEncoder().encode(question.repeat(1_000));
  let isTaken = false;
  // 50 MB, of which the kernel holds some 200 kB.
  const writing = (async () => {
    for (let time = 0; time < 1_000; time++) {
      for (let at = 0; at < questions.length;) {
        at += await socket.write(questions.subarray(at));
      }
    }
    isTaken = true;
  })().catch(() => {});
  for (let turn = 0; turn < 5_000 && !isTaken; turn++) await Deno.stat(log);
  strictEqual(isTaken, false);
  socket.close();
  await writing;
});

Deno.test("ControlServer stops reading a log when its client leaves", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const log = `${dir.path}/0.log`;
  await Deno.writeTextFile(log, `${TIME} stdout F a\n`);
  const clock = new FakeClock();
  const agent = new AgentStub(clock);
  agent.locate = () => ({ kind: "found", path: log, isRunning: () => true });
  await using _server = await agent.serve(path);
  // One timer is the server's own.
  const idle = clock.pendingTimers;
  using client = new Client(path);
  const response = await client.fetch("/containerLogs/ns/p/c?follow");
  const reader = response.body?.getReader();
  await reader?.read();
  await until(() => clock.pendingTimers > idle);
  await reader?.cancel();
  // The follower's wait goes away with it, without any time passing.
  await until(() => clock.pendingTimers === idle);
});

Deno.test("ControlServer makes its socket again when somebody deleted it", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const clock = new FakeClock();
  await using _server = await new AgentStub(clock).serve(path);
  await Deno.remove(path);
  await clock.advance(5_000);
  await until(async () => {
    for await (const { name } of Deno.readDir(dir.path)) {
      if (name === "s.sock") return true;
    }
    return false;
  });
  strictEqual(((await Deno.lstat(path)).mode ?? 0) & 0o777, 0o600);
  using client = new Client(path);
  const answer = await client.fetch("/healthz");
  strictEqual(answer.status, 200);
  await answer.text();
});

Deno.test("ControlServer answers as soon as its socket can be made", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/run/s.sock`;
  const clock = new FakeClock();
  // Its directory is on a disk that is read-only, for example.
  await using _server = await new AgentStub(clock).serve(path);
  await clock.advance(5_000);
  await until(() => clock.pendingTimers === 1);
  await Deno.mkdir(`${dir.path}/run`);
  await clock.advance(5_000);
  using client = new Client(path);
  await until(async () => {
    for await (const { name } of Deno.readDir(`${dir.path}/run`)) {
      if (name === "s.sock") return true;
    }
    return false;
  });
  strictEqual(await client.text("/healthz"), "ok");
});
