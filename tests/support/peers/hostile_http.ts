/**
 * Servers of manifests that lie, stall, flood or break.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  EVIL,
  HOSTILE_BODIES,
  type HostileHttp,
  MEBIBYTE,
  ok,
} from "./hostile_http_bodies.ts";
import { drain, say, type Talk } from "./raw_server.ts";

function head(...lines: readonly string[]): string {
  return `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;
}

function moved(location: string): string {
  return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
}

function status(line: string): string {
  return `HTTP/1.1 ${line}\r\nContent-Length: 11\r\n\r\nkind: Pod\n\n`;
}

/** Sends something and then neither anything more nor an end. */
function stall(text: string): Talk {
  return async (connection) => {
    await say(connection, Buffer.from(text, "latin1"));
    await drain(connection);
  };
}

/** Sends the same for as long as anybody listens. */
function flood(
  first: string,
  again: string,
): Talk {
  return async (connection) => {
    const chunk = Buffer.from(again, "latin1");
    await say(connection, Buffer.from(first, "latin1"));
    for (;;) await say(connection, chunk);
  };
}

/** Too long to arrive, or never at its end. */
const ENDLESS: readonly HostileHttp[] = [
  {
    name: "silence",
    act: drain,
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "a slow loris in the headers",
    act: stall("HTTP/1.1 200 OK\r\nContent-Le"),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "a slow loris in the body",
    act: stall(`${head(`Content-Length: ${EVIL.length}`)}api`),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "a body that stalls before its last byte",
    act: stall(head(`Content-Length: ${EVIL.length + 1}`) + EVIL),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "chunks without an end that stall",
    act: stall(
      `${head("Transfer-Encoding: chunked")}${
        EVIL.length.toString(16)
      }\r\n${EVIL}\r\n`,
    ),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "trailers without an end",
    act: stall(`${head("Transfer-Encoding: chunked")}0\r\nX: y\r\n`),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "100 Continue and then nothing",
    act: stall("HTTP/1.1 100 Continue\r\n\r\n"),
    reason: /no whole answer within 10 s/,
    stalls: true,
  },
  {
    name: "one hint after the other",
    act: flood("", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)),
    reason: /one informational response after the other/,
  },
  {
    name: "a body of single bytes",
    act: flood(
      head("Transfer-Encoding: chunked"),
      "1\r\n#\r\n".repeat(1000),
    ),
    reason: /more than 65536 pieces/,
  },
  {
    name: "an endless body in chunks",
    act: flood(
      head("Transfer-Encoding: chunked"),
      `10000\r\n${"#".repeat(65_536)}\r\n`,
    ),
    reason: /longer than 10485760 bytes/,
  },
  {
    name: "an endless body without a length",
    act: flood(head(), "#".repeat(65_536)),
    reason: /longer than 10485760 bytes/,
  },
  {
    name: "endless headers",
    act: flood("HTTP/1.1 200 OK\r\n", "X-A: b\r\n".repeat(1000)),
    reason: /not HTTP\/1\.1: Header overflow/,
  },
  {
    name: "a Content-Length of a terabyte",
    act: stall(head("Content-Length: 1000000000000") + EVIL),
    reason: /longer than 10485760 bytes/,
  },
  {
    name: "one byte more than 10 MiB",
    act: ok(Buffer.alloc(10 * MEBIBYTE + 1, "#")),
    reason: /longer than 10485760 bytes/,
  },
];

/** No HTTP, or not quite. */
const BROKEN: readonly HostileHttp[] = [
  {
    name: "a Content-Length that is too long",
    act: head(`Content-Length: ${EVIL.length + 10}`) + EVIL,
    reason: /broke off/,
  },
  {
    name: "a Content-Length that is too short",
    act: head("Content-Length: 20") + EVIL,
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "two Content-Lengths",
    act: head(`Content-Length: ${EVIL.length}`, "Content-Length: 3") + EVIL,
    reason: /Content-Length/,
  },
  {
    name: "a Content-Length beside chunks",
    act: head("Content-Length: 3", "Transfer-Encoding: chunked") + EVIL,
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "a negative Content-Length",
    act: head("Content-Length: -3") + EVIL,
    reason: /Content-Length/,
  },
  {
    name: "a Content-Length beyond 64 bits",
    act: head("Content-Length: 99999999999999999999999") + EVIL,
    reason: /Content-Length overflow/,
  },
  {
    name: "no Content-Length at all",
    act: head() + EVIL,
    reason: /without a Content-Length/,
  },
  {
    name: "chunks that are cut",
    act: `${head("Transfer-Encoding: chunked")}ff\r\napi`,
    reason: /broke off/,
  },
  {
    name: "chunks whose size is no number",
    act: `${head("Transfer-Encoding: chunked")}zz\r\n${EVIL}`,
    reason: /chunk size|broke off/,
  },
  {
    name: "HTTP/0.9",
    act: EVIL,
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "HTTP/2",
    act: "\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80",
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "random bytes",
    act: new Uint8Array(4096).map((_, at) => (at * 7919) % 251),
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "a status of six digits",
    act: "HTTP/1.1 200200 OK\r\n\r\n",
    reason: /not HTTP\/1\.1/,
  },
  {
    name: "a header of 100 kB",
    act: head(`X: ${"a".repeat(100_000)}`) + EVIL,
    reason: /Header overflow/,
  },
  {
    name: "a NUL in a header",
    act: head("X\0Y: a") + EVIL,
    reason: /Invalid header token/,
  },
  {
    name: "an end before the first byte",
    act: "",
    reason: /socket hang up/,
  },
  {
    name: "a reset before the first byte",
    act: (connection) => connection.reset(),
    reason: /ECONNRESET|socket hang up/,
  },
  {
    name: "a reset amid the body",
    act: (connection) => say(connection, head("Content-Length: 1000") + EVIL),
    reason: /ECONNRESET|broke off|socket hang up/,
  },
  {
    name: "a switch of protocols",
    act:
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    reason: /switch protocols/,
  },
];

/** HTTP, but no manifests. */
const ANSWERS: readonly HostileHttp[] = [
  ...[201, 202, 203, 204, 205, 206, 300, 400, 401, 403, 404, 410, 429]
    .concat([500, 502, 503, 504, 999])
    .map((code): HostileHttp => ({
      name: `a ${code}`,
      act: code === 204
        ? "HTTP/1.1 204 No Content\r\n\r\n"
        : status(`${code} Whatever`),
      reason: new RegExp(`it answered ${code}, wanted 200`),
    })),
  {
    name: "a 304 that nobody asked for",
    act: "HTTP/1.1 304 Not Modified\r\n\r\n",
    reason: /304 to a question without a condition/,
  },
  {
    name: "an interim answer and an error",
    act: `HTTP/1.1 100 Continue\r\n\r\n${status("500 Oops")}`,
    reason: /it answered 500/,
  },
  {
    name: "gzip that nobody asked for",
    act: ok(EVIL, "Content-Encoding: gzip"),
    reason: /in the encoding "gzip"/,
  },
  {
    name: "a redirect loop",
    act: moved("/manifests.yaml"),
    reason: /redirects more than 10 times/,
  },
  {
    name: "a redirect to a file",
    act: moved("file:///etc/passwd"),
    reason: /scheme "file:", wanted http or https/,
  },
  {
    name: "a redirect to data",
    act: moved("data:text/plain,x"),
    reason: /scheme "data:", wanted http or https/,
  },
  {
    name: "a redirect to nowhere",
    act: "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
    reason: /redirects to nowhere/,
  },
  {
    name: "a redirect to something that is no URL",
    act: moved("http://[::1"),
    reason: /no URL/,
  },
  {
    name: "a redirect to https without authorities",
    act: moved("https://localhost:1/x"),
    reason: /--manifest-url-ca-file is needed/,
  },
  {
    name: "a redirect to a port where nobody is",
    act: moved("http://user:hunter2@localhost:1/x?hunter2"),
    reason: /redirects to "http:\/\/localhost:1\/x\?…": .*ECONNREFUSED/,
  },
];

/** Every one of them is an error, and none is a wish. */
export const HOSTILE_HTTP: readonly HostileHttp[] = [
  ...ENDLESS,
  ...BROKEN,
  ...ANSWERS,
  ...HOSTILE_BODIES,
];
