/**
 * The health endpoint for supervisors, on loopback TCP.
 *
 * @module
 */

import { failure, refuseMethod } from "./answer/mod.ts";
import { healthAnswer } from "./answers.ts";
import type { ConnectionDeps } from "./http_connection.ts";
import { HttpListener } from "./http_listener.ts";
import type { HttpQuestion } from "./http_question.ts";
import type { HealthSource } from "./ports.ts";

/** Where the health endpoint listens. */
export interface HealthzServerOptions {
  readonly address: string;
  /** 0 turns the endpoint off. */
  readonly port: number;
}

/** What the health endpoint answers from. */
export interface HealthzServerDeps extends Omit<ConnectionDeps, "handler"> {
  readonly health: HealthSource;
}

/** Answers `/healthz` and nothing else until it is disposed. */
export class HealthzServer extends HttpListener {
  /** The port on which it listens. */
  readonly port: number;

  private constructor(listener: Deno.TcpListener, deps: HealthzServerDeps) {
    const { health } = deps;
    super(listener, {
      ...deps,
      handler: (question) => Promise.resolve(answer(question, health)),
    });
    this.port = listener.addr.port;
  }

  /**
   * Starts listening; returns `undefined` when the endpoint is off.
   *
   * @throws {Deno.errors.AddrInUse} When the port is taken.
   */
  static start(
    options: HealthzServerOptions,
    deps: HealthzServerDeps,
  ): HealthzServer | undefined {
    if (options.port === 0) return undefined;
    return HealthzServer.listen(options, deps);
  }

  /** Starts listening, with port 0 on any free one. */
  static listen(
    { address: hostname, port }: HealthzServerOptions,
    deps: HealthzServerDeps,
  ): HealthzServer {
    return new HealthzServer(Deno.listen({ hostname, port }), deps);
  }
}

function answer(question: HttpQuestion, health: HealthSource): Response {
  const { method, url } = question;
  if (method !== "GET" && method !== "HEAD") return refuseMethod(method);
  if (url.pathname !== "/healthz") {
    return failure("NotFound", `Cannot find "${url.pathname}"`);
  }
  const verbose = url.searchParams.has("verbose");
  // Any user of the machine can ask here: reasons stay on the control socket.
  return healthAnswer(health, { reasons: false, verbose });
}
