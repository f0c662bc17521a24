/**
 * Pods of a URL, for a whole agent.
 *
 * @module
 */

import type { RawServer } from "../peers/manifest_server.ts";
import { CoreRig } from "./core_rig.ts";

/** A server of pods that can be cut off. */
export class PodServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  pods: readonly unknown[];
  isCut = false;

  constructor(...pods: readonly unknown[]) {
    this.pods = pods;
    const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
    this.#server = Deno.serve(options, () => {
      if (this.isCut) return new Response("away", { status: 503 });
      const items = this.pods;
      return Response.json({ apiVersion: "v1", kind: "PodList", items });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** What an agent is started with. */
  get flags(): readonly string[] {
    return [`--manifest-url=${this.url}`];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** A whole answer of HTTP: a PodList, or a List where not all are pods. */
export function listAnswer(
  ...items: readonly Readonly<Record<string, unknown>>[]
): string {
  const isPods = items.every((item) => item["kind"] === "Pod");
  const kind = isPods ? "PodList" : "List";
  const body = JSON.stringify({ apiVersion: "v1", kind, items });
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** An agent that asks a server every two seconds. */
export async function startWithUrl(server: RawServer): Promise<CoreRig> {
  const url = `http://localhost:${server.port}/m`;
  const flags = [`--manifest-url=${url}`, "--http-check-frequency=2s"];
  return await CoreRig.start({ flags });
}
