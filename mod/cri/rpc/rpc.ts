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
import { RuntimeOperations } from "./runtime_operations.ts";
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
  method: ServiceMethod<Request, Answer>,
  request: Request,
  options:
    | Pick<RpcOptions, "signal"> & { readonly extraMs?: number }
    | undefined,
) => Promise<Answer>;

/** Calls of a service that may take so long unless they say otherwise. */
export function callsWithin(
  rpc: Rpc,
  service: { readonly fullName: string },
  timeoutMs: number,
): Call {
  return (method, request, { signal, extraMs = 0 } = {}) => {
    const options = { deadlineMs: timeoutMs + extraMs, signal };
    return rpc.call(methodOf(service, method), request, options);
  };
}

/** Makes calls on a channel and measures them. */
export class Rpc {
  readonly #channel: Promise<ByteChannel>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #durations: Histogram;
  readonly #errors: Counter;
  readonly #operations: RuntimeOperations;

  constructor(channel: Promise<ByteChannel>, deps: RpcDeps) {
    this.#channel = channel;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#durations = deps.metrics.histogram(
      "skerry_cri_request_duration_seconds",
      "How long calls to the container runtime took, failed ones included.",
      { buckets: DURATION_BUCKETS_SECONDS, labelNames: ["method"] },
    );
    this.#operations = new RuntimeOperations(deps);
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
        method.requestType.encode(request).finish(),
        { signal: limit?.signal ?? signal, metadata: method.metadata },
      );
      const answer = method.responseType.decode(bytes);
      const elapsedMs = this.#measure(method, { startMs, isFailed: false });
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
      this.#measure(method, { startMs, isFailed: true });
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
      const bytes = method.requestType.encode(request).finish();
      for await (const answer of channel.stream(method.path, bytes, signal)) {
        yield method.responseType.decode(answer);
      }
    } catch (error) {
      const facts = { method: method.name, signal, expiredMs: undefined };
      throw this.#fail(translateFailure(error, facts));
    }
  }

  #measure(
    method: { readonly name: string; readonly path: string },
    call: { readonly startMs: number; readonly isFailed: boolean },
  ): number {
    const elapsedMs = this.#clock.monotonic() - call.startMs;
    this.#durations.observe(elapsedMs / 1000, { method: method.name });
    const { isFailed } = call;
    this.#operations.ended(method, { tookMs: elapsedMs, isFailed });
    return elapsedMs;
  }

  #fail(error: CriError): CriError {
    const { method, kind } = error;
    // A cancelled call is no error.
    if (kind !== "cancelled") this.#errors.inc({ method, kind });
    // What a registry says may repeat the login; who gave it takes that out and says the rest.
    const said = method === "PullImage" ? {} : { error };
    this.#log.debug("cri_call_failed", { method, kind, ...said });
    return error;
  }
}

/** A method as the generated code has it: the messages that it takes and gives. */
export interface ServiceMethod<Request, Answer> {
  /** As the CRI spells it: for errors, metrics and logs. */
  readonly name: string;
  readonly requestType: Pick<MessageFns<Request>, "encode">;
  readonly responseType: { decode(bytes: Uint8Array): Answer };
}

/** A method that can be called. */
export interface Method<Request, Answer>
  extends ServiceMethod<Request, Answer> {
  readonly path: string;
  /** Headers of the call, by lower-case names; the CRI needs none. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A method of a service. */
export function methodOf<Request, Answer>(
  service: { readonly fullName: string },
  method: ServiceMethod<Request, Answer>,
): Method<Request, Answer> {
  return { ...method, path: `/${service.fullName}/${method.name}` };
}
