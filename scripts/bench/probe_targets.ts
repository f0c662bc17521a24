/**
 * What the probes of the bench ask, in a process of its own so that its work is not
 * counted as the prober's: an HTTP server, a listener, a gRPC health service, and a
 * listener that takes connections and never answers. Prints their ports and serves
 * until its input closes.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- tells its parent where it listens

import { createServer as createHttp } from "node:http";
import {
  createServer as createHttp2,
  type ServerHttp2Stream,
} from "node:http2";
import {
  type AddressInfo,
  createServer as createTcp,
  type Server,
} from "node:net";

/** The answer of `grpc.health.v1.Health/Check` that says SERVING, framed. */
const SERVING = new Uint8Array([0, 0, 0, 0, 2, 8, 1]);

const http = createHttp((_, response) => response.end("ok"));
const tcp = createTcp((socket) => socket.on("error", () => {}).resume().end());
const mute = createTcp((socket) => socket.on("error", () => {}).resume());
const grpc = createHttp2();
grpc.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("error", () => {});
  stream.respond({
    ":status": 200,
    "content-type": "application/grpc",
  }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(SERVING);
});

const ports = await Promise.all([http, tcp, grpc, mute].map(listen));
console.log(JSON.stringify(ports));
for await (const _ of Deno.stdin.readable);
Deno.exit(0);

function listen(server: Pick<Server, "listen" | "address">): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1024 }, () => {
    // Sound because it listens on a port, not on a path.
    resolve((server.address() as AddressInfo).port);
  });
  return promise;
}
