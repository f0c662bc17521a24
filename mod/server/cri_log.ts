/**
 * The log format of CRI runtimes, read as a stream of bytes.
 *
 * A line is `<RFC 3339 time> <stdout|stderr> <tags> <content>`; the tag `P`
 * says that the line goes on in a later entry, `F` that it ends here.
 *
 * @module
 */

import {
  ByteBuffer,
  invariant,
  UNMETERED,
  type WorkMeter,
} from "../base/mod.ts";

/** How a log is shown. */
export interface CriLogOptions {
  /** Whether each line starts with its time. */
  readonly timestamps: boolean;
  /** Entries that were written before are left out; in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** Counts bytes that are read and written. */
  readonly meter?: WorkMeter;
}

/** What the head of an entry says. */
export interface CriLogHead {
  /** As it stands in the entry. */
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  /** Whether the line goes on in a later entry. */
  readonly partial: boolean;
}

const NEWLINE = 10;
const SPACE = 32;
/** A head is no longer: 35 bytes of time, 6 of stream, and its tags. */
export const MAX_HEAD_BYTES = 128;

/**
 * Reads the head of an entry.
 *
 * @param text The bytes up to and without the content, read as ASCII.
 * @returns `undefined` when this is no entry of a CRI log.
 */
export function parseCriLogHead(text: string): CriLogHead | undefined {
  const [time = "", stream, tags = "", rest = ""] = text.split(" ");
  if (rest !== "" || !/^\d{4}-\d\d-\d\dT[\d:]{8}/.test(time)) return undefined;
  if (stream !== "stdout" && stream !== "stderr") return undefined;
  const [tag] = tags.split(":");
  if (tag !== "P" && tag !== "F") return undefined;
  return { time, stream, partial: tag === "P" };
}

/**
 * Turns the bytes of a CRI log into what the container wrote.
 *
 * Content passes through as it comes, so that the memory needed does not depend
 * on the length of lines. Parts of a line are joined; lines that are no entries
 * pass through unchanged. As with the kubelet, when both streams have a line
 * open their parts come out in the order in which they were written.
 */
export class CriLogParser {
  readonly #options: CriLogOptions;
  readonly #decoder = new TextDecoder("latin1");
  readonly #encoder = new TextEncoder();
  readonly #meter: WorkMeter;
  readonly #head = new Uint8Array(MAX_HEAD_BYTES);
  #headLength = 0;
  #spaces = 0;
  /** The entry whose content is being read, or that none of it is an entry. */
  #entry: CriLogHead | "raw" | undefined;
  readonly #openStreams = new Set<string>();
  /** Whether the entry is too old; what is no entry goes with the one before it. */
  #isHidden: boolean;

  /** Starts at the beginning of an entry. */
  constructor(options: CriLogOptions) {
    this.#options = options;
    this.#meter = options.meter ?? UNMETERED;
    this.#isHidden = options.sinceMs !== undefined;
  }

  /** Takes the next bytes and returns what they add to the output. */
  push(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
    const output = this.#outputFor(chunk.length);
    this.#meter.spend(chunk.length);
    let at = 0;
    while (at < chunk.length) {
      at = this.#entry === undefined
        ? this.#readHead(chunk, at, output)
        : this.#readContent(chunk, at, output);
    }
    return output.bytes;
  }

  /** Returns what is left when no more bytes will come. */
  end(): Uint8Array<ArrayBuffer> {
    const output = this.#outputFor(0);
    if (this.#entry === undefined && this.#headLength > 0) {
      this.#finishHead(output);
    }
    this.#entry = undefined;
    return output.bytes;
  }

  /** Room for what some input adds: all of it, what is held of a head, and the times. */
  #outputFor(length: number): ByteBuffer {
    // The time of an entry is in its head, and written out has at most ten bytes more
    // than there; the shortest head has 28 bytes.
    const maxBytes = 3 * (length + MAX_HEAD_BYTES);
    return new ByteBuffer({ maxBytes, meter: this.#meter });
  }

  #readHead(chunk: Uint8Array, from: number, output: ByteBuffer): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) {
        // An entry without content may lack the blank before it.
        this.#finishHead(output);
        return at;
      }
      this.#head[this.#headLength++] = byte;
      if (byte === SPACE) this.#spaces++;
      if (this.#spaces === 3 || this.#headLength === MAX_HEAD_BYTES) {
        this.#finishHead(output);
        return at + 1;
      }
    }
    return chunk.length;
  }

  #finishHead(output: ByteBuffer): void {
    const bytes = this.#head.slice(0, this.#headLength);
    const entry = parseCriLogHead(this.#decoder.decode(bytes));
    this.#headLength = 0;
    this.#spaces = 0;
    this.#entry = entry ?? "raw";
    const { sinceMs } = this.#options;
    if (entry !== undefined && sinceMs !== undefined) {
      this.#isHidden = Date.parse(entry.time) < sinceMs;
    }
    if (this.#isHidden) return;
    if (entry === undefined) put(output, bytes);
    else if (this.#options.timestamps && !this.#openStreams.has(entry.stream)) {
      put(output, this.#encoder.encode(`${withNanoseconds(entry.time)} `));
    }
  }

  #readContent(chunk: Uint8Array, from: number, output: ByteBuffer): number {
    const entry = this.#entry;
    const newline = chunk.indexOf(NEWLINE, from);
    if (newline < 0) {
      if (!this.#isHidden) put(output, chunk.subarray(from));
      return chunk.length;
    }
    const isPartial = entry !== "raw" && entry?.partial === true;
    const end = isPartial ? newline : newline + 1;
    if (!this.#isHidden) put(output, chunk.subarray(from, end));
    if (isPartial && !this.#isHidden) this.#openStreams.add(entry.stream);
    else if (!isPartial && entry !== undefined && entry !== "raw") {
      this.#openStreams.delete(entry.stream);
    }
    this.#entry = undefined;
    return newline + 1;
  }
}

function put(output: ByteBuffer, bytes: Uint8Array): void {
  invariant(output.add(bytes), "the output of a log exceeds its input");
}

/** Writes all nine digits of a time's fraction, so that lines stay aligned. */
function withNanoseconds(time: string): string {
  let end = SECONDS_LENGTH;
  if (time[end] === ".") { do end++; while (isDigit(time.charCodeAt(end))); }
  const fraction = time.slice(SECONDS_LENGTH + 1, end);
  const digits = fraction.padEnd(9, "0").slice(0, 9);
  return `${time.slice(0, SECONDS_LENGTH)}.${digits}${time.slice(end)}`;
}

/** The length of `2006-01-02T15:04:05`, with which every head begins. */
const SECONDS_LENGTH = 19;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
