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
import type { Certificate } from "./certificates.ts";
import {
  type RawConnection,
  sayLast,
  serveRaw,
  type Talk,
  type TcpServer,
} from "./raw_server.ts";

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

/**
 * What a {@linkcode RawServer} does once it has been asked something: it says it all and
 * ends, or talks.
 */
export type Misbehaviour =
  | string
  | Uint8Array
  | Talk;

/** Speaks bytes instead of HTTP. */
export class RawServer implements AsyncDisposable {
  misbehaviour: Misbehaviour;
  /** How often somebody asked. */
  asked = 0;
  #server: TcpServer | undefined;

  private constructor(misbehaviour: Misbehaviour) {
    this.misbehaviour = misbehaviour;
  }

  static async start(misbehaviour: Misbehaviour): Promise<RawServer> {
    const server = new RawServer(misbehaviour);
    server.#server = await serveRaw((connection) => server.#talk(connection));
    return server;
  }

  get port(): number {
    return this.#server?.port ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #talk(connection: RawConnection): Promise<void> {
    if (await connection.read(new Uint8Array(65_536)) === null) return;
    const act = this.misbehaviour;
    const acting = typeof act === "function"
      ? act(connection)
      : sayLast(connection, act);
    this.asked++;
    await acting;
  }
}

function portOf(address: unknown): number {
  if (typeof address === "object" && address !== null && "port" in address) {
    return Number(address.port);
  }
  throw new Error("Wanted a server that listens on a port");
}
