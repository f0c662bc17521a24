/**
 * What every HTTP request of ours has in common.
 *
 * @module
 */

import type { TcpAddress } from "./tcp_connect.ts";

/** Header names and every value of each, in order. */
export type RequestHeaders = Readonly<Record<string, readonly string[]>>;

/** The part of the options of `node:http` that a request for a document needs. */
export interface RequestTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Record<string, string | string[]>;
  /** A connection of its own: nothing is kept open between two requests. */
  readonly agent: false;
}

/** Where to send a GET of `url`, and what with it; user and password are left out. */
export function requestTarget(
  url: URL,
  headers: RequestHeaders,
): RequestTarget {
  return {
    ...addressOf(url),
    path: `${url.pathname}${url.search}`,
    headers: outgoing(headers),
    agent: false,
  };
}

/** Whom to connect to for a URL. */
export function addressOf(url: URL): TcpAddress {
  return {
    // The brackets of an IPv6 address belong to the URL, not to the address.
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === ""
      ? DEFAULT_PORTS[url.protocol] ?? 80
      : Number(url.port),
  };
}

/** A name with one value is not a list: `Host` may not be one. */
function outgoing(headers: RequestHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => {
      const [only = "", ...more] = values;
      return [name, more.length === 0 ? only : [...values]];
    }),
  );
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
};
