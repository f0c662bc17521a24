/**
 * The head of a request, as it comes over a connection.
 *
 * @module
 */

/** What a client asks; the agent takes no bodies and looks at no headers. */
export interface HttpQuestion {
  readonly method: string;
  readonly url: URL;
  /** Whether an answer may come in chunks; a client of HTTP/1.0 knows none. */
  readonly takesChunks: boolean;
}

/** More than the commands ever send, names of 253 characters included. */
export const MAX_QUESTION_BYTES: number = 8 * 1024;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Returns how many bytes the head has, its empty line included; `undefined` while
 * the empty line is not there.
 *
 * @param from where to start, so that a head in many pieces is looked through once
 */
export function findHeadEnd(
  received: Uint8Array,
  from: number,
): number | undefined {
  for (let at = from; at < received.length; at++) {
    if (received[at] !== LINE_FEED) continue;
    const before = received[at - 1] === CARRIAGE_RETURN ? at - 2 : at - 1;
    if (received[before] === LINE_FEED) return at + 1;
  }
  return undefined;
}

/** Reads a whole head; `undefined` when it is none of HTTP/1. */
export function parseQuestion(head: Uint8Array): HttpQuestion | undefined {
  const text = new TextDecoder("latin1").decode(head);
  const line = text.slice(0, text.indexOf("\n")).trimEnd();
  const [method = "", target = "", version = "", ...rest] = line.split(" ");
  if (rest.length > 0 || method === "" || !version.startsWith("HTTP/1.")) {
    return undefined;
  }
  // A client that takes us for a proxy names a host as well.
  const url = URL.parse(
    target.startsWith("/") ? `http://skerry${target}` : target,
  );
  if (url === null) return undefined;
  return { method, url, takesChunks: version !== "HTTP/1.0" };
}
