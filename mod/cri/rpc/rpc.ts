/**
 * The one way every call takes: deadline, metrics, log, and one kind of error.
 *
 * @module
 */

import type { MessageFns } from "../../../proto/gen/runtime/v1/api.ts";
import { type Clock, deadline } from "../../base/mod.ts";
import type {
  Counter,
  Histogram,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { CriError } from "../model/mod.ts";
import type { ByteChannel } from "./byte_channel.ts";
import { translateFailure } from "./translate_failure.ts";

// From a list of a few rows to a pull: a millisecond to four minutes.
const DURATION_BUCKETS_SECONDS = [
  ...[0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 30, 60, 120, 240],
];

// The relist calls these every second; a line for each would drown the log.
const TICKING: ReadonlySet<string> = new Set([
  "ListPodSandbox",
  "ListContainers",
]);

/** What every part of the connection is made with. */
export interface RpcDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
}

/** How one call is made. */
export interface RpcOptions {
  /** How long the runtime may take; without it the call has no end of its own. */
  readonly deadlineMs?: number;
  /** The caller's: cancels the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes a call that has the common time, or `extraMs` more; `Infinity` for no end. */
export type Call = <Request, Answer>(
  method: Method<Request, Answer>,
  request: Request,
  options:
    | { readonly signal?: AbortSignal; readonly extraMs?: number }
    | undefined,
) => Promise<Answer>;

/** Calls that may take so long unless they say otherwise. */
export function callsWithin(rpc: Rpc, timeoutMs: number): Call {
  return (method, request, { signal, extraMs = 0 } = {}) =>
    rpc.call(method, request, { deadlineMs: timeoutMs + extraMs, signal });
}

/** Makes calls on a channel and measures them. */
export class Rpc {
  readonly #channel: Promise<ByteChannel>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #durations: Histogram;
  readonly #errors: Counter;

  constructor(channel: Promise<ByteChannel>, deps: RpcDeps) {
    this.#channel = channel;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#durations = deps.metrics.histogram(
      "skerry_cri_request_duration_seconds",
      "How long calls to the container runtime took, failed ones included.",
      { buckets: DURATION_BUCKETS_SECONDS, labelNames: ["method"] },
    );
    this.#errors = deps.metrics.counter(
      "skerry_cri_request_errors_total",
      "Calls to the container runtime that failed, by kind of failure.",
      ["method", "kind"],
    );
  }

  /**
   * Makes one call.
   *
   * @throws {CriError} Whatever happens.
   */
  async call<Request, Answer>(
    method: Method<Request, Answer>,
    request: Request,
    options: RpcOptions,
  ): Promise<Answer> {
    const { deadlineMs = Infinity, signal } = options;
    const startMs = this.#clock.monotonic();
    using limit = deadlineMs === Infinity
      ? undefined
      : deadline(this.#clock, deadlineMs, signal);
    try {
      const channel = await this.#channel;
      const bytes = await channel.unary(
        method.path,
        method.request.encode(request).finish(),
        { signal: limit?.signal ?? signal, metadata: method.metadata },
      );
      const answer = method.answer.decode(bytes);
      const elapsedMs = this.#measure(method.name, startMs);
      if (!TICKING.has(method.name)) {
        const shown = Math.round(elapsedMs * 10) / 10;
        this.#log.debug("cri_call_done", {
          method: method.name,
          elapsedMs: shown,
        });
      }
      return answer;
    } catch (error) {
      const expiredMs = limit?.signal.aborted ? deadlineMs : undefined;
      const facts = { method: method.name, signal, expiredMs };
      this.#measure(method.name, startMs);
      throw this.#fail(translateFailure(error, facts));
    }
  }

  /**
   * Yields the answers to one call until the server ends it.
   *
   * @throws {CriError} Also when `signal` aborts.
   */
  async *stream<Request, Answer>(
    method: Method<Request, Answer>,
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Answer> {
    try {
      const channel = await this.#channel;
      const bytes = method.request.encode(request).finish();
      for await (const answer of channel.stream(method.path, bytes, signal)) {
        yield method.answer.decode(answer);
      }
    } catch (error) {
      const facts = { method: method.name, signal, expiredMs: undefined };
      throw this.#fail(translateFailure(error, facts));
    }
  }

  #measure(method: string, startMs: number): number {
    const elapsedMs = this.#clock.monotonic() - startMs;
    this.#durations.observe(elapsedMs / 1000, { method });
    return elapsedMs;
  }

  #fail(error: CriError): CriError {
    const { method, kind } = error;
    // A cancelled call is no error.
    if (kind !== "cancelled") this.#errors.inc({ method, kind });
    this.#log.debug("cri_call_failed", { method, kind, error });
    return error;
  }
}

/** A method with the messages that it takes and gives. */
export interface Method<Request, Answer> {
  /** As the CRI spells it: for errors, metrics and logs. */
  readonly name: string;
  readonly path: string;
  /** Headers of the call, by lower-case names; the CRI needs none. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly request: Pick<MessageFns<Request>, "encode">;
  readonly answer: { decode(bytes: Uint8Array): Answer };
}

/**
 * A method of the runtime service.
 *
 * Each client names only the methods that it calls, so that a bundle leaves out
 * the messages of all others.
 */
export function runtimeMethod<Request, Answer>(
  name: string,
  request: Method<Request, Answer>["request"],
  answer: Method<Request, Answer>["answer"],
): Method<Request, Answer> {
  return { name, path: `/runtime.v1.RuntimeService/${name}`, request, answer };
}

/** A method of the image service. */
export function imageMethod<Request, Answer>(
  name: string,
  request: Method<Request, Answer>["request"],
  answer: Method<Request, Answer>["answer"],
): Method<Request, Answer> {
  return { name, path: `/runtime.v1.ImageService/${name}`, request, answer };
}
