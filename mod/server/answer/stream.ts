/**
 * Answers that come piece by piece.
 *
 * @module
 */

import { isAbort } from "../../base/mod.ts";

/** Bytes as they come. */
export type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** How a stream ends. */
export interface StreamOptions {
  /** The media type. */
  readonly type: string;
  /** Aborts when the server closes; what was sent so far is the whole answer then. */
  readonly signal: AbortSignal;
  /** Called at least once when the stream is over, however it ended. */
  readonly finish?: () => void;
  readonly logFailure: (error: unknown) => void;
}

/**
 * Streams what `start` yields until it ends, the client leaves, or the server closes.
 *
 * Nothing is queued for a slow client but the piece that it is about to read.
 *
 * @param start is given a signal that aborts when the stream is over
 */
export function stream(
  start: (signal: AbortSignal) => Pieces,
  options: StreamOptions,
): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, options.signal]);
  const pieces = start(signal);
  const finish = () => {
    gone.abort();
    options.finish?.();
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      try {
        const next = await pieces.next();
        if (gone.signal.aborted) return;
        if (next.done !== true) return controller.enqueue(next.value);
        finish();
        controller.close();
      } catch (error) {
        if (gone.signal.aborted) return;
        const isClosing = isAbort(error, signal);
        finish();
        if (isClosing) return controller.close();
        options.logFailure(error);
        controller.error(error);
      }
    },
    async cancel(): Promise<void> {
      finish();
      await pieces.return();
    },
  });
  return new Response(body, { headers: { "content-type": options.type } });
}
