/**
 * Keys, and requests for certificates for them (PKCS#10, RFC 2986).
 *
 * Written here: @peculiar/x509 keeps 25 MB of memory once it is loaded and needs 400 ms,
 * and of all that it can do a node needs what stands below. What comes back is read by the
 * platform.
 *
 * @module
 */

import { decodeBase64, Hidden, parseIp } from "../../base/text/mod.ts";
import {
  bitString,
  der,
  derInteger,
  oid,
  pemOf,
  TAG,
  utf8String,
} from "./der.ts";

/** What a certificate is to say. */
export interface CertificateDraft {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** A new key: the platform's, and as a file has it. */
export interface NewKey {
  readonly pair: CryptoKeyPair;
  readonly pem: Hidden<string>;
}

const KEY = { name: "ECDSA", namedCurve: "P-256" };

/** Makes a key as the kubelet's are: ECDSA over P-256. */
export async function newKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey(KEY, true, ["sign", "verify"]);
  const bytes = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  const pem = pemOf("PRIVATE KEY", new Uint8Array(bytes));
  return { pair, pem: new Hidden(pem) };
}

/**
 * Reads a key that {@linkcode newKey} has made.
 *
 * @returns `undefined` when the text has no such key
 */
export async function readNewKey(text: string): Promise<NewKey | undefined> {
  const [, base64 = ""] = text.trim().split(PEM_LINES);
  const decoded = decodeBase64(base64);
  if (decoded === undefined) return undefined;
  const bytes = new Uint8Array(decoded);
  try {
    const { subtle } = crypto;
    const own = await subtle.importKey("pkcs8", bytes, KEY, true, ["sign"]);
    const { kty = "", crv = "", x = "", y = "" } = await subtle.exportKey(
      "jwk",
      own,
    );
    const shared = { kty, crv, x, y };
    const publicKey = await subtle.importKey("jwk", shared, KEY, true, [
      "verify",
    ]);
    const pem = pemOf("PRIVATE KEY", bytes);
    return { pair: { privateKey: own, publicKey }, pem: new Hidden(pem) };
  } catch {
    // What is no key is what is said here, not why.
    return undefined;
  }
}

const PEM_LINES = /-----(?:BEGIN|END) PRIVATE KEY-----/;

/** The public half of a key, as certificates have it (SubjectPublicKeyInfo). */
export async function publicKeyOf(
  { pair }: NewKey,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
}

/** A request for a certificate in PEM, signed by the key. */
export async function certificateRequest(
  draft: CertificateDraft,
  key: NewKey,
): Promise<string> {
  const content = der(
    TAG.sequence,
    derInteger(Uint8Array.of(0)),
    subject(draft),
    await publicKeyOf(key),
    attributes(draft),
  );
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const { privateKey } = key.pair;
  const signature = await crypto.subtle.sign(algorithm, privateKey, content);
  const request = der(
    TAG.sequence,
    content,
    der(TAG.sequence, ECDSA_WITH_SHA256),
    bitString(numbersOf(new Uint8Array(signature))),
  );
  return pemOf("CERTIFICATE REQUEST", request);
}

// 1.2.840.10045.4.3.2
const ECDSA_WITH_SHA256 = oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02);
// 1.2.840.113549.1.9.14
const EXTENSIONS = oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e);
// 2.5.29.17
const ALTERNATIVE_NAMES = oid(0x55, 0x1d, 0x11);
// 2.5.4.3 and 2.5.4.10
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const ORGANIZATION = oid(0x55, 0x04, 0x0a);

/** WebCrypto gives both numbers of a signature as they are; RFC 3279 wants a sequence. */
function numbersOf(signature: Uint8Array): Uint8Array {
  const half = signature.length / 2;
  return der(
    TAG.sequence,
    derInteger(signature.subarray(0, half)),
    derInteger(signature.subarray(half)),
  );
}

function subject(
  { organizations, commonName }: CertificateDraft,
): Uint8Array {
  const parts = [
    ...organizations.map((name) => [ORGANIZATION, name] as const),
    [COMMON_NAME, commonName] as const,
  ];
  return der(
    TAG.sequence,
    ...parts.map(([id, text]) =>
      der(TAG.set, der(TAG.sequence, id, utf8String(text)))
    ),
  );
}

const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

function attributes(
  { dnsNames = [], ipAddresses = [] }: CertificateDraft,
): Uint8Array {
  const names = [
    ...dnsNames.map((name) => der(DNS_NAME, new TextEncoder().encode(name))),
    ...ipAddresses.map((text) => der(IP_ADDRESS, addressBytes(text))),
  ];
  if (names.length === 0) return der(0xa0);
  const extension = der(
    TAG.sequence,
    ALTERNATIVE_NAMES,
    der(TAG.octetString, der(TAG.sequence, ...names)),
  );
  const value = der(TAG.set, der(TAG.sequence, extension));
  return der(0xa0, der(TAG.sequence, EXTENSIONS, value));
}

function addressBytes(text: string): Uint8Array {
  const address = parseIp(text);
  if (address === undefined) {
    throw new TypeError(
      `Cannot ask for a certificate for "${text}": wanted an IP address`,
    );
  }
  const length = address.ipv6 ? 16 : 4;
  return Uint8Array.from(
    { length },
    (_, at) => Number(address.value >> BigInt(8 * (length - 1 - at)) & 0xffn),
  );
}
