/**
 * Answers over HTTP that somebody wrote to harm whoever asks.
 *
 * @module
 */

import type { Random } from "../../../mod/base/mod.ts";
import { below, many, pick } from "./fuzz.ts";
import { hostileText, joined, mutated } from "./hostile_bytes.ts";

/** One answer of HTTP/1, or what pretends to be one. */
export function hostileHttpAnswer(random: Random): Uint8Array<ArrayBuffer> {
  const text = [
    ...many(below(random, 9) === 0 ? below(random, 20) : 0, () => HINTS),
    statusLine(random),
    ...many(below(random, 12), () => headerLine(random)),
    pick(random, ["\r\n", "\n", "\r", ""]),
    body(random),
  ].join("");
  const bytes = new TextEncoder().encode(text);
  return random.next() < 0.4 ? mutated(random, bytes) : bytes;
}

const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";

function statusLine(random: Random): string {
  const end = pick(random, ["\r\n", "\n"]);
  const line = pick(random, [
    "HTTP/1.1 200 OK",
    "HTTP/1.0 503 Service Unavailable",
    "HTTP/1.1 302 Found",
    "HTTP/1.1 204",
    `HTTP/1.1 ${" ".repeat(below(random, 66_000))}\rx`,
    `HTTP/1.1 200 ${hostileText(random, 5000)}`,
    `HTTP/${hostileText(random, 100)}`,
    hostileText(random, 300),
  ]);
  return `${line}${end}`;
}

function headerLine(random: Random): string {
  const line = pick(random, [
    "Content-Length: 5",
    `Content-Length: ${hostileText(random, 30)}`,
    "Content-Length: 99999999999999999",
    "Transfer-Encoding: chunked",
    `Transfer-Encoding: ${hostileText(random, 30)}`,
    `Location: /${hostileText(random, 2000)}`,
    `Connection: ${"close,".repeat(below(random, 3000))}`,
    `${hostileText(random, 50)}: ${hostileText(random, 500)}`,
    ` ${hostileText(random, 500)}`,
    "\tand on\n".repeat(below(random, 2000)),
    "a:\n".repeat(below(random, 20_000)),
  ]);
  return `${line}${pick(random, ["\r\n", "\n"])}`;
}

function body(random: Random): string {
  switch (below(random, 4)) {
    case 0:
      return "x".repeat(below(random, 30_000));
    case 1:
      return "1\r\nx\r\n".repeat(below(random, 20_000)) + "0\r\n\r\n";
    case 2:
      return many(below(random, 50), () => {
        const size = pick(random, ["5", "0005", "fffffffffff", "-1", " 5"]);
        return `${size};${hostileText(random, 200)}\r\nabcde\r\n`;
      }).join("");
    default:
      return hostileText(random, 3000);
  }
}

/** What a server of HTTP/2 might send, frame by frame. */
export function hostileHttp2(random: Random): Uint8Array<ArrayBuffer> {
  const greeting = random.next() < 0.9 ? [frame(4, 0, [])] : [];
  const frames = many(below(random, 40), () => hostileFrame(random));
  const rare = random.next() < 0.1
    ? many(below(random, 2000), () => frame(pick(random, [4, 6]), 0, EIGHT))
    : [];
  const bytes = joined([...greeting, ...rare, ...frames, ...ANSWER]);
  return random.next() < 0.4 ? mutated(random, bytes) : bytes;
}

const EIGHT = new Array<number>(8).fill(0);

function hostileFrame(random: Random): Uint8Array {
  const flags = pick(random, [0, 1, 4, 5, 8, 0x20, 0x2d, below(random, 256)]);
  const type = below(random, 12);
  const payload = pick(random, [
    () => [],
    () => EIGHT,
    () => [below(random, 256), ...EIGHT],
    () => headerBlock(random),
    () => new Array<number>(below(random, 16_384)).fill(below(random, 256)),
  ])();
  return frame(type, flags, payload);
}

/** Fields by number, new ones, ones that are the same over and over, and sizes of tables. */
function headerBlock(random: Random): number[] {
  return many(below(random, 60), () =>
    pick(random, [
      [0x88],
      [0x80 | below(random, 128)],
      [0x40, 1, 97, 3, 98, 99, 100],
      [0x40, 1, 97, 0x7f, ...many(4, () => below(random, 256))],
      [0x20 | below(random, 32)],
      [0xff, 0xff, 0xff, 0xff, 0xff],
      [0x00, 0x81, below(random, 256), 0x81, below(random, 256)],
      new Array<number>(below(random, 3000)).fill(0xbe),
    ])).flat();
}

function frame(
  type: number,
  flags: number,
  payload: readonly number[],
): Uint8Array {
  const { length } = payload;
  return Uint8Array.from([
    ...[length >> 16, length >> 8 & 255, length & 255, type, flags, 0, 0, 0],
    type === 4 || type === 6 || type === 7 ? 0 : 1,
    ...payload,
  ]);
}

/** A good answer: 200, SERVING, status 0. */
const ANSWER: readonly Uint8Array[] = [
  frame(1, 4, [0x88]),
  frame(0, 0, [0, 0, 0, 0, 2, 8, 1]),
  frame(1, 5, [0, 11, ...new TextEncoder().encode("grpc-status"), 1, 0x30]),
];

/** What a byte that was read may take: moved, looked at, moved once more, and kept. */
export const STEPS_A_BYTE = 12;

/** What a call may take whose server sends these bytes, of which so many were read. */
export function maxHttp2Steps(bytes: Uint8Array, read: number): number {
  // A single byte of a header may stand for a field of four kilobytes, but all fields of
  // a block have 64 KB at most; so much for each frame that can hold some.
  const blocks = Math.min(1024, Math.ceil(bytes.length / 9));
  return 4096 + STEPS_A_BYTE * read + blocks * 68 * 1024;
}
