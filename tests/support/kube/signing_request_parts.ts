/**
 * Requests for certificates, as who signs them reads them.
 *
 * @module
 */

/** One value of DER: its tag, all of it, and what is in it. */
export interface DerValue {
  readonly tag: number;
  readonly whole: Uint8Array<ArrayBuffer>;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The values that stand one after the other. */
export function derValues(bytes: Uint8Array<ArrayBuffer>): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first = 0] = bytes.subarray(at);
    const size = first < 0x80 ? 0 : first - 0x80;
    let length = size === 0 ? first : 0;
    for (const byte of bytes.subarray(at + 2, at + 2 + size)) {
      length = length * 256 + byte;
    }
    const from = at + 2 + size;
    const end = from + length;
    if (end > bytes.length) throw new RangeError("A value is cut");
    values.push({
      tag,
      whole: bytes.subarray(at, end),
      content: bytes.subarray(from, end),
    });
    at = end;
  }
  return values;
}

/** What stands in a request for a certificate. */
export interface SigningRequestParts {
  /** All of it, without the signature. */
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly version: DerValue;
  /** `O=…` and `CN=…` in order. */
  readonly subject: readonly string[];
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly attributes: DerValue;
  readonly algorithm: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Reads a request in PEM. */
export function readSigningRequest(pem: string): SigningRequestParts {
  const lines = pem.trim().split("\n");
  const bytes = Uint8Array.fromBase64(lines.slice(1, -1).join(""));
  const [request] = derValues(bytes);
  const [info, algorithm, signature] = derValues(contentOf(request));
  const [version, subject, key, attributes] = derValues(contentOf(info));
  if (
    info === undefined || key === undefined || attributes === undefined ||
    version === undefined
  ) throw new TypeError("A part is missing");
  return {
    signed: info.whole,
    version,
    subject: derValues(contentOf(subject)).map(nameOf),
    publicKey: key.whole,
    attributes,
    algorithm: contentOf(algorithm),
    signature: contentOf(signature).subarray(1),
  };
}

function contentOf(value: DerValue | undefined): Uint8Array<ArrayBuffer> {
  if (value === undefined) throw new TypeError("A part is missing");
  return value.content;
}

function nameOf(set: DerValue): string {
  const [sequence] = derValues(set.content);
  const [id, text] = derValues(contentOf(sequence));
  const label = contentOf(id).at(-1) === 3 ? "CN" : "O";
  return `${label}=${new TextDecoder().decode(contentOf(text))}`;
}
