/**
 * The calls over HTTP that this process has made and of which no head of an answer is there.
 *
 * @module
 */

import { countWaitingOperation } from "./waiting_operations.ts";

let underWay = 0;
let isCounted = false;

/** How many requests wait for the head of their answer. */
export function fetchesUnderWay(): number {
  return underWay;
}

/** Counts every request of this process from now on. */
export function countFetches(): void {
  if (isCounted) return;
  isCounted = true;
  const { fetch } = globalThis;
  globalThis.fetch = async (...args) => {
    underWay++;
    try {
      return withCountedBody(await fetch(...args));
    } finally {
      underWay--;
    }
  };
}

/** Whoever reads a body waits for the server, for ever if it is that of a watch. */
function withCountedBody(response: Response): Response {
  const { body } = response;
  if (body === null) return response;
  const counted: Pick<
    ReadableStream<Uint8Array>,
    "cancel" | typeof Symbol.asyncIterator
  > = {
    [Symbol.asyncIterator]: () => {
      const pieces = body[Symbol.asyncIterator]();
      const { next } = pieces;
      pieces.next = () => {
        const reading = Reflect.apply(next, pieces, []);
        countWaitingOperation(reading);
        return reading;
      };
      return pieces;
    },
    cancel: (reason) => body.cancel(reason),
  };
  Object.defineProperty(response, "body", { value: counted });
  return response;
}
