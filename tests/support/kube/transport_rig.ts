/**
 * A transport whose connections a test answers by itself.
 *
 * @module
 */

import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { KubeIdentity } from "../../../mod/kube/config/mod.ts";
import {
  type ApiRequest,
  KubeTransport,
  type SentRequest,
} from "../../../mod/kube/transport/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { linesTo } from "../log_lines.ts";

/** What a test makes of a request. */
export type Answer = (
  request: SentRequest,
  url: string,
) => Response | Promise<Response>;

/** A request that has come. */
export interface AskedRequest extends SentRequest {
  readonly url: string;
  /** Over which connection, counted from 0. */
  readonly connection: number;
}

/** A call for tests. */
export const GET_VERSION: ApiRequest = {
  what: "get the version",
  method: "GET",
  path: "/version",
  timeoutMs: 10_000,
  maxBytes: 1024,
};

/** A stream for tests. */
export const WATCH: ApiRequest = {
  ...GET_VERSION,
  what: "watch pods",
  path: "/api/v1/pods",
  query: { watch: "true" },
};

/** An answer in JSON. */
export function json(
  value: unknown,
  options: { readonly status?: number; readonly headers?: HeadersInit } = {},
): Response {
  return new Response(JSON.stringify(value), options);
}

/** No answer, until the caller has enough. */
export function silence({ signal }: SentRequest): Promise<Response> {
  const { promise, reject } = Promise.withResolvers<Response>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

/** A body that a test sends piece by piece. */
export class OpenBody {
  readonly response: Response;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  isCancelled = false;

  constructor({ signal }: SentRequest, init: ResponseInit = {}) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        signal.addEventListener("abort", () => this.break(signal.reason));
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
    this.response = new Response(body, init);
  }

  send(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#controller?.close();
  }

  break(reason: unknown): void {
    this.#controller?.error(reason);
  }
}

/** A transport on a clock that stands still; all of it ends with its block. */
export class TransportRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  /** The lines of the log, in JSON. */
  readonly log: string[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly stop: AbortController = new AbortController();
  readonly transport: KubeTransport;
  readonly requests: AskedRequest[] = [];
  /** How often credentials were read. */
  loads = 0;
  /** Whose connections they were; those that are closed are empty. */
  readonly connections: (KubeIdentity | undefined)[] = [];
  identity: KubeIdentity | Error = { server: "https://api:6443" };
  answer: Answer = () => json({ gitVersion: "v1.36.2" });

  constructor() {
    this.transport = new KubeTransport({
      source: {
        load: () => {
          this.loads++;
          return this.identity instanceof Error
            ? Promise.reject(this.identity)
            : Promise.resolve(this.identity);
        },
      },
      clock: this.clock,
      random: { next: () => .5 },
      log: linesTo(this.log, { clock: this.clock }),
      metrics: this.metrics,
      open: (identity) => this.#open(identity),
    }, { userAgent: "skerry/test" });
  }

  /** The requests by connection, method and path. */
  get lines(): readonly string[] {
    return this.requests.map(({ connection, method, url }) =>
      `${connection} ${method} ${url.slice("https://api:6443".length)}`
    );
  }

  /** How many connections are open. */
  get open(): number {
    return this.connections.filter((each) => each !== undefined).length;
  }

  /** A call whose failure a test looks at later. */
  call(request: Partial<ApiRequest> = {}): Promise<unknown> {
    const call = this.transport.call(
      { ...GET_VERSION, ...request },
      this.stop.signal,
    );
    call.catch(() => {});
    return call;
  }

  /** Opens a stream and reads it to its end: what has come, and how it ended. */
  async read(
    request: Partial<ApiRequest> = {},
    signal: AbortSignal = this.stop.signal,
  ): Promise<StreamReading> {
    const stream = await this.transport.stream(
      { ...WATCH, ...request },
      signal,
    );
    const reading: { text: string; end: unknown } = {
      text: "",
      end: undefined,
    };
    const follow = async (): Promise<void> => {
      for await (const piece of stream) {
        reading.text += new TextDecoder().decode(piece);
      }
    };
    follow().then(() => reading.end = "ended", (error) => reading.end = error);
    return reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.transport[Symbol.asyncDispose]();
  }

  #open(identity: KubeIdentity) {
    if (identity.client?.key.reveal() === "unfit") {
      throw new TypeError("Keys may not be consistent");
    }
    const connection = this.connections.push(identity) - 1;
    return {
      fetch: async (url: string, request: SentRequest) => {
        request.signal.throwIfAborted();
        this.requests.push({ ...request, url, connection });
        return await this.answer(request, url);
      },
      [Symbol.dispose]: () => {
        if (this.connections[connection] === undefined) {
          throw new Deno.errors.BadResource("It is closed already");
        }
        this.connections[connection] = undefined;
      },
    };
  }
}

/** How far a stream was read. */
export interface StreamReading {
  readonly text: string;
  /** `undefined` while it goes on, `ended`, or why it broke. */
  readonly end: unknown;
}
