/**
 * One question to a service on this machine.
 *
 * @module
 */

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createServer } from "node:http";
import { httpPost, type PostTarget } from "../../../mod/host/clients/mod.ts";
import { serveHttp } from "../../support/peers/http_server.ts";
import { TempDir } from "../../support/temp_dir.ts";

const never = new AbortController().signal;

function ask(target: PostTarget, signal = never, maxBodyBytes = 1_000) {
  return httpPost(target, { body: '{"a":"ü"}', maxBodyBytes, signal });
}

Deno.test("httpPost() sends a body to a URL, and reads as much of the answer as is wanted", async () => {
  const seen: unknown[] = [];
  await using server = await serveHttp(async (request, response) => {
    const body = await Array.fromAsync(request);
    const { method, url, headers } = request;
    seen.push([method, url, headers["content-type"], body.join("")]);
    response.end("0123456789");
  });
  const url = new URL(`http://127.0.0.1:${server.port}/x/y?z=1`);
  const whole = await ask({ kind: "url", url });
  deepStrictEqual(
    [whole.status, new TextDecoder().decode(whole.body), whole.bodyEnd],
    [200, "0123456789", "whole"],
  );
  deepStrictEqual(seen, [[
    "POST",
    "/x/y?z=1",
    "application/json",
    '{"a":"ü"}',
  ]]);
  const part = await ask({ kind: "url", url }, never, 4);
  deepStrictEqual([part.body.length, part.bodyEnd], [4, "limit"]);
});

Deno.test("httpPost() asks over a unix socket", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  const server = createServer(async (request, response) => {
    const body = (await Array.fromAsync(request)).join("");
    response.writeHead(202);
    response.end(`${request.url} ${body}`);
  });
  await new Promise<void>((resolve) => server.listen(path, () => resolve()));
  const { status, body } = await ask({ kind: "socket", path });
  deepStrictEqual([status, new TextDecoder().decode(body)], [
    202,
    '/ {"a":"ü"}',
  ]);
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

Deno.test("httpPost() names the socket that is not there", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/none.sock`;
  await rejects(ask({ kind: "socket", path }), (error: Error) => {
    strictEqual(error.name, "ConnectError");
    ok(error.message.startsWith(`dial unix ${path}: `), error.message);
    return true;
  });
});

Deno.test("httpPost() leaves a service that does not answer", async () => {
  await using dir = await TempDir.make();
  const path = `${dir.path}/s.sock`;
  using listener = Deno.listen({ transport: "unix", path });
  const accepting = listener.accept();
  const stop = new AbortController();
  const asking = ask({ kind: "socket", path }, stop.signal);
  using connection = await accepting;
  ok(await connection.read(new Uint8Array(10)));
  stop.abort(new Error("enough"));
  await rejects(asking, /enough/);
});
