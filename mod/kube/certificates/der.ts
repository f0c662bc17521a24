/**
 * Writing DER (X.690): as much of it as a request for a certificate has.
 *
 * @module
 */

/** Universal tags, and those of a context, constructed or not. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value with its tag and its length. */
export function der(
  tag: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthOf(length)];
  const value = new Uint8Array(head.length + length);
  value.set(head);
  let at = head.length;
  for (const part of parts) {
    value.set(part, at);
    at += part.length;
  }
  return value;
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) {
    bytes.unshift(left % 256);
  }
  return [0x80 + bytes.length, ...bytes];
}

/** An object identifier by its encoded arcs. */
export function oid(...arcs: readonly number[]): Uint8Array<ArrayBuffer> {
  return der(0x06, Uint8Array.from(arcs));
}

/** A text. */
export function utf8String(text: string): Uint8Array<ArrayBuffer> {
  return der(TAG.utf8String, new TextEncoder().encode(text));
}

/** Whole bytes as a string of bits. */
export function bitString(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return der(TAG.bitString, Uint8Array.of(0), bytes);
}

/** A number that is not negative, by its bytes, the highest first. */
export function derInteger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const shown = bytes.subarray(from);
  const isHigh = (shown[0] ?? 0) >= 0x80;
  return der(TAG.integer, Uint8Array.from(isHigh ? [0] : []), shown);
}

/** PEM (RFC 7468) of some bytes. */
export function pemOf(label: string, bytes: Uint8Array): string {
  const text = bytes.toBase64();
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += 64) {
    lines.push(text.slice(at, at + 64));
  }
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""]
    .join("\n");
}
