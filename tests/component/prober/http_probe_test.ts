/**
 * Probes that ask web servers (PR-03).
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Probe } from "../../../mod/api/types/mod.ts";
import type { ProbeResult } from "../../../mod/prober/mod.ts";
import { Authority } from "../../support/peers/certificates.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { untilQuiet } from "../../support/quiet/quiet.ts";
import {
  drain,
  readRequest,
  say,
  serveRaw,
  type TcpServer,
} from "../../support/peers/raw_server.ts";
import { attempt, LateClock } from "../../support/prober/attempts.ts";
import { serveHttp } from "../../support/peers/http_server.ts";

interface Web extends Omit<TcpServer, "count"> {
  readonly requests: readonly string[];
}

async function serve(
  answer: (request: string) => string,
  hostname?: string,
): Promise<Web> {
  const requests: string[] = [];
  const server = await serveRaw(async (connection) => {
    const request = await readRequest(connection);
    requests.push(request);
    await say(connection, answer(request));
    connection.closeWrite();
    await drain(connection);
  }, hostname);
  return {
    port: server.port,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function reply(status: number, headers: readonly string[] = []): string {
  const lines = [
    `HTTP/1.1 ${status} Some`,
    ...headers,
    "Connection: close",
    "Content-Length: 4",
  ];
  return `${lines.join("\r\n")}\r\n\r\nbody`;
}

const get = (
  port: number | string,
  more: Partial<NonNullable<Probe["httpGet"]>> = {},
): Probe => ({ httpGet: { port, ...more }, timeoutSeconds: 1 });

const WARNING = "Probe terminated redirects, Response body: body";

const STATUSES: readonly [number, string, string][] = [
  [200, "success", "body"],
  [299, "success", "body"],
  [304, "warning", "Probe terminated redirects, Response body: "],
  [399, "warning", WARNING],
  [400, "failure", "HTTP probe failed with statuscode: 400"],
  [500, "failure", "HTTP probe failed with statuscode: 500"],
  [101, "failure", "HTTP probe failed with statuscode: 101"],
];

for (const [status, kind, message] of STATUSES) {
  Deno.test(`TargetProber.run() takes status ${status} for ${kind} (PR-03)`, async () => {
    await using server = await serve(() => reply(status));
    deepStrictEqual(await attempt(get(server.port)), { kind, message });
  });
}

/** Where a server redirects to; how the probe ends; how often it asked. */
const REDIRECTS: readonly [string, string, number][] = [
  ["/next", "success", 2],
  ["http://127.0.0.1:PORT/next", "success", 2],
  ["http://169.254.169.254/latest", "warning", 1],
  ["https://shop.example/next", "warning", 1],
  ["http://localhost:PORT/next", "warning", 1],
  ["//shop.example/next", "warning", 1],
];

for (const [location, kind, asked] of REDIRECTS) {
  Deno.test(`TargetProber.run() led to ${location} ends with ${kind} (PR-03)`, async () => {
    await using server = await serve((request) =>
      request.startsWith("GET /next")
        ? reply(200)
        : reply(302, [`Location: ${here(location)}`])
    );
    const here = (text: string): string =>
      text.replace("PORT", String(server.port));
    const result = await attempt(get(server.port));
    strictEqual(result.kind, kind);
    if (kind === "warning") strictEqual(result.message, WARNING);
    strictEqual(server.requests.length, asked);
  });
}

Deno.test("TargetProber.run() fails after ten redirects in a row (PR-03)", async () => {
  await using server = await serve(() => reply(301, ["Location: /again"]));
  const { kind, message } = await attempt(get(server.port));
  strictEqual(kind, "failure");
  match(message, /^Get "http:.*": stopped after 10 redirects$/);
  strictEqual(server.requests.length, 10);
});

Deno.test("TargetProber.run() keeps the host it was told for relative redirects only (PR-03)", async () => {
  await using server = await serve((request) =>
    request.startsWith("GET /first")
      ? reply(302, ["Location: /second"])
      : request.startsWith("GET /second")
      ? reply(302, [`Location: http://127.0.0.1:${server.port}/third`])
      : reply(200)
  );
  const httpHeaders = [{ name: "Host", value: "shop.example" }];
  await attempt(get(server.port, { path: "/first", httpHeaders }));
  const hosts = server.requests.map((text) => /Host: (.*)\r/.exec(text)?.[1]);
  deepStrictEqual(hosts, [
    "shop.example",
    "shop.example",
    `127.0.0.1:${server.port}`,
  ]);
});

const HEADERS: readonly [string, readonly [string, string][], string[]][] = [
  ["nothing", [], [
    "Host: 127.0.0.1:PORT",
    "User-Agent: kube-probe/1.36",
    "Accept: */*",
    "Connection: close",
  ]],
  ["an empty Accept and a Host", [["accept", ""], ["Host", "shop.example"]], [
    "Host: shop.example",
    "User-Agent: kube-probe/1.36",
    "Connection: close",
  ]],
  ["its own agent", [["User-Agent", "me"], ["X-A", "1"], ["X-A", "2"]], [
    "Host: 127.0.0.1:PORT",
    "User-Agent: me",
    "X-A: 1",
    "X-A: 2",
    "Accept: */*",
    "Connection: close",
  ]],
];

for (const [name, given, expected] of HEADERS) {
  Deno.test(`TargetProber.run() with ${name} given sends what the kubelet does (PR-03)`, async () => {
    await using server = await serve(() => reply(200));
    const httpHeaders = given.map(([name, value]) => ({ name, value }));
    await attempt(get(server.port, { httpHeaders, path: "/ready?full=1" }));
    deepStrictEqual(
      server.requests[0]?.replace(String(server.port), "PORT").trimEnd()
        .split("\r\n"),
      ["GET /ready?full=1 HTTP/1.1", ...expected],
    );
  });
}

Deno.test("TargetProber.run() does not ask the proxy of the environment (PR-03)", async () => {
  await using server = await serve(() => reply(200));
  Deno.env.set("HTTP_PROXY", "http://127.0.0.1:1");
  Deno.env.set("http_proxy", "http://127.0.0.1:1");
  try {
    strictEqual((await attempt(get(server.port))).kind, "success");
  } finally {
    Deno.env.delete("HTTP_PROXY");
    Deno.env.delete("http_proxy");
  }
});

Deno.test("TargetProber.run() checks no certificate (PR-03)", async () => {
  const identity = await (await Authority.create()).issue({ name: "web" });
  await using server = await serveHttp(
    (_, response) => response.end(),
    identity,
  );
  const { kind } = await attempt(get(server.port, { scheme: "HTTPS" }));
  strictEqual(kind, "success");
});

Deno.test("TargetProber.run() says that a server of HTTPS speaks no TLS", async () => {
  await using server = await serveRaw(async (connection) => {
    await say(connection, reply(400));
    await drain(connection);
  });
  const { port } = server;
  deepStrictEqual(await attempt(get(port, { scheme: "HTTPS" })), {
    kind: "failure",
    message:
      `Get "https://127.0.0.1:${port}/": http: server gave HTTP response to HTTPS client`,
  });
});

Deno.test("TargetProber.run() throws away an answer whose length lies (PR-03)", async () => {
  await using server = await serve(() =>
    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbody"
  );
  deepStrictEqual(await attempt(get(server.port)), {
    kind: "error",
    message: "unexpected EOF",
  });
});

Deno.test("TargetProber.run() does not unpack what a server has packed (PR-03)", async () => {
  await using server = await serve(() =>
    reply(200, ["Content-Encoding: gzip"])
  );
  deepStrictEqual(await attempt(get(server.port)), {
    kind: "success",
    message: "body",
  });
});

Deno.test("TargetProber.run() reads ten kilobytes of an endless answer (PR-03)", async () => {
  await using server = await serveRaw(async (connection) => {
    await readRequest(connection);
    await say(connection, "HTTP/1.1 302 Found\r\n\r\n");
    for (let sent = 0; sent < 1000; sent++) {
      await say(connection, "x".repeat(65_536));
    }
  });
  const { kind, message } = await attempt(get(server.port));
  strictEqual(kind, "warning");
  strictEqual(message.replace(/^.*: /, "").length, 10 * 1024);
});

/** Asks a server that does not answer in time. */
async function inVain(
  server: TcpServer,
  clock: FakeClock = new FakeClock(),
): Promise<ProbeResult> {
  const attempting = attempt(get(server.port), { clock });
  await untilQuiet(clock);
  strictEqual(server.count, 1);
  await clock.advance(2000);
  return await attempting;
}

Deno.test("TargetProber.run() fails when there is no answer in time (PR-03)", async () => {
  await using server = await serveRaw(drain);
  const clock = new FakeClock();
  const { kind, message } = await inVain(server, clock);
  strictEqual(kind, "failure");
  match(
    message,
    /^Get "http:.*": context deadline exceeded \(Client.Timeout exceeded while awaiting headers\)$/,
  );
  strictEqual(clock.pendingTimers, 0);
});

Deno.test("TargetProber.run() fails when an answer does not end in time", async () => {
  await using server = await serveRaw(async (connection) => {
    await readRequest(connection);
    await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok");
    await drain(connection);
  });
  const { kind, message } = await inVain(server);
  strictEqual(kind, "failure");
  match(message, /while reading body/);
});

Deno.test("TargetProber.run() blames no container while the agent stood still (CL-04, PF-05)", async () => {
  await using server = await serveRaw(drain);
  const { kind } = await inVain(server, new LateClock(60_000));
  strictEqual(kind, "stalled");
});

Deno.test("TargetProber.run() blames a container when the agent was a little late only (PF-05)", async () => {
  await using server = await serveRaw(drain);
  const { kind } = await inVain(server, new LateClock(300));
  strictEqual(kind, "failure");
});

Deno.test("TargetProber.run() says when nobody listens", async () => {
  const server = await serve(() => "");
  await server[Symbol.asyncDispose]();
  const { port } = server;
  deepStrictEqual(await attempt(get(port)), {
    kind: "failure",
    message:
      `Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

Deno.test("TargetProber.run() asks by IPv6, and on ports that browsers refuse (PR-11)", async () => {
  await using server = await serve(() => reply(200), "::1");
  const { kind } = await attempt(get(server.port), { podIps: ["::1"] });
  strictEqual(kind, "success");
  match(server.requests[0] ?? "", /Host: \[::1\]:/);
  const { message } = await attempt(get(6000));
  match(message, /Get "http:\/\/127.0.0.1:6000\/": dial tcp/);
});
