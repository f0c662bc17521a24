/**
 * An API server on loopback, over TLS, that answers what a test wants.
 *
 * @module
 */

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  ServerResponse,
} from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { Hidden } from "../../../mod/base/text/mod.ts";
import type { KubeIdentity } from "../../../mod/kube/config/mod.ts";
import { KubeTransport } from "../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { Authority, type Certificate } from "../peers/certificates.ts";
import { HOSTS } from "../peers/pki.ts";

/** A request that has come whole. */
export interface KubeRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** The name in the client's certificate, if it is one of the authority. */
  readonly client: string | undefined;
  readonly body: string;
}

/** What a server does with a request. */
export type KubeAnswer = (
  request: KubeRequest,
  response: ServerResponse,
) => void;

/** Answers with a value in JSON. */
export function answering(
  value: unknown,
  { status = 200, headers = {} }: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): KubeAnswer {
  return (_request, response) => {
    response.writeHead(status, {
      "content-type": "application/json",
      ...headers,
    });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  };
}

/** Sends a body without end, in which there is no line, for as long as anybody listens. */
export function pour(response: ServerResponse): void {
  const piece = "x".repeat(65_536);
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

/** A server that lives as long as its block. */
export class StagedServer implements AsyncDisposable {
  readonly authority: Authority;
  readonly requests: KubeRequest[] = [];
  answer: KubeAnswer = answering({});
  /** How many connections there have been. */
  connections = 0;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(authority: Authority, certificate: Certificate) {
    this.authority = authority;
    this.#server = createServer({
      key: certificate.key,
      cert: certificate.cert,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    }, (request, response) => {
      // A client may leave in the middle of what it sends.
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on("connection", (socket: Socket) => {
      this.connections++;
      this.#open.add(socket);
      socket.on("close", () => this.#open.delete(socket));
    });
    this.#server.on("tlsClientError", () => {});
  }

  /** Begins to listen, with a good certificate unless others are given. */
  static async start(
    { authority, certificate }: {
      readonly authority?: Authority;
      readonly certificate?: Certificate;
    } = {},
  ): Promise<StagedServer> {
    const signer = authority ?? await Authority.create();
    const own = certificate ??
      await signer.issue({ name: "api", hosts: HOSTS });
    const server = new StagedServer(signer, own);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", () => resolve());
    await promise;
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") {
      throw new Error("Wanted a server that listens on a port");
    }
    return address.port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** What a client is to be given. */
  get identity(): KubeIdentity & { readonly ca: string } {
    const token = new Hidden("S3CR3T");
    return { server: this.url, ca: this.authority.cert, token };
  }

  /** Ends all connections, as a server does that dies. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    this.cut();
    await promise;
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const { method = "", url: path = "", headers, socket } = request;
    const peer = socket instanceof TLSSocket && socket.authorized
      ? socket.getPeerCertificate()
      : undefined;
    const seen = {
      method,
      path,
      headers,
      authorization: headers.authorization,
      contentType: headers["content-type"],
      client: peer?.subject?.CN?.toString(),
      body,
    };
    this.requests.push(seen);
    this.answer(seen, response);
  }
}

/** A client of a server, on a clock that stands still. */
export class KubeClient implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly transport: KubeTransport;
  readonly stop: AbortController = new AbortController();
  identity: KubeIdentity;

  constructor(identity: KubeIdentity, clock: FakeClock = new FakeClock()) {
    this.identity = identity;
    this.clock = clock;
    this.transport = new KubeTransport({
      source: { load: () => Promise.resolve(this.identity) },
      clock: this.clock,
      random: { next: () => 0 },
      log: silentLogger,
      metrics: new MetricsRegistry(),
    }, { userAgent: "skerry/test" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.transport[Symbol.asyncDispose]();
  }
}
