/**
 * Detached signatures of manifests.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject, verify } from "node:crypto";

/**
 * Reads one Ed25519 public key.
 *
 * @returns `undefined` when the text is none: another kind of key too.
 */
export function parsePublicKey(pem: string): KeyObject | undefined {
  // A private key would do as well, and must not lie about where it is not needed.
  if (!pem.includes("-----BEGIN PUBLIC KEY-----")) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    // It is not a key; what OpenSSL says of it helps nobody.
    return undefined;
  }
}

/**
 * Says what is wrong with a detached Ed25519 signature of `body`.
 *
 * @param signature In base64, with any white space.
 * @returns `undefined` when one of the keys made it.
 */
export function signatureFault(
  body: Uint8Array,
  signature: Uint8Array,
  keys: readonly KeyObject[],
): string | undefined {
  const text = Buffer.from(signature).toString("latin1").replace(/\s+/g, "");
  if (!BASE64_OF_64_BYTES.test(text)) {
    return "it is not the base64 of an Ed25519 signature";
  }
  const bytes = Buffer.from(text, "base64");
  const isGood = keys.some((key) => verify(null, body, key, bytes));
  return isGood ? undefined : "none of the public keys made it for this answer";
}

// 64 bytes in the alphabet of RFC 4648 §4.
const BASE64_OF_64_BYTES = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
