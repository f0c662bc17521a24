/**
 * Events as they happen, as a stream of JSON lines.
 *
 * @module
 */

import type { Logger } from "../base/telemetry/mod.ts";
import { failure } from "./answers.ts";
import type { EventQuery } from "./event_query.ts";
import type { EventFeed, WireEventChange } from "./ports.ts";
import { type Pieces, stream } from "./stream.ts";

/** Each holds a little memory and is sent every event. */
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
 */
export function watchEvents(
  query: EventQuery,
  deps: WatchDeps,
  signal: AbortSignal,
): Response {
  const { events, watches, log } = deps;
  const place = watches.enter();
  if (place === undefined) {
    return failure(
      429,
      "TooManyRequests",
      `Cannot watch events: found ${OPEN_WATCHES} open watches, wanted fewer`,
    );
  }
  const { resourceVersion: after } = query;
  const options = after === undefined ? {} : { after };
  return stream((over) => readLines(events.watch(over, options), query), {
    type: "application/json",
    signal,
    finish: () => place[Symbol.dispose](),
    logFailure: (error) => log.warn("event_watch_failed", { error }),
  });
}

async function* readLines(
  changes: AsyncIterable<WireEventChange>,
  query: EventQuery,
): Pieces {
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
