/**
 * The key of a request for a certificate, as long as nobody has decided on it.
 *
 * @module
 */

import type { Logger } from "../../base/telemetry/mod.ts";
import { type NewKey, newKey, readNewKey } from "./certificate_request.ts";
import type { SecretFiles } from "./ports.ts";

/** What it is kept with. */
export interface RequestKeyDeps {
  readonly files: SecretFiles;
  readonly log: Logger;
}

/**
 * Keeps one key in memory and, if it has a path, on the disk, so that an agent that starts
 * anew waits for the request of the one before and makes no other. (The kubelet's
 * kubelet-client.key.tmp.)
 */
export class RequestKey {
  readonly #deps: RequestKeyDeps;
  readonly #path: string | undefined;
  #key: NewKey | undefined;
  #isRead = false;

  constructor(deps: RequestKeyDeps, path: string | undefined) {
    this.#deps = deps;
    this.#path = path;
  }

  /** The one that is kept, or a new one. */
  async current(): Promise<NewKey> {
    this.#key ??= await this.#left() ?? await this.#made();
    return this.#key;
  }

  /** Another request has another key; that on the disk stays until {@linkcode drop}. */
  spend(): void {
    this.#key = undefined;
  }

  /** Takes it away from the disk as well. */
  async drop(): Promise<void> {
    this.spend();
    if (this.#path === undefined) return;
    await this.#try(() => this.#deps.files.remove(`${this.#path}`));
  }

  /** What an agent before has left; looked for once. */
  async #left(): Promise<NewKey | undefined> {
    const path = this.#path;
    if (this.#isRead || path === undefined) return undefined;
    this.#isRead = true;
    const text = await this.#try(() => this.#deps.files.read(path));
    return text === undefined ? undefined : await readNewKey(text);
  }

  async #made(): Promise<NewKey> {
    const key = await newKey();
    const path = this.#path;
    if (path !== undefined) {
      await this.#try(() => this.#deps.files.replace(path, key.pem.reveal()));
    }
    return key;
  }

  /** A disk that refuses keeps nobody from a certificate. */
  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#deps.log.warn("request_key_not_kept", { path: this.#path, error });
      return undefined;
    }
  }
}
