/**
 * The credentials that a kubeconfig and the files beside it hold at the moment.
 *
 * @module
 */

import { describeError, Hidden } from "../../base/text/mod.ts";
import { isCertificatePem, isKeyPem, isToken } from "./credential_text.ts";
import {
  type CredentialPlace,
  type KubeAccess,
  readKubeconfig,
} from "./kubeconfig.ts";

/** Everything that is needed to speak to an API server. */
export interface KubeIdentity {
  /** `https://host:port` and what may stand behind it, without a slash at its end. */
  readonly server: string;
  /** PEM of the authorities that are believed besides those that the platform knows. */
  readonly ca?: string;
  readonly client?: { readonly cert: string; readonly key: Hidden<string> };
  readonly token?: Hidden<string>;
  readonly proxyUrl?: Hidden<string>;
}

/** Reads a whole text file, bounded. @throws when it cannot be read */
export type ReadCredentialFile = (path: string) => Promise<string>;

/** A kubeconfig, or a file that it names, cannot be used. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  /** Each names the file, the context and the field; without a secret in it. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`Cannot use the kubeconfig: ${faults.join("; ")}`);
    this.faults = faults;
  }
}

/** A kubeconfig on disk; it and what it names are read each time that they are asked for. */
export class KubeconfigFile {
  readonly #path: string;
  readonly #read: ReadCredentialFile;

  /** @param path absolute */
  constructor(path: string, read: ReadCredentialFile) {
    this.#path = path;
    this.#read = read;
  }

  /** Where it is. */
  get path(): string {
    return this.#path;
  }

  /** What the kubeconfig itself says. @throws {KubeconfigError} */
  async access(): Promise<KubeAccess> {
    let text: string;
    try {
      text = await this.#read(this.#path);
    } catch (error) {
      throw new KubeconfigError([`${this.#path}: ${describeError(error)}`]);
    }
    const reading = readKubeconfig(text, { path: this.#path });
    if (reading.kind === "read") return reading.access;
    throw new KubeconfigError(reading.faults);
  }

  /** What it says, and what stands in the files. @throws {KubeconfigError} */
  async load(): Promise<KubeIdentity> {
    const access = await this.access();
    const { server, proxyUrl } = access;
    const faults: string[] = [];
    const take = async (
      place: CredentialPlace | undefined,
      isFit: (text: string) => boolean,
      wanted: string,
    ): Promise<string | undefined> => {
      if (place?.kind !== "file") return place?.text.reveal();
      const at = `${this.#path}: context "${access.context}": ${place.field}`;
      try {
        const text = (await this.#read(place.path)).trim();
        if (isFit(text)) return text;
        faults.push(`${at}: Cannot use "${place.path}": wanted ${wanted}`);
      } catch (error) {
        faults.push(`${at}: ${describeError(error)}`);
      }
      return undefined;
    };
    const ca = await take(access.ca, isCertificatePem, "a certificate in PEM");
    const { client } = access;
    const cert = await take(
      client?.cert,
      isCertificatePem,
      "a certificate in PEM",
    );
    const key = await take(client?.key, isKeyPem, "a private key in PEM");
    const token = await take(access.token, isToken, "a token and no more");
    if (faults.length > 0) throw new KubeconfigError(faults);
    return {
      server,
      ...ca !== undefined && { ca },
      ...cert !== undefined && key !== undefined &&
        { client: { cert, key: new Hidden(key) } },
      ...token !== undefined && { token: new Hidden(token) },
      ...proxyUrl !== undefined && { proxyUrl },
    };
  }
}
