/**
 * One call over HTTP/2, on a connection of its own.
 *
 * Not `node:http2`: in Deno 2.9.6 a pod that answers with a GOAWAY of an error and one
 * more frame in the same packet ends the whole agent (denoland/deno#36788); and setting
 * up a session costs four times as much CPU as a call here, and 50 MB.
 *
 * Upstream: RFC 9113, of which this is what a client needs that asks one small thing
 * and closes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { ByteBuffer, UNMETERED, type WorkMeter } from "../../base/mod.ts";
import { AnswerError, badAnswer } from "./tcp_connect.ts";
import type { ByteLink } from "./byte_link.ts";
import { ByteSource } from "./byte_source.ts";
import { encodeHeaders, HeaderDecoder, type HeaderField } from "./hpack.ts";

/** What is sent. */
export interface Http2Request {
  readonly authority: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: readonly HeaderField[];
  /** At most a few kilobytes: no window is waited for. */
  readonly body: Uint8Array;
}

/** What came back. */
export interface Http2Answer {
  readonly status: number;
  /** The header fields and trailers of the answer; for a name given twice, the last value. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** The limits of a call, and what it reports on the way. */
export interface Http2Options {
  /** A longer body is a fault. */
  readonly maxBodyBytes: number;
  /** The server has greeted: it does speak HTTP/2. */
  readonly greeted: () => void;
  /** Counts frames, and bytes that are moved or looked at. */
  readonly meter?: WorkMeter;
}

/**
 * Makes one call to its end.
 *
 * @throws {AnswerError} When there is no answer.
 * @throws {unknown} What the connection throws.
 */
export async function callHttp2(
  link: ByteLink,
  request: Http2Request,
  options: Http2Options,
): Promise<Http2Answer> {
  await link.write(greeting(request));
  const { meter = UNMETERED } = options;
  const source = new ByteSource(link, meter);
  const answer = new AnswerBuilder(options);
  let isGreeted = false;
  for (let received = 0; received < MAX_FRAMES; received++) {
    const frame = await readFrame(source, isGreeted);
    if (!isGreeted) {
      if (frame.type !== SETTINGS || (frame.flags & ACK) !== 0) {
        throw badAnswer("the server did not begin with its settings");
      }
      isGreeted = true;
      options.greeted();
    }
    await acknowledge(link, frame);
    if (answer.take(frame)) return answer.finish();
  }
  throw badAnswer(`more than ${MAX_FRAMES} frames and no answer`);
}

/** Says that settings and pings have arrived. */
async function acknowledge(link: ByteLink, frame: Frame): Promise<void> {
  const { type, flags } = frame;
  if (type !== SETTINGS && type !== PING || (flags & ACK) !== 0) return;
  const payload = type === PING ? frame.payload.slice() : [];
  try {
    await link.write(encodeFrame({ type, flags: ACK, stream: 0, payload }));
  } catch {
    // A server that reads no more may have answered before.
  }
}

/** Everything at once: no server may make a client wait for its settings. */
function greeting(request: Http2Request): Uint8Array {
  const { authority, path, headers, body } = request;
  const block = encodeHeaders([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", authority],
    ...headers,
  ]);
  const stream = STREAM;
  return Buffer.concat([
    new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    // Nothing is to be pushed.
    encodeFrame({ type: SETTINGS, stream: 0, payload: [0, 2, 0, 0, 0, 0] }),
    encodeFrame({ type: HEADERS, flags: END_HEADERS, stream, payload: block }),
    encodeFrame({ type: DATA, flags: END_STREAM, stream, payload: body }),
  ]);
}

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const PING = 6;
const GOAWAY = 7;
const CONTINUATION = 9;

const ACK = 0x1;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const PADDED = 0x8;
const PRIORITY = 0x20;

/** The first that a client opens, and here the only one. */
const STREAM = 1;

/** The frames that an answer is made of. */
const ANSWERING: ReadonlySet<number> = new Set([DATA, HEADERS, CONTINUATION]);

// No server may send longer ones without permission, and none has it.
const MAX_FRAME_BYTES = 16_384;

// As much as gRPC servers themselves take.
const MAX_HEADER_BLOCK_BYTES = 16 * 1024;

/** More than any answer to one small question needs. */
const MAX_FRAMES = 1024;

/**
 * An answer has two, before its body and behind it; Go's client lets five informational
 * ones pass. What each says is kept until the end.
 */
const MAX_HEADER_BLOCKS = 7;

const FRAME_HEAD_BYTES = 9;

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A view that is good until the next frame is read. */
  readonly payload: Uint8Array;
}

function encodeFrame(
  frame: {
    readonly type: number;
    readonly flags?: number;
    readonly stream: number;
    readonly payload?: ArrayLike<number>;
  },
): Uint8Array {
  const { type, flags = 0, stream, payload = [] } = frame;
  const bytes = new Uint8Array(FRAME_HEAD_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length << 8 | type);
  view.setUint8(4, flags);
  view.setUint32(5, stream);
  bytes.set(payload, FRAME_HEAD_BYTES);
  return bytes;
}

async function readFrame(
  source: ByteSource,
  isGreeted: boolean,
): Promise<Frame> {
  const head = await source.exactly(FRAME_HEAD_BYTES);
  if (head === undefined) {
    const { received } = source;
    const other = isGreeted ? undefined : otherProtocol(received);
    throw badAnswer(
      other ?? (received.length === 0 ? "EOF" : "unexpected EOF"),
    );
  }
  const view = new DataView(head.buffer, head.byteOffset);
  const length = view.getUint32(0) >>> 8;
  const [type, flags] = [view.getUint8(3), view.getUint8(4)];
  const stream = view.getUint32(5) & 0x7fffffff;
  if (length > MAX_FRAME_BYTES) {
    const other = isGreeted ? undefined : otherProtocol(head);
    throw badAnswer(other ?? `http2: frame too large: ${length} bytes`);
  }
  const payload = await source.exactly(length);
  if (payload === undefined) throw badAnswer("unexpected EOF");
  return { type, flags, stream, payload };
}

/** What a server speaks that does not speak HTTP/2, by its first bytes. */
function otherProtocol(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes.subarray(0, 5));
  if (text === "HTTP/") {
    return "the server speaks HTTP/1, wanted gRPC (HTTP/2 without TLS)";
  }
  const [type = 0, version] = bytes;
  // An alert or a handshake of TLS.
  if ((type === 0x15 || type === 0x16) && version === 0x03) {
    return "the server speaks TLS, wanted gRPC (HTTP/2 without TLS)";
  }
  return undefined;
}

/** Puts the frames of one answer together. */
class AnswerBuilder {
  readonly #decoder: HeaderDecoder;
  readonly #fields = new Map<string, string>();
  readonly #block: ByteBuffer;
  readonly #maxBodyBytes: number;
  readonly #body: ByteBuffer;
  /** Inside a block of headers, nothing but its continuation may come. */
  #isInBlock = false;
  #endsWithBlock = false;
  #blocks = 0;

  constructor({ maxBodyBytes, meter = UNMETERED }: Http2Options) {
    this.#decoder = new HeaderDecoder(meter);
    this.#block = new ByteBuffer({ maxBytes: MAX_HEADER_BLOCK_BYTES, meter });
    this.#maxBodyBytes = maxBodyBytes;
    this.#body = new ByteBuffer({ maxBytes: maxBodyBytes, meter });
  }

  /** Takes one frame; true when the answer is whole. */
  take(frame: Frame): boolean {
    const { type, flags, stream, payload } = frame;
    if (this.#isInBlock !== (type === CONTINUATION)) {
      throw badAnswer("the server interrupts its headers");
    }
    if (stream !== STREAM && ANSWERING.has(type)) {
      throw badAnswer("an unknown stream");
    }
    switch (type) {
      case GOAWAY:
        return this.#goAway(payload);
      case RST_STREAM:
        if (stream !== STREAM) return false;
        throw badAnswer(
          `stream terminated by RST_STREAM with error code: ${
            errorName(payload)
          }`,
        );
      case PUSH_PROMISE:
        throw badAnswer("the server pushes what it was told not to");
      case HEADERS:
        this.#endsWithBlock = (flags & END_STREAM) !== 0;
        return this.#takeBlock(unpad(frame), flags);
      case CONTINUATION:
        return this.#takeBlock(payload, flags);
      case DATA:
        return this.#takeData(unpad(frame), flags);
      default:
        // Windows, priorities, and what is yet to be invented.
        return false;
    }
  }

  finish(): Http2Answer {
    const status = Number(this.#fields.get(":status") ?? 0);
    return { status, fields: this.#fields, body: this.#body.bytes };
  }

  /** A server that shuts down may still answer what it has taken on. */
  #goAway(payload: Uint8Array): false {
    if (payload.length < 8) throw badAnswer("a GOAWAY that is cut");
    const { buffer, byteOffset } = payload;
    const last = new DataView(buffer, byteOffset).getUint32(0) & 0x7fffffff;
    if (last >= STREAM) return false;
    throw badAnswer(
      `the server is going away (GOAWAY) with error code: ${
        errorName(payload.subarray(4))
      }`,
    );
  }

  #takeBlock(part: Uint8Array, flags: number): boolean {
    if (!this.#block.add(part)) {
      throw badAnswer("the server's headers are too long");
    }
    this.#isInBlock = (flags & END_HEADERS) === 0;
    if (this.#isInBlock) return false;
    if (++this.#blocks > MAX_HEADER_BLOCKS) {
      throw badAnswer(`more than ${MAX_HEADER_BLOCKS} blocks of headers`);
    }
    const block = this.#block.bytes;
    this.#block.clear();
    let fields: readonly HeaderField[];
    try {
      fields = this.#decoder.decode(block);
    } catch (cause) {
      const why = cause instanceof AnswerError ? cause.detail : String(cause);
      throw badAnswer(`headers that cannot be read: ${why}`, { cause });
    }
    for (const [name, value] of fields) this.#fields.set(name, value);
    return this.#endsWithBlock;
  }

  #takeData(part: Uint8Array, flags: number): boolean {
    if (!this.#body.add(part)) {
      throw badAnswer(`an answer of more than ${this.#maxBodyBytes} bytes`);
    }
    return (flags & END_STREAM) !== 0;
  }
}

/** The payload without what only makes it longer, or says how urgent it is. */
function unpad({ type, flags, payload }: Frame): Uint8Array {
  const isPadded = (flags & PADDED) !== 0;
  const padding = isPadded ? payload[0] ?? 0 : 0;
  const start = (isPadded ? 1 : 0) +
    (type === HEADERS && (flags & PRIORITY) !== 0 ? 5 : 0);
  const end = payload.length - padding;
  if (end < start) throw badAnswer("a frame that is all padding");
  return payload.subarray(start, end);
}

function errorName(code: Uint8Array): string {
  const number = code[3] ?? 0;
  return ERRORS[number] ?? String(number);
}

// RFC 9113, section 7, in order.
const ERRORS: readonly string[] = [
  ...["NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR"],
  ...["SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR"],
  ...["REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR"],
  ...["ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"],
];
