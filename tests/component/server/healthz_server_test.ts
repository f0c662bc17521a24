/**
 * The health endpoint on a real port.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Clock } from "../../../mod/base/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import {
  type HealthSource,
  HealthzServer,
  type HealthzServerDeps,
} from "../../../mod/server/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const HEALTHY = deps({ checks: ["ping"], problems: () => [] });
const SICK = deps({
  checks: ["ping"],
  problems: () => [{ check: "pleg", reason: "secret" }],
});
const ANY_PORT = { address: "127.0.0.1", port: 0 };

Deno.test("HealthzServer is off with port 0", () => {
  strictEqual(HealthzServer.start(ANY_PORT, HEALTHY), undefined);
});

Deno.test("HealthzServer answers /healthz and nothing else", async () => {
  await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
  const base = `http://127.0.0.1:${server.port}`;
  const good = await fetch(`${base}/healthz`);
  deepStrictEqual([good.status, await good.text()], [200, "ok"]);
  const other = await fetch(`${base}/metrics`);
  strictEqual(other.status, 404);
  await other.body?.cancel();
});

Deno.test("HealthzServer shows any client which check failed, but not why", async () => {
  await using server = HealthzServer.listen(ANY_PORT, SICK);
  const response = await fetch(`http://127.0.0.1:${server.port}/healthz`);
  strictEqual(response.status, 500);
  const text = await response.text();
  strictEqual(text.includes("[-]pleg failed: reason withheld"), true);
  strictEqual(text.includes("secret"), false);
});

Deno.test("HealthzServer answers HTTP/1.0 with a length, and the head of an answer alone", async () => {
  await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
  const old = await talk(server, "GET /healthz HTTP/1.0\n\n");
  strictEqual(old.endsWith("\r\n\r\nok"), true, old);
  strictEqual(old.includes("content-length: 2\r\n"), true, old);
  const head = await talk(server, "HEAD /healthz HTTP/1.1\r\n\r\n");
  strictEqual(head.endsWith("\r\n\r\n"), true, head);
  strictEqual(head.includes("content-length: 2\r\n"), true, head);
});

Deno.test("HealthzServer understands a question that comes byte by byte", async () => {
  await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
  using socket = await connect(server);
  for (const letter of QUESTION) await socket.write(encode(letter));
  strictEqual((await readAll(socket)).endsWith("\r\n\r\nok"), true);
});

for (
  const [name, text] of [
    ["no HTTP", "hello\r\n\r\n"],
    ["a target that is no URL", "GET :// HTTP/1.1\r\n\r\n"],
    ["another HTTP", "PRI * HTTP/2.0\r\n\r\n"],
    ["a head without end", `GET /healthz HTTP/1.1\r\n${"x".repeat(20_000)}`],
  ] as const
) {
  Deno.test(`HealthzServer refuses ${name}`, async () => {
    await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
    const answer = await talk(server, text);
    strictEqual(
      answer.startsWith("HTTP/1.1 400 Bad Request\r\n"),
      true,
      answer,
    );
  });
}

Deno.test("HealthzServer answers one of the questions that a client queues, and ends although it does not read", async () => {
  let asked = 0;
  const clock = new FakeClock();
  const server = HealthzServer.listen(
    ANY_PORT,
    deps({ checks: ["ping"], problems: () => (asked++, []) }, clock),
  );
  using socket = await connect(server);
  const writing = writeMany(socket, 20_000);
  await turns(() => asked > 0);
  let isEnded = false;
  const ended = server[Symbol.asyncDispose]().then(() => isEnded = true);
  await clock.advance(1_000);
  await turns(() => isEnded);
  await ended;
  await writing;
  strictEqual(asked, 1);
});

Deno.test("HealthzServer cuts a client that does not ask in 10 s", async () => {
  const clock = new FakeClock();
  const health = { checks: ["ping"], problems: () => [] };
  await using server = HealthzServer.listen(ANY_PORT, deps(health, clock));
  using socket = await connect(server);
  await socket.write(encode("GET /healthz HTT"));
  await turns(() => clock.pendingTimers > 0);
  await clock.advance(10_000);
  strictEqual(await readAll(socket), "");
});

Deno.test("HealthzServer answers although others keep connections open that ask nothing", async () => {
  await using server = HealthzServer.listen(ANY_PORT, HEALTHY);
  await using silent = new AsyncDisposableStack();
  for (let number = 0; number < 200; number++) {
    const socket = await connect(server);
    silent.defer(() => socket.close());
  }
  const answer = await talk(server, QUESTION);
  strictEqual(answer.startsWith("HTTP/1.1 200 OK\r\n"), true, answer);
});

Deno.test("HealthzServer takes the port of one that has just ended", async () => {
  const first = HealthzServer.listen(ANY_PORT, HEALTHY);
  await talk(first, QUESTION);
  await first[Symbol.asyncDispose]();
  const { port } = first;
  await using second = HealthzServer.listen({ ...ANY_PORT, port }, HEALTHY);
  strictEqual(second.port, port);
});

const QUESTION = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

function deps(
  health: HealthSource,
  clock: Clock = new FakeClock(),
): HealthzServerDeps {
  return { health, clock, log: silentLogger };
}

function connect({ port }: HealthzServer): Promise<Deno.TcpConn> {
  return Deno.connect({ hostname: "127.0.0.1", port });
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Writes until all is written or the other side has gone. */
async function writeMany(socket: Deno.Conn, times: number): Promise<void> {
  const questions = encode(QUESTION.repeat(100));
  try {
    for (let time = 0; time < times; time++) {
      for (let at = 0; at < questions.length;) {
        at += await socket.write(questions.subarray(at));
      }
    }
  } catch {
    // It is gone, as it should be.
  }
}

async function talk(server: HealthzServer, text: string): Promise<string> {
  using socket = await connect(server);
  await socket.write(encode(text));
  return await readAll(socket);
}

/** All that comes until the other side closes, however it does. */
async function readAll(socket: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let text = "";
  try {
    for (;;) {
      const count = await socket.read(buffer);
      if (count === null) return text;
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionReset) return text;
    throw error;
  }
}

/** Lets the event loop turn until a condition holds, a bounded number of times. */
async function turns(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    if (condition()) return;
    await Deno.stat(".");
  }
  throw new Error("Cannot see the condition hold: 10000 turns have passed");
}
