/**
 * The files by which a client and a server know each other.
 *
 * @module
 */

import { Authority } from "./certificates.ts";
import type { ServerTls } from "./manifest_server.ts";

/** The names that a server of the tests has. */
export const HOSTS: readonly string[] = ["localhost", "127.0.0.1"];

/** Files of one test: an authority, and a client's certificate by it. */
export class Pki implements AsyncDisposable {
  readonly authority: Authority;
  readonly directory: string;

  private constructor(authority: Authority, directory: string) {
    this.authority = authority;
    this.directory = directory;
  }

  static async create(): Promise<Pki> {
    const directory = await Deno.makeTempDir({ prefix: "skerry_pki_" });
    const pki = new Pki(await Authority.create(), directory);
    await pki.write("ca", pki.authority.cert);
    const client = await pki.authority.issue({ name: "node" });
    await pki.write("cert", client.cert);
    await pki.write("key", client.key);
    return pki;
  }

  file(name: string): string {
    return `${this.directory}/${name}.pem`;
  }

  async write(name: string, pem: string): Promise<void> {
    await Deno.writeTextFile(this.file(name), pem);
  }

  /** What a client is to be given. */
  get client(): Readonly<Record<"caFile" | "certFile" | "keyFile", string>> {
    return {
      caFile: this.file("ca"),
      certFile: this.file("cert"),
      keyFile: this.file("key"),
    };
  }

  /** How a server speaks that wants to see the client's certificate. */
  async server(): Promise<ServerTls> {
    const certificate = await this.authority.issue({
      name: "server",
      hosts: HOSTS,
    });
    return { ...certificate, clientCa: this.authority.cert };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}
