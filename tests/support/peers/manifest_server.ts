/**
 * A web server of manifests that does what a test tells it, well or badly.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import type { Certificate } from "./certificates.ts";

/** What was asked, as far as tests look at it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
}

/** Answers one request. */
export type HttpAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
) => void;

/** How a {@linkcode ManifestServer} speaks TLS. */
export interface ServerTls extends Certificate {
  /** Whoever has no certificate of this authority is turned away. */
  readonly clientCa?: string | undefined;
}

/** Answers 200 with a text. */
export function text(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return (_request, response) => {
    response.writeHead(200, { "content-length": bytes.length, ...headers });
    response.end(bytes);
  };
}

/** Answers with a status and a text. */
export function statusAnswer(
  code: number,
  headers: Record<string, string> = {},
): HttpAnswer {
  return (_request, response) => {
    response.writeHead(code, headers);
    response.end(code === 204 || code === 304 ? "" : "kind: Pod\n");
  };
}

/** Listens on a port of the loopback; the answer may be changed at any time. */
export class ManifestServer implements AsyncDisposable {
  answer: HttpAnswer;
  /** Answers of single paths, before `answer`. */
  readonly paths: Map<string, HttpAnswer> = new Map();
  readonly requests: SeenRequest[] = [];
  readonly #tls: ServerTls | undefined;
  readonly #server: ReturnType<typeof createHttpServer>;
  #port = 0;

  private constructor(answer: HttpAnswer, tls: ServerTls | undefined) {
    this.answer = answer;
    this.#tls = tls;
    const handle = (
      request: IncomingMessage,
      response: ServerResponse,
    ): void => {
      const { url: path = "", headers, rawHeaders } = request;
      this.requests.push({ path, headers, rawHeaders });
      (this.paths.get(path) ?? this.answer)(request, response);
    };
    if (tls === undefined) this.#server = createHttpServer(handle);
    else {
      const { key, cert, clientCa } = tls;
      const client = clientCa === undefined
        ? {}
        : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
      this.#server = createHttpsServer({ key, cert, ...client }, handle);
      this.#server.on("tlsClientError", () => {});
    }
  }

  /** Starts to listen; a port of an earlier server may be taken over. */
  static async start(
    answer: HttpAnswer,
    options: { readonly tls?: ServerTls; readonly port?: number } = {},
  ): Promise<ManifestServer> {
    const server = new ManifestServer(answer, options.tls);
    await server.#listen(options.port ?? 0);
    return server;
  }

  get port(): number {
    return this.#port;
  }

  /** Where the server is, by the name `localhost`. */
  get url(): string {
    const scheme = this.#tls === undefined ? "http" : "https";
    return `${scheme}://localhost:${this.#port}/manifests.yaml`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #listen(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(port, "127.0.0.1", () => resolve());
    await promise;
    this.#port = portOf(this.#server.address());
  }
}

/** What a {@linkcode RawServer} does once it has been asked something. */
export type Misbehaviour = string | Uint8Array | ((socket: Socket) => void);

/** Speaks bytes instead of HTTP. */
export class RawServer implements AsyncDisposable {
  misbehaviour: Misbehaviour;
  /** How often somebody asked. */
  asked = 0;
  readonly #server: ReturnType<typeof createTcpServer>;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor(misbehaviour: Misbehaviour) {
    this.misbehaviour = misbehaviour;
    this.#server = createTcpServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      socket.once("data", () => {
        const act = this.misbehaviour;
        if (typeof act === "function") act(socket);
        else {socket.end(
            typeof act === "string" ? Buffer.from(act, "latin1") : act,
          );}
        this.asked++;
      });
    });
  }

  static async start(misbehaviour: Misbehaviour): Promise<RawServer> {
    const server = new RawServer(misbehaviour);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", () => resolve());
    await promise;
    server.#port = portOf(server.#server.address());
    return server;
  }

  get port(): number {
    return this.#port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }
}

function portOf(address: unknown): number {
  if (typeof address === "object" && address !== null && "port" in address) {
    return Number(address.port);
  }
  throw new Error("Wanted a server that listens on a port");
}
