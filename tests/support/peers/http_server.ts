/**
 * A web server on the loopback address that lives as long as its block.
 *
 * @module
 */

import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Certificate } from "./certificates.ts";

/** Where it listens; disposing ends it with all its connections. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
}

/** Answers requests by `handle`, over TLS if there is a certificate. */
export async function serveHttp(
  handle: RequestListener,
  tls?: Certificate,
): Promise<HttpServer> {
  const server = tls === undefined
    ? createServer(handle)
    : createTlsServer({ key: tls.key, cert: tls.cert }, handle);
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("Wanted a server that listens on a port");
  }
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
