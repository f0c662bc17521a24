/**
 * Events as they happen, as a stream of JSON lines.
 *
 * @module
 */

import type { Semaphore } from "../base/mod.ts";
import type { Logger } from "../base/telemetry/mod.ts";
import { failure, failureStatus, type Pieces, stream } from "./answer/mod.ts";
import type { EventQuery } from "./event_query.ts";
import type { EventFeed, WireEventChange } from "./ports.ts";

/** Each holds a little memory and is sent every event. */
export const OPEN_WATCHES = 16;

/** What a watch needs. */
export interface WatchDeps {
  readonly events: EventFeed;
  /** How many more watches may be open on all connections of the server. */
  readonly watches: Semaphore;
  readonly log: Logger;
}

/**
 * Answers with a stream that goes on until the client leaves, the client stops
 * reading, it has lost something, or `signal` aborts.
 */
export async function watchEvents(
  query: EventQuery,
  deps: WatchDeps,
  signal: AbortSignal,
): Promise<Response> {
  const { events, watches, log } = deps;
  if (watches.available === 0) {
    return failure(
      "TooManyRequests",
      `Cannot watch events: found ${OPEN_WATCHES} open watches, wanted fewer`,
    );
  }
  const place = await watches.acquire();
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
const EXPIRED = failureStatus("Expired", "too old resource version");
