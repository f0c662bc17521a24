/**
 * Reading one answer of HTTP/1 from an untrusted server.
 *
 * What it takes and what it refuses is what Go's client takes and refuses, since
 * workloads are tried with the kubelet; its words for faults are Go's as well.
 *
 * @module
 */

import { ByteBuffer, UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { type AnswerError, badAnswer } from "./tcp_connect.ts";
import type { ByteLink } from "./byte_link.ts";
import { ByteSource } from "./byte_source.ts";

/** How the body came to its end. */
export type BodyEnd =
  /** As it said it would. */
  | "whole"
  /** More was not wanted. */
  | "limit"
  /** The connection or the framing broke off. */
  | "broken"
  /** The caller's time was over. */
  | "aborted";

/** What came back. */
export interface HttpAnswer {
  readonly status: number;
  /** The header `Location`, as it stands there. */
  readonly location: string | undefined;
  /** At most as much as was wanted. */
  readonly body: Uint8Array;
  readonly bodyEnd: BodyEnd;
}

/** An answer, and whether the server said that it closes the connection now. */
export interface LastAnswer extends HttpAnswer {
  readonly closes: boolean;
}

/** How much of an answer is wanted. */
export interface ReadAnswerOptions {
  readonly maxBodyBytes: number;
  /** The one that the connection was opened with. */
  readonly signal: AbortSignal;
  /** Counts bytes that are moved or looked at. */
  readonly meter?: WorkMeter;
}

/**
 * Reads the final answer, past those that are only informational.
 *
 * @throws {AnswerError} When there is none, or what there is cannot be understood.
 * @throws {unknown} The reason of the signal when it aborts before the body.
 */
export async function readAnswer(
  link: ByteLink,
  options: ReadAnswerOptions,
): Promise<LastAnswer> {
  const { meter = UNMETERED } = options;
  const source = new ByteSource(link, meter);
  for (let informational = 0;; informational++) {
    if (informational > MAX_INFORMATIONAL) {
      throw badAnswer("net/http: too many 1xx informational responses");
    }
    const head = parseHead(await readHead(source));
    const { status } = head;
    if (status < 200 && status !== 101) continue;
    const body = new ByteBuffer({ maxBytes: options.maxBodyBytes, meter });
    let bodyEnd: BodyEnd;
    try {
      bodyEnd = await readBody(source, head, body);
    } catch {
      // Whatever it was, there is an answer, and its body is not whole.
      bodyEnd = options.signal.aborted ? "aborted" : "broken";
    }
    const { location, closes } = head;
    return { status, location, closes, body: body.bytes, bodyEnd };
  }
}

// As many as Go's client lets pass.
const MAX_INFORMATIONAL = 5;

/** The longest head; Go's client takes ten megabytes. */
const MAX_HEAD_BYTES = 64 * 1024;

// The limit for the sizes of chunks, and for what is beside them, in one body.
const MAX_FRAMING_BYTES = 64 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** Takes a head and the empty line behind it, which is not returned. */
async function readHead(source: ByteSource): Promise<string> {
  let scanned = 0;
  for (;;) {
    const { received } = source;
    refuseGarbage(received);
    const at = emptyLine(source, scanned);
    if (at !== undefined) {
      return decoder.decode(source.take(at.next).subarray(0, at.end));
    }
    if (received.length >= MAX_HEAD_BYTES) {
      throw badAnswer(
        `net/http: server response headers exceeded ${MAX_HEAD_BYTES} bytes; aborted`,
      );
    }
    // The last three bytes may be the beginning of the end.
    scanned = Math.max(0, received.length - 3);
    if (!await source.fill()) {
      throw badAnswer(received.length === 0 ? "EOF" : "unexpected EOF");
    }
  }
}

/** Garbage is not waited for to its end. */
function refuseGarbage(received: Uint8Array): void {
  if (received.length < PROTOCOL.length) return;
  if (PROTOCOL.every((byte, at) => received[at] === byte)) return;
  const lf = received.indexOf(LF);
  const end = Math.min(lf < 0 ? received.length : lf, MAX_QUOTE);
  const line = decoder.decode(received.subarray(0, end)).trimEnd();
  throw badAnswer(`malformed HTTP response ${JSON.stringify(line)}`);
}

/** Where the first empty line begins and ends. */
function emptyLine(
  source: ByteSource,
  from: number,
): { readonly end: number; readonly next: number } | undefined {
  const { received } = source;
  for (
    let lf = source.indexOf(LF, from);
    lf >= 0;
    lf = source.indexOf(LF, lf + 1)
  ) {
    if (received[lf + 1] === LF) return { end: lf, next: lf + 2 };
    if (received[lf + 1] === CR && received[lf + 2] === LF) {
      return { end: lf, next: lf + 3 };
    }
  }
  return undefined;
}

/** Takes one line, which is returned without its end. */
async function readLine(source: ByteSource): Promise<string> {
  for (let scanned = 0;;) {
    const { received } = source;
    const lf = source.indexOf(LF, scanned);
    if (lf >= 0) {
      const end = received[lf - 1] === CR ? lf - 1 : lf;
      return decoder.decode(source.take(lf + 1).subarray(0, end));
    }
    scanned = received.length;
    if (scanned > MAX_LINE_BYTES) throw badAnswer("the line is too long");
    if (!await source.fill()) throw badAnswer("unexpected EOF");
  }
}

/** Takes some bytes, `max` at most; none at the end. */
async function takeSome(source: ByteSource, max: number): Promise<Uint8Array> {
  if (source.received.length === 0) await source.fill();
  return source.take(Math.min(max, source.received.length));
}

const decoder = new TextDecoder();
const PROTOCOL = new TextEncoder().encode("HTTP/");

/** As much of an answer as its fault quotes. */
const MAX_QUOTE = 64;

interface Head {
  readonly status: number;
  readonly location: string | undefined;
  readonly isChunked: boolean;
  /** `undefined` when the end of the connection is the end of the body. */
  readonly length: number | undefined;
  readonly closes: boolean;
}

function parseHead(text: string): Head {
  const [first = "", ...lines] = text.split("\n");
  const { version, status } = parseStatusLine(first.trimEnd());
  const fields = parseFields(lines);
  const connection = (fields.get("connection") ?? []).join(",").toLowerCase();
  return {
    status,
    location: fields.get("location")?.[0],
    ...framing(fields),
    closes: version === "1.0" || hasToken(connection, "close"),
  };
}

/**
 * Reads `HTTP/1.1 200 OK`; upstream: net/http ReadResponse.
 *
 * By index, as are all lines here: a pattern that tries blanks in two ways takes
 * seconds for a line of blanks, during which no other probe runs.
 */
function parseStatusLine(
  line: string,
): { readonly version: string; readonly status: number } {
  const blank = line.indexOf(" ");
  const protocol = blank < 0 ? line : line.slice(0, blank);
  const version = protocol.slice(PROTOCOL.length);
  const isVersion = version.length === 3 && version[1] === "." &&
    isDigits(version[0]) && isDigits(version[2]);
  if (blank < 0 || !isVersion) {
    throw malformed("HTTP response", line);
  }
  const rest = line.slice(blank + 1).trimStart();
  const end = rest.indexOf(" ");
  const code = end < 0 ? rest : rest.slice(0, end);
  if (code.length !== 3 || !isDigits(code)) {
    throw malformed("HTTP status code", code);
  }
  return { version, status: Number(code) };
}

function malformed(what: string, found: string): AnswerError {
  return badAnswer(`malformed ${what} ${quoted(found)}`);
}

function quoted(found: string): string {
  return JSON.stringify(found.slice(0, MAX_QUOTE));
}

/** Whether a text has nothing but digits, and at least one. */
function isDigits(text: string | undefined): boolean {
  if (text === undefined || text === "") return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Whether a list of words, with commas or blanks between them, has one. */
function hasToken(list: string, token: string): boolean {
  return list.split(",").some((each) =>
    each.split(" ").some((word) => word.trim() === token)
  );
}

/** The fields by lower-case name, each with its values in order. */
function parseFields(
  lines: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of lines) {
    const isContinued = line.startsWith(" ") || line.startsWith("\t");
    if (isContinued && last !== undefined) {
      last.push(`${last.pop() ?? ""} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(":");
    if (colon <= 0 || isContinued) {
      throw malformed("MIME header line:", line.trim());
    }
    const name = line.slice(0, colon).toLowerCase();
    last = fields.get(name) ?? [];
    last.push(line.slice(colon + 1).trim());
    fields.set(name, last);
  }
  return fields;
}

/** How long the body is; upstream: net/http readTransfer. */
function framing(
  fields: ReadonlyMap<string, readonly string[]>,
): Pick<Head, "isChunked" | "length"> {
  const [coding, ...codings] = fields.get("transfer-encoding") ?? [];
  if (coding !== undefined) {
    if (codings.length === 0 && coding.toLowerCase() === "chunked") {
      return { isChunked: true, length: undefined };
    }
    throw badAnswer(`unsupported transfer encoding: ${quoted(coding)}`);
  }
  const lengths = new Set(fields.get("content-length"));
  const [length] = lengths;
  if (length === undefined) return { isChunked: false, length: undefined };
  if (lengths.size > 1 || length.length > 18 || !isDigits(length)) {
    throw badAnswer(`bad Content-Length ${quoted(length)}`);
  }
  return { isChunked: false, length: Number(length) };
}

async function readBody(
  source: ByteSource,
  head: Head,
  body: ByteBuffer,
): Promise<BodyEnd> {
  const { status, isChunked, length } = head;
  if (status === 101 || status === 204 || status === 304) return "whole";
  if (isChunked) return await readChunks(source, body);
  if (length !== undefined) return await readExactly(source, length, body);
  while (body.left > 0) {
    const bytes = await takeSome(source, body.left);
    if (bytes.length === 0) return "whole";
    body.add(bytes);
  }
  return "limit";
}

async function readExactly(
  source: ByteSource,
  length: number,
  body: ByteBuffer,
): Promise<"whole" | "limit" | "broken"> {
  let left = length;
  while (left > 0) {
    if (body.left === 0) return "limit";
    const bytes = await takeSome(source, Math.min(left, body.left));
    if (bytes.length === 0) return "broken";
    left -= bytes.length;
    body.add(bytes);
  }
  return "whole";
}

async function readChunks(
  source: ByteSource,
  body: ByteBuffer,
): Promise<"whole" | "limit" | "broken"> {
  let framingBytes = 0;
  while (framingBytes < MAX_FRAMING_BYTES) {
    const line = await readLine(source);
    framingBytes += line.length + 4;
    const size = chunkSize(line);
    if (size === undefined) return "broken";
    // What may follow the last chunk is of no interest.
    if (size === 0) return "whole";
    const end = await readExactly(source, size, body);
    if (end !== "whole") return end;
    if (await readLine(source) !== "") return "broken";
  }
  return "broken";
}

// As long as the line of a chunk's size may be in Go.
const MAX_LINE_BYTES = 4096;

/** The size of a chunk, before what else its line says. */
function chunkSize(line: string): number | undefined {
  const semicolon = line.indexOf(";");
  const digits = (semicolon < 0 ? line : line.slice(0, semicolon)).trimEnd();
  if (digits === "" || digits.length > MAX_SIZE_DIGITS) return undefined;
  const isHex = [...digits].every((digit) => HEX.includes(digit));
  return isHex ? Number.parseInt(digits, 16) : undefined;
}

const HEX = "0123456789abcdefABCDEF";

// More than any body has, and still exact as a number.
const MAX_SIZE_DIGITS = 12;
