/**
 * One connection of an HTTP client: one question, one answer, and the end.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Clock } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { failure } from "./answer/mod.ts";
import {
  findHeadEnd,
  type HttpQuestion,
  MAX_QUESTION_BYTES,
  parseQuestion,
} from "./http_question.ts";

/** How long a client may take to ask. */
const ASK_MS = 10_000;

/** A client that has taken nothing for this long is not there any more. */
const STALL_MS = 60_000;

/** How long a client may take to close a connection that was answered. */
const LINGER_MS = 1_000;

/** What is taken, and thrown away, of a client that talks on after its question. */
const MAX_SURPLUS_BYTES = 64 * 1024;

/** What became of a client behind its question. */
type Rest = "left" | "talks_on";

/** Answers one question; `signal` aborts when the listener closes. */
export type QuestionHandler = (
  question: HttpQuestion,
  signal: AbortSignal,
) => Promise<Response>;

/** What a connection needs to answer. */
export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly handler: QuestionHandler;
}

/**
 * Reads one question, answers it and closes.
 *
 * What a client sends behind its question stays in the kernel's buffers, but for a
 * little: the platform's server takes and keeps all that a client sends while an
 * answer lasts, and cannot close a connection whose client does not read.
 */
export class HttpConnection {
  readonly #socket: Deno.Conn;
  readonly #deps: ConnectionDeps;
  #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #rest: Promise<Rest> | undefined;
  #isAsking = true;
  #isCut = false;

  /** Takes over the connection; {@linkcode run} answers it. */
  constructor(socket: Deno.Conn, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
  }

  /** Whether the client has not asked anything yet. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Answers the client; done when the connection is closed. Never fails. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      const question = await this.#within(ASK_MS, () => this.#readQuestion());
      this.#isAsking = false;
      if (question === "left") return;
      if (question === undefined) {
        const refusal = failure("BadRequest", "Cannot read the request");
        await this.#send(refusal, { method: "GET", takesChunks: false });
      } else await this.#send(await this.#ask(question, signal), question);
      // Lets the client see the end: what is unread would make an error of it.
      await this.#within(LINGER_MS, async () => {
        await this.#socket.closeWrite();
        await this.#discard();
      });
    } catch {
      // The client has left or was cut, or its answer broke. No client can read a
      // refusal then, and a body has logged why it broke.
    } finally {
      this.cut();
      await this.#rest;
    }
  }

  /** Closes the connection, whatever it is doing. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#socket.close();
    // What is behind the body lets go of it; that has nothing to say to us.
    this.#body?.cancel().catch(() => {});
  }

  async #readQuestion(): Promise<HttpQuestion | "left" | undefined> {
    const received = new Uint8Array(MAX_QUESTION_BYTES);
    for (let length = 0; length < received.length;) {
      const count = await this.#socket.read(received.subarray(length));
      if (count === null) return "left";
      const seen = received.subarray(0, length + count);
      const end = findHeadEnd(seen, length);
      if (end !== undefined) return parseQuestion(seen.subarray(0, end));
      length += count;
    }
    return undefined;
  }

  async #ask(question: HttpQuestion, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#deps.handler(question, signal);
    } catch (error) {
      const { log } = this.#deps;
      log.error("request_failed", { path: question.url.pathname, error });
      return failure("InternalError", "The agent failed");
    }
  }

  async #send(
    response: Response,
    { method, takesChunks }: Pick<HttpQuestion, "method" | "takesChunks">,
  ): Promise<void> {
    const isWhole = response.headers.has("content-length");
    const inChunks = !isWhole && takesChunks;
    const head = this.#headOf(response, { inChunks });
    if (method === "HEAD") {
      await response.body?.cancel();
      return await this.#write([head]);
    }
    if (isWhole) return await this.#write([head, await response.bytes()]);
    this.#body = response.body?.getReader();
    try {
      // A stream may have nothing to send: only the other direction says that the
      // client has left.
      void this.#discard().then((rest) => rest === "left" && this.cut());
      await this.#write([head]);
      await this.#stream({ inChunks });
    } finally {
      await this.#body?.cancel();
    }
  }

  #headOf(
    response: Response,
    options: { readonly inChunks: boolean },
  ): Uint8Array {
    const { status, headers } = response;
    const lines = [
      `HTTP/1.1 ${status} ${PHRASES[status] ?? ""}`,
      `date: ${new Date(this.#deps.clock.now()).toUTCString()}`,
      "connection: close",
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      ...(options.inChunks ? ["transfer-encoding: chunked"] : []),
    ];
    return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  }

  async #stream(options: { readonly inChunks: boolean }): Promise<void> {
    const encoder = new TextEncoder();
    for (;;) {
      const next = await this.#body?.read();
      if (this.#isCut) return;
      if (next === undefined || next.done) break;
      const { value } = next;
      // An empty chunk would be the end.
      if (value.length === 0) continue;
      const size = encoder.encode(`${value.length.toString(16)}\r\n`);
      await this.#write(
        options.inChunks ? [size, value, encoder.encode("\r\n")] : [value],
      );
    }
    if (options.inChunks) await this.#write([encoder.encode("0\r\n\r\n")]);
  }

  /** In one piece, so that the kernel sends small answers at once. */
  async #write(parts: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(parts);
    for (let at = 0; at < bytes.length;) {
      at += await this.#within(
        STALL_MS,
        () => this.#socket.write(bytes.subarray(at)),
        () => this.#deps.log.warn("client_stalled", { stallMs: STALL_MS }),
      );
    }
  }

  /** Takes what comes behind the question until the client leaves; once. */
  #discard(): Promise<Rest> {
    return this.#rest ??= this.#readRest();
  }

  async #readRest(): Promise<Rest> {
    const surplus = new Uint8Array(4 * 1024);
    try {
      for (let length = 0; length < MAX_SURPLUS_BYTES;) {
        const count = await this.#socket.read(surplus);
        if (count === null) return "left";
        length += count;
      }
      return "talks_on";
    } catch {
      // However it went, it is gone.
      return "left";
    }
  }

  async #within<T>(
    limitMs: number,
    work: () => Promise<T>,
    cutting: () => void = () => {},
  ): Promise<T> {
    using _limit = this.#deps.clock.after(limitMs, () => {
      cutting();
      this.cut();
    });
    return await work();
  }
}

const PHRASES: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
