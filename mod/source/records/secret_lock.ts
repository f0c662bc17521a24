/**
 * Secrets on a disk that only the holder of a key can read.
 *
 * @module
 */

import { decodeBase64, describeError } from "../../base/text/mod.ts";
import type { RecordFiles } from "../mod.ts";

/** Where the key lies. */
export interface SecretKeyPlace {
  readonly path: string;
  /** Whether one is made where there is none: not on a medium that may come later. */
  readonly isMade: boolean;
}

/** What was encrypted, in base64. */
export interface SealedSecrets {
  /** Another one each time, as AES-GCM demands. */
  readonly iv: string;
  readonly text: string;
}

/** Why Secrets cannot be encrypted, or read. */
export type SecretLockFault =
  | "missing_key"
  | "unreadable_key"
  | "unwritable_key"
  | "no_key"
  /** The key is another one than that which encrypted them. */
  | "other_key";

/** Secrets cannot be encrypted, or read; its message names the file and what is wanted. */
export class SecretLockError extends Error {
  override readonly name = "SecretLockError";
  readonly kind: SecretLockFault;

  constructor(kind: SecretLockFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/**
 * Encrypts by AES-256-GCM with the key of a file, which is read each time: an operator may
 * bring it, take it away or exchange it while the agent runs. What is encrypted is bound to
 * a name, so that one record cannot stand in for another.
 */
export class SecretLock {
  readonly #place: SecretKeyPlace;
  readonly #files: Pick<RecordFiles, "read" | "write">;

  /** Touches nothing until asked to. */
  constructor(
    place: SecretKeyPlace,
    files: Pick<RecordFiles, "read" | "write">,
  ) {
    this.#place = place;
    this.#files = files;
  }

  /** Encrypts a text. @throws {SecretLockError} when there is no key that can be used */
  async seal(name: string, text: string): Promise<SealedSecrets> {
    const key = await this.#read() ?? await this.#make();
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      cipher(iv, name),
      key,
      new TextEncoder().encode(text),
    );
    return { iv: iv.toBase64(), text: new Uint8Array(sealed).toBase64() };
  }

  /** Reads what was encrypted under that name. @throws {SecretLockError} when it cannot */
  async open(name: string, { iv, text }: SealedSecrets): Promise<string> {
    const key = await this.#read();
    if (key === undefined) throw this.#missing();
    try {
      const opened = await crypto.subtle.decrypt(
        cipher(bytesOf(iv), name),
        key,
        bytesOf(text),
      );
      return new TextDecoder().decode(opened);
    } catch (error) {
      throw new SecretLockError(
        "other_key",
        `Cannot read the Secrets that were kept: "${this.#place.path}" is not the key that they were encrypted with`,
        error,
      );
    }
  }

  /** @returns nothing when there is no such file */
  async #read(): Promise<CryptoKey | undefined> {
    const { path } = this.#place;
    const found = await this.#files.read(path, MAX_KEY_FILE_BYTES)
      .catch((error) => {
        throw new SecretLockError(
          "unreadable_key",
          `Cannot read the key of kept Secrets "${path}": ${
            describeError(error)
          }`,
          error,
        );
      });
    if (found.kind === "missing") return undefined;
    const bytes = found.kind === "read"
      ? decodeBase64(new TextDecoder().decode(found.bytes).trim())
      : undefined;
    if (bytes?.length !== KEY_BYTES) {
      throw new SecretLockError(
        "no_key",
        `Cannot use "${path}" as the key of kept Secrets: found no ${KEY_BYTES} bytes in base64, wanted what "openssl rand -base64 ${KEY_BYTES}" prints`,
      );
    }
    return await importKey(bytes);
  }

  /** Makes the key, once and for good: it is on the disk before anything needs it. */
  async #make(): Promise<CryptoKey> {
    const { path, isMade } = this.#place;
    if (!isMade) throw this.#missing();
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    const text = new TextEncoder().encode(`${bytes.toBase64()}\n`);
    try {
      await this.#files.write(path, text);
    } catch (error) {
      throw new SecretLockError(
        "unwritable_key",
        `Cannot write the key of kept Secrets "${path}": ${
          describeError(error)
        }`,
        error,
      );
    }
    return await importKey(bytes);
  }

  #missing(): SecretLockError {
    return new SecretLockError(
      "missing_key",
      `Cannot find the key of kept Secrets: there is no "${this.#place.path}"`,
    );
  }
}

function importKey(bytes: Uint8Array): Promise<CryptoKey> {
  const uses: KeyUsage[] = ["encrypt", "decrypt"];
  // A copy has a buffer of its own, which is what the type asks for.
  return crypto.subtle.importKey(
    "raw",
    new Uint8Array(bytes),
    "AES-GCM",
    false,
    uses,
  );
}

function cipher(iv: Uint8Array, name: string): AesGcmParams {
  return {
    name: "AES-GCM",
    iv: new Uint8Array(iv),
    additionalData: new TextEncoder().encode(`skerry secrets 1\n${name}`),
  };
}

/** What is no base64 is nothing that was ever encrypted. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decodeBase64(text) ?? []);
}

const KEY_BYTES = 32;

// As NIST SP 800-38D has it for random ones.
const IV_BYTES = 12;

const MAX_KEY_FILE_BYTES = 4096;
