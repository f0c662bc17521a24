/**
 * One GET, byte by byte: what is sent, and answers that no server library gives.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { httpGet, type HttpGetOptions } from "../../../mod/host/clients/mod.ts";
import { untilQuiet } from "../../support/quiet/quiet.ts";
import {
  drain,
  readRequest,
  say,
  serveRaw,
} from "../../support/peers/raw_server.ts";

const NEVER = new AbortController().signal;
const options = { headers: {}, maxBodyBytes: 1024, signal: NEVER };

async function exchange(
  answer: string,
  more: Partial<HttpGetOptions> = {},
): Promise<{ readonly request: string; readonly seen: unknown }> {
  let request = "";
  await using server = await serveRaw(async (connection) => {
    request = await readRequest(connection);
    await say(connection, answer);
  });
  const url = new URL(`http://127.0.0.1:${server.port}/a?b`);
  const { status, body, bodyEnd } = await httpGet(url, { ...options, ...more });
  const seen = [status, new TextDecoder().decode(body), bodyEnd];
  return { request: request.replaceAll(String(server.port), "PORT"), seen };
}

const REQUESTS: readonly [HttpGetOptions["headers"], readonly string[]][] = [
  [{}, ["GET /a?b HTTP/1.1", "Host: 127.0.0.1:PORT", "Connection: close"]],
  [{ "X-A": ["1", " 2 "], host: ["shop.example"] }, [
    "GET /a?b HTTP/1.1",
    "Host: shop.example",
    "X-A: 1",
    "X-A: 2",
    "Connection: close",
  ]],
  // Upstream: net/http reqWriteExcludeHeader.
  [{ "Content-Length": ["5"], "transfer-encoding": ["chunked"] }, [
    "GET /a?b HTTP/1.1",
    "Host: 127.0.0.1:PORT",
    "Connection: close",
  ]],
  [{ Connection: ["Upgrade"], Upgrade: ["websocket"] }, [
    "GET /a?b HTTP/1.1",
    "Host: 127.0.0.1:PORT",
    "Connection: Upgrade",
    "Upgrade: websocket",
  ]],
];

for (const [headers, lines] of REQUESTS) {
  Deno.test(`httpGet() asks with ${JSON.stringify(headers)} in no more words than these (PR-03)`, async () => {
    const { request } = await exchange("HTTP/1.1 200 OK\r\n\r\n", { headers });
    deepStrictEqual(request, `${lines.join("\r\n")}\r\n\r\n`);
  });
}

for (const value of ["a\r\nX-Evil: 1", "a\nb", "a\0"]) {
  Deno.test(`httpGet() does not send the header value ${JSON.stringify(value)}`, async () => {
    const headers = { "X-A": [value] };
    const url = new URL("http://127.0.0.1:1/");
    await rejects(
      httpGet(url, { ...options, headers }),
      /Cannot send the header "X-A": found a control character/,
    );
  });
}

const ANSWERS: readonly [string, readonly [number, string, string]][] = [
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", [200, "ok", "whole"]],
  ["HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok, and more", [
    200,
    "ok",
    "whole",
  ]],
  ["HTTP/1.0 200 OK\nX: y\n\nok", [200, "ok", "whole"]],
  ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", [200, "ok", "broken"]],
  ["HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", [204, "", "whole"]],
  [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nok",
    [
      200,
      "ok",
      "whole",
    ],
  ],
  [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\n\r\n",
    [
      200,
      "ok",
      "whole",
    ],
  ],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok\r\n", [
    200,
    "ok\r\n",
    "broken",
  ]],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", [
    200,
    "",
    "broken",
  ]],
  [`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5000)}`, [
    200,
    "x".repeat(1024),
    "limit",
  ]],
  ["HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\tc\r\nContent-Length: 0\r\n\r\n", [
    200,
    "",
    "whole",
  ]],
];

for (const [answer, expected] of ANSWERS) {
  Deno.test(`httpGet() understands ${JSON.stringify(answer.slice(0, 90))}`, async () => {
    const { seen } = await exchange(answer);
    deepStrictEqual(seen, expected);
  });
}

const GARBAGE: readonly [string, RegExp][] = [
  ["", /answer: EOF$/],
  ["HTTP/1.1 200 OK\r\nX: y\r\n", /answer: unexpected EOF$/],
  ["SSH-2.0-OpenSSH_9.2\r\n", /malformed HTTP response "SSH-2.0-OpenSSH_9.2"/],
  ["\x15\x03\x01\x00\x02\x02", /malformed HTTP response/],
  ["HTTP/1.1 abc\r\n\r\n", /malformed HTTP status code "abc"/],
  // Once a pattern tried 65,000 blanks in every way, for 2.7 s.
  [`HTTP/1.1 ${" ".repeat(65_000)}\rx\r\n\r\n`, /malformed HTTP status code/],
  ["HTTP/1.1\r\n\r\n", /malformed HTTP response "HTTP\/1.1"/],
  [
    "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
    /malformed MIME header line: "nonsense"/,
  ],
  ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", /bad Content-Length "-1"/],
  [
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    /bad Content-Length/,
  ],
  [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    /unsupported transfer encoding/,
  ],
  ["HTTP/1.1 199 Odd\r\n\r\n", /answer: EOF$/],
  [
    "HTTP/1.1 100 Continue\r\n\r\n".repeat(7),
    /too many 1xx informational responses/,
  ],
  [
    `HTTP/1.1 200 OK\r\n${`X: ${"y".repeat(1000)}\r\n`.repeat(500)}`,
    /response headers exceeded 65536 bytes/,
  ],
];

for (const [answer, expected] of GARBAGE) {
  Deno.test(`httpGet() takes ${JSON.stringify(answer.slice(0, 60))} for no answer, and says why`, async () => {
    await rejects(exchange(answer), expected);
  });
}

Deno.test("httpGet() gives up on a server that sends its head in drips without an end", async () => {
  const stop = new AbortController();
  await using server = await serveRaw(async (connection) => {
    await readRequest(connection);
    await say(connection, "HTTP/1.1 200 OK\r\nX: ");
    for (let drips = 0; drips < 200_000; drips++) {
      await say(connection, "x");
      if (drips === 500) stop.abort(new Error("enough"));
    }
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const asking = httpGet(url, { ...options, signal: stop.signal });
  await rejects(asking, /enough|exceeded/);
});

Deno.test("httpGet() returns the answer whose body was waited for in vain", async () => {
  await using server = await serveRaw(async (connection) => {
    await readRequest(connection);
    await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok");
    await drain(connection);
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const stop = new AbortController();
  const asking = httpGet(url, { ...options, signal: stop.signal });
  await untilQuiet();
  stop.abort(new Error("enough"));
  const { status, bodyEnd } = await asking;
  deepStrictEqual([status, bodyEnd], [200, "aborted"]);
});

Deno.test("httpGet() leaves it to the server to close first, so that no port of the node is kept (PR-05)", async () => {
  let isClosedByClient = false;
  await using server = await serveRaw(async (connection) => {
    await readRequest(connection);
    await say(
      connection,
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    );
    const reading = connection.read(new Uint8Array(1)).then(
      (end) => isClosedByClient = end === null,
      () => {},
    );
    await untilQuiet();
    strictEqual(isClosedByClient, false);
    connection.closeWrite();
    await reading;
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  strictEqual((await httpGet(url, options)).bodyEnd, "whole");
});
