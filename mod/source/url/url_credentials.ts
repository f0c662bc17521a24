/**
 * The certificates and keys with which a URL is asked and its answers are checked.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { DownloadTls } from "../../host/clients/mod.ts";
import type { BoundedRead } from "../../host/files/mod.ts";

/** Where they are. */
export interface UrlCredentialFiles {
  /** The PEM file of the authorities that are believed; https needs it. */
  readonly caFile?: string;
  /** The PEM file of the client's certificate; `keyFile` goes with it. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** PEM files of Ed25519 public keys; if there are any, one must have signed each answer. */
  readonly publicKeyFiles: readonly string[];
}

/** Reads a regular file of at most `maxBytes`. @throws when it cannot be read */
export type ReadFile = (path: string, maxBytes: number) => Promise<BoundedRead>;

/** What was read. */
export interface UrlCredentials {
  readonly tls: DownloadTls | undefined;
  readonly keys: readonly KeyObject[];
}

/**
 * Reads them, to be done before each question, since others renew them.
 *
 * @throws when one cannot be read or is none
 */
export async function readCredentials(
  files: UrlCredentialFiles,
  readFile: ReadFile,
): Promise<UrlCredentials> {
  const tls = await readTls(files, readFile);
  const keys: KeyObject[] = [];
  for (const path of files.publicKeyFiles) {
    const key = parsePublicKey(await readPem(path, readFile));
    if (key !== undefined) keys.push(key);
    else throw new Error(`"${path}" is no Ed25519 public key in PEM`);
  }
  return { tls, keys };
}

async function readTls(
  { caFile, certFile, keyFile }: UrlCredentialFiles,
  readFile: ReadFile,
): Promise<DownloadTls | undefined> {
  if (caFile === undefined) return undefined;
  return {
    ca: await readPem(caFile, readFile),
    ...(certFile !== undefined && { cert: await readPem(certFile, readFile) }),
    ...(keyFile !== undefined && { key: await readPem(keyFile, readFile) }),
  };
}

async function readPem(path: string, readFile: ReadFile): Promise<string> {
  const found = await readFile(path, MAX_PEM_BYTES);
  switch (found.kind) {
    case "read":
      return new TextDecoder().decode(found.bytes);
    case "missing":
      throw new Error(`Cannot read "${path}": it does not exist`);
    case "not_regular":
      throw new Error(
        `Cannot read "${path}": it is of type "${found.what}", wanted a regular file`,
      );
    case "too_large":
      throw new Error(
        `Cannot read "${path}": it is longer than ${MAX_PEM_BYTES} bytes`,
      );
  }
}

// The authorities of a whole distribution have some 250 KiB.
const MAX_PEM_BYTES = 4 * 1024 * 1024;

/** Reads one Ed25519 public key; `undefined` when the text is none, or of another kind. */
function parsePublicKey(pem: string): KeyObject | undefined {
  // A private key would do as well, and must not lie about where it is not needed.
  if (!pem.includes("-----BEGIN PUBLIC KEY-----")) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    // It is not a key; what OpenSSL says of it is no help.
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
