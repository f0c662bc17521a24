/**
 * An API server for items on the loopback address,.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Random } from "../../../mod/base/mod.ts";
import {
  ApiFailure,
  type ListerWatcher,
  type ObjectList,
  type WatchEvent,
} from "../../../mod/api/access/mod.ts";
import { pick } from "../fuzz/fuzz.ts";
import { type HttpServer, serveHttp } from "../peers/http_server.ts";
import type { Item } from "./object_server.ts";

/** What may go wrong on the way. */
export type WireFault =
  /** The connection is cut in the middle of what is said. */
  | "cut"
  /** Nothing more is said. */
  | "stall"
  /** It is not JSON. */
  | "garbage"
  /** It is JSON, and nothing that an API server says. */
  | "nonsense";

const FAULTS: readonly [WireFault, ...WireFault[]] = [
  "cut",
  "stall",
  "garbage",
  "nonsense",
];

/**
 * Serves a kind of items as JSON: lists at `/api/v1/items`, watches with `watch=true`.
 *
 * While it is stormy, some answers and events are spoiled on the way.
 */
export class ItemApi implements AsyncDisposable {
  readonly #source: ListerWatcher<Item>;
  readonly #random: Random;
  #http: HttpServer | undefined;
  isStormy = false;
  /** What was spoiled, by how. */
  readonly faults: Map<WireFault, number> = new Map();

  private constructor(source: ListerWatcher<Item>, random: Random) {
    this.#source = source;
    this.#random = random;
  }

  /** Begins to listen. */
  static async start(
    source: ListerWatcher<Item>,
    random: Random,
  ): Promise<ItemApi> {
    const api = new ItemApi(source, random);
    api.#http = await serveHttp((request, response) => {
      void api.#answer(request, response).catch((error) => {
        refuse(response, error);
      });
    });
    return api;
  }

  /** Where the items are. */
  get url(): string {
    return `http://127.0.0.1:${this.#http?.port}/api/v1/items`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http?.[Symbol.asyncDispose]();
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { searchParams } = new URL(request.url ?? "", "http://stub");
    const stop = new AbortController();
    response.on("close", () => stop.abort());
    const version = searchParams.get("resourceVersion");
    const next = searchParams.get("continue");
    const options = {
      ...version !== null && { resourceVersion: version },
      ...next !== null && { continue: next },
    };
    if (searchParams.get("watch") !== "true") {
      const limit = searchParams.get("limit");
      const list = await this.#source.list({
        ...options,
        ...limit !== null && { limit: Number(limit) },
      }, stop.signal);
      const line = `${JSON.stringify(wireList(list))}\n`;
      if (!this.#send(response, line)) response.end();
      return;
    }
    const events = await this.#source.watch({
      ...options,
      allowWatchBookmarks: searchParams.has("allowWatchBookmarks"),
      sendInitialEvents: searchParams.get("sendInitialEvents") === "true",
    }, stop.signal);
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    for await (const event of events) {
      if (this.#send(response, `${JSON.stringify(wireEvent(event))}\n`)) return;
    }
    response.end();
  }

  /** Sends a line, or what becomes of it. @returns whether nothing more may follow */
  #send(response: ServerResponse, line: string): boolean {
    const fault = this.isStormy && this.#random.next() < .08
      ? pick(this.#random, FAULTS)
      : undefined;
    if (fault === undefined) {
      response.write(line);
      return false;
    }
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    switch (fault) {
      case "cut":
        response.write(
          line.slice(0, line.length / 2),
          () => response.destroy(),
        );
        return true;
      case "stall":
        response.write(line.slice(0, line.length / 2));
        return true;
      case "garbage":
        response.write(`\u0000<html>${line.slice(5)}`);
        return false;
      default:
        response.write('{"type": "TELLING", "items": 7, "object": []}\n');
        return false;
    }
  }
}

/** The status codes of an API server; what has none does not come from one. */
const CODES: Readonly<Record<string, number>> = {
  BadRequest: 400,
  Forbidden: 403,
  Expired: 410,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ResourceVersionTooLarge: 504,
};

/** Says why not, or nothing at all. */
function refuse(response: ServerResponse, error: unknown): void {
  const code = error instanceof ApiFailure ? CODES[error.reason] : undefined;
  if (
    !(error instanceof ApiFailure) || code === undefined || response.headersSent
  ) {
    response.destroy();
    return;
  }
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined) {
    response.setHeader("retry-after", `${retryAfterMs / 1000}`);
  }
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify(wireStatus(error)));
}

function wireStatus({ reason, message }: ApiFailure): unknown {
  const isTooLarge = reason === "ResourceVersionTooLarge";
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message,
    reason: isTooLarge ? "Timeout" : reason,
    code: CODES[reason] ?? 500,
    ...isTooLarge && { details: { causes: [{ reason }] } },
  };
}

/** As in a list of an API server, the items do not say what they are. */
function wireList(
  { items, resourceVersion, continue: next }: ObjectList<Item>,
): unknown {
  return {
    kind: "ItemList",
    apiVersion: "v1",
    metadata: { resourceVersion, ...next !== undefined && { continue: next } },
    items: items.map(({ kind, apiVersion, ...item }) => ({
      ...kind !== "Item" && { kind, apiVersion },
      ...item,
    })),
  };
}

function wireEvent(event: WatchEvent<Item>): unknown {
  switch (event.type) {
    case "BOOKMARK": {
      const { type, resourceVersion, isInitialEnd } = event;
      const annotations = isInitialEnd === true
        ? { "k8s.io/initial-events-end": "true" }
        : {};
      const metadata = { resourceVersion, annotations };
      return { type, object: { kind: "Item", apiVersion: "v1", metadata } };
    }
    case "ERROR":
      return { type: event.type, object: wireStatus(event.failure) };
    default:
      return event;
  }
}
