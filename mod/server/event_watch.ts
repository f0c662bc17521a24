/**
 * Events as they happen, as a stream of JSON lines.
 *
 * @module
 */

import type { Logger } from "../base/telemetry/mod.ts";
import { failure } from "./answers.ts";
import type { EventQuery } from "./event_query.ts";
import type { EventFeed, WireEventChange } from "./ports.ts";

/** Each holds a little memory and is told of every event. */
const OPEN_WATCHES = 16;

/** How many watches are open; one for all connections of a server. */
export class OpenWatches {
  #open = 0;

  /** Takes a place; `undefined` when there is none, else disposing gives it back. */
  enter(): Disposable | undefined {
    if (this.#open >= OPEN_WATCHES) return undefined;
    this.#open++;
    let isOpen = true;
    return {
      [Symbol.dispose]: () => {
        if (isOpen) this.#open--;
        isOpen = false;
      },
    };
  }
}

/** What a watch needs. */
export interface WatchDeps {
  readonly events: EventFeed;
  readonly watches: OpenWatches;
  readonly log: Logger;
}

/**
 * Answers with a stream that goes on until the client leaves, the client stops
 * reading, it has lost something, or `signal` aborts.
 *
 * Nothing is queued for a slow client but the piece it is about to read.
 */
export function watchEvents(
  query: EventQuery,
  deps: WatchDeps,
  signal: AbortSignal,
): Response {
  const place = deps.watches.enter();
  if (place === undefined) {
    return failure(
      429,
      "TooManyRequests",
      `Cannot watch events: found ${OPEN_WATCHES} open watches, wanted fewer`,
    );
  }
  const { resourceVersion: after } = query;
  const gone = new AbortController();
  const changes = deps.events.watch(
    AbortSignal.any([gone.signal, signal]),
    after === undefined ? {} : { after },
  );
  const body = streamLines(readLines(changes, query), {
    log: deps.log,
    gone: gone.signal,
    finish: () => {
      place[Symbol.dispose]();
      gone.abort();
    },
  });
  return new Response(body, {
    headers: { "content-type": "application/json" },
  });
}

function streamLines(
  lines: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>,
  options: {
    readonly log: Logger;
    /** Aborts when the watch is over. */
    readonly gone: AbortSignal;
    /** Ends the watch; called at least once, whatever happens. */
    readonly finish: () => void;
  },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { log, gone, finish } = options;
  return new ReadableStream({
    async pull(controller): Promise<void> {
      try {
        const next = await lines.next();
        if (gone.aborted) return;
        if (next.done === true) {
          finish();
          controller.close();
          return;
        }
        controller.enqueue(next.value);
      } catch (error) {
        finish();
        log.warn("event_watch_failed", { error });
        controller.error(error);
      }
    },
    async cancel(): Promise<void> {
      finish();
      await lines.return();
    },
  });
}

async function* readLines(
  changes: AsyncIterable<WireEventChange>,
  query: EventQuery,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const encoder = new TextEncoder();
  const line = (type: string, object: unknown) =>
    encoder.encode(`${JSON.stringify({ type, object })}\n`);
  for await (const change of changes) {
    if (change.kind === "lost") {
      yield line("ERROR", EXPIRED);
      return;
    }
    const { event } = change;
    if (query.matches(event)) yield line(change.kind.toUpperCase(), event);
  }
}

/** As the API server says it to a watch that began too long ago. */
const EXPIRED = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "too old resource version",
  reason: "Expired",
  code: 410,
};
