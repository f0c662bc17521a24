/**
 * One GET, to servers that behave and to those that do not.
 *
 * @module
 */

import {
  deepStrictEqual,
  match,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { httpGet, NotTlsError } from "../../../mod/host/clients/mod.ts";
import {
  Authority,
  type Certificate,
} from "../../support/peers/certificates.ts";
import { type HttpServer, serveHttp } from "../../support/peers/http_server.ts";
import { drain, serveRaw } from "../../support/peers/raw_server.ts";

const NEVER = new AbortController().signal;
const options = { headers: {}, maxBodyBytes: 1024, signal: NEVER };

/** What a server was asked. */
interface Asked {
  readonly path: string;
  readonly headers: readonly string[];
}

interface Listening extends HttpServer {
  readonly asked: Asked[];
}

async function listen(
  answer: (response: ServerResponse, asked: Asked) => void,
  tls?: Certificate,
): Promise<Listening> {
  const asked: Asked[] = [];
  const server = await serveHttp((request, response) => {
    const one = { path: request.url ?? "", headers: request.rawHeaders };
    asked.push(one);
    answer(response, one);
  }, tls);
  return { ...server, asked };
}

Deno.test("httpGet() sends path, query and headers as they are, and reads the answer", async () => {
  await using server = await listen((response) => {
    response.writeHead(418, { Location: "/elsewhere" });
    response.end("tea");
  });
  const url = new URL(`http://127.0.0.1:${server.port}/a%20b?c=d`);
  const { status, location, body } = await httpGet(url, {
    ...options,
    headers: { "X-Two": ["1", "2"], Host: ["shop.example"] },
  });
  strictEqual(status, 418);
  strictEqual(location, "/elsewhere");
  strictEqual(new TextDecoder().decode(body), "tea");
  const [asked] = server.asked;
  strictEqual(asked?.path, "/a%20b?c=d");
  const headers = asked?.headers.map((text) => text.toLowerCase()) ?? [];
  strictEqual(headers[headers.indexOf("host") + 1], "shop.example");
  deepStrictEqual(
    headers.flatMap((name, at) => name === "x-two" ? [headers[at + 1]] : []),
    ["1", "2"],
  );
});

Deno.test("httpGet() reads no more of an endless body than it was told to", async () => {
  let sent = 0;
  let isClosed = false;
  await using server = await listen((response) => {
    response.on("close", () => isClosed = true);
    const flood = (): void => {
      while (!isClosed && sent < 1 << 30) {
        sent += 1 << 16;
        if (!response.write(new Uint8Array(1 << 16))) {
          response.once("drain", flood);
          return;
        }
      }
    };
    flood();
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const { body } = await httpGet(url, options);
  strictEqual(body.length, 1024);
});

Deno.test("httpGet() takes an answer whose body breaks off for an answer", async () => {
  await using server = await listen((response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("half", () => response.socket?.destroy());
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const { status, bodyEnd } = await httpGet(url, options);
  strictEqual(status, 200);
  strictEqual(bodyEnd, "broken");
});

Deno.test("httpGet() takes an answer that wants to switch protocols for an answer", async () => {
  await using server = await listen((response) => {
    response.socket?.end(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    );
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const { status, body } = await httpGet(url, options);
  strictEqual(status, 101);
  strictEqual(body.length, 0);
});

Deno.test("httpGet() says so when the connection is closed without an answer", async () => {
  await using server = await listen((response) => {
    response.socket?.destroy();
  });
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  await rejects(httpGet(url, options));
});

Deno.test("httpGet() gives up when the signal aborts", async () => {
  const stop = new AbortController();
  await using server = await listen(() => stop.abort(new Error("enough")));
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const asking = httpGet(url, { ...options, signal: stop.signal });
  await rejects(asking, /enough/);
});

Deno.test("httpGet() says when nobody listens", async () => {
  await using server = await listen(() => {});
  const { port } = server;
  await server[Symbol.asyncDispose]();
  const url = new URL(`http://127.0.0.1:${port}/`);
  await rejects(httpGet(url, options), (error) => {
    match(String(error), /refused/i);
    return true;
  });
});

Deno.test("httpGet() speaks TLS to a server nobody vouches for", async () => {
  await using server = await listen(
    (response) => response.end("safe"),
    // As a workload makes it for itself: nobody here knows its authority.
    await (await Authority.create()).issue({ name: "workload" }),
  );
  const url = new URL(`https://127.0.0.1:${server.port}/`);
  const { body } = await httpGet(url, options);
  strictEqual(new TextDecoder().decode(body), "safe");
});

Deno.test("httpGet() tells a server that speaks no TLS from others", async () => {
  await using server = await listen((response) => response.end("plain"));
  const url = new URL(`https://127.0.0.1:${server.port}/`);
  await rejects(httpGet(url, options), NotTlsError);
});

Deno.test("httpGet() gives up a handshake that leads nowhere when the signal aborts", async () => {
  const stop = new AbortController();
  await using server = await serveRaw(async (connection) => {
    await connection.read(new Uint8Array(10));
    stop.abort(new Error("enough"));
    await drain(connection);
  });
  const url = new URL(`https://127.0.0.1:${server.port}/`);
  const asking = httpGet(url, { ...options, signal: stop.signal });
  await rejects(asking, /enough/);
});

Deno.test("httpGet() says when a server closes within the handshake", async () => {
  await using server = await serveRaw(async (connection) => {
    await connection.read(new Uint8Array(10));
  });
  const url = new URL(`https://127.0.0.1:${server.port}/`);
  await rejects(httpGet(url, options), Error);
});
