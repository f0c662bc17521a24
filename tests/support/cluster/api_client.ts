/**
 * What tests ask an API server themselves, behind the back of what they test.
 *
 * @module
 */

import type { Certificate } from "../peers/certificates.ts";
import type { KubeServer } from "./kubeconfig.ts";

/** What a server said. */
export interface ApiAnswer {
  readonly status: number;
  /** As JSON reads it; its text where that is none. */
  readonly body: unknown;
}

/** Speaks to a server with a certificate; `using` ends its connections. */
export class ApiClient implements Disposable {
  readonly #url: string;
  readonly #client: Deno.HttpClient;

  constructor(server: KubeServer, user: Certificate) {
    this.#url = server.url;
    this.#client = Deno.createHttpClient({
      caCerts: [server.ca],
      cert: user.cert,
      key: user.key,
    });
  }

  /** Sends one request; a status of any kind is an answer. */
  async ask(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly type?: string } = {},
  ): Promise<ApiAnswer> {
    const { body, type = "application/json" } = options;
    const response = await fetch(`${this.#url}${path}`, {
      method,
      client: this.#client,
      headers: { "content-type": type },
      ...body !== undefined && { body: JSON.stringify(body) },
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      // Health checks answer in words.
      return { status: response.status, body: text };
    }
  }

  /** Opens a watch and reads its first events, while `act` is done. */
  async events(
    path: string,
    options: { readonly count: number; readonly act?: () => Promise<unknown> },
  ): Promise<readonly unknown[]> {
    const { count, act } = options;
    const stop = new AbortController();
    const watch = await this.watch(path, stop.signal);
    const events: unknown[] = [];
    const acting = act?.();
    for await (const event of watch) {
      events.push(event);
      if (events.length >= count) break;
    }
    stop.abort();
    await acting;
    return events;
  }

  /** Opens a watch, and has its events until the server ends it or `signal` aborts. */
  async watch(
    path: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<unknown>> {
    const { body } = await fetch(`${this.#url}${path}`, {
      client: this.#client,
      signal,
    });
    return eventsOf(body ?? new ReadableStream(), signal);
  }

  /** Makes an object. @throws {Error} with the server's words, when it does not like it */
  async create(path: string, object: unknown): Promise<void> {
    const { status, body } = await this.ask("POST", path, { body: object });
    if (status === 201) return;
    throw new Error(
      `Cannot create in "${path}": ${status} ${JSON.stringify(body)}`,
    );
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  // The signal of a fetch does not reach who reads its body through another stream.
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  try {
    let rest = "";
    while (!signal.aborted) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = `${rest}${value}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    await reader.cancel().catch(() => {});
  }
}
