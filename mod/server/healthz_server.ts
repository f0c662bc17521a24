/**
 * The health endpoint for supervisors, on loopback TCP.
 *
 * @module
 */

import { failure, healthAnswer } from "./answers.ts";
import type { HealthSource } from "./ports.ts";

/** Where the health endpoint listens. */
export interface HealthzServerOptions {
  readonly address: string;
  /** 0 turns the endpoint off. */
  readonly port: number;
}

/** Answers `/healthz` and nothing else until it is disposed. */
export class HealthzServer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(server: Deno.HttpServer<Deno.NetAddr>) {
    this.#server = server;
  }

  /**
   * Starts listening; returns `undefined` when the endpoint is off.
   *
   * @throws {Deno.errors.AddrInUse} When the port is taken.
   */
  static start(
    options: HealthzServerOptions,
    health: HealthSource,
  ): HealthzServer | undefined {
    if (options.port === 0) return undefined;
    return HealthzServer.listen(options, health);
  }

  /** Starts listening, with port 0 on any free one. */
  static listen(
    options: HealthzServerOptions,
    health: HealthSource,
  ): HealthzServer {
    const server = Deno.serve(
      { hostname: options.address, port: options.port, onListen: () => {} },
      (request) => answer(request, health),
    );
    return new HealthzServer(server);
  }

  /** The port on which it listens. */
  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function answer(request: Request, health: HealthSource): Response {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return failure(
      405,
      "MethodNotAllowed",
      `Cannot answer ${request.method}: wanted GET`,
    );
  }
  const url = new URL(request.url);
  if (url.pathname !== "/healthz") {
    return failure(404, "NotFound", `Cannot find "${url.pathname}"`);
  }
  const verbose = url.searchParams.has("verbose");
  // Anybody on the machine can ask here: reasons stay on the control socket.
  return healthAnswer(health, { reasons: false, verbose });
}
