/**
 * Calls and streams to one API server.
 *
 * @module
 */

import { type Clock, jitter, type Random, TaskGroup } from "../../base/mod.ts";
import { describeError } from "../../base/text/mod.ts";
import type {
  Counter,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import { ApiFailure } from "../../api/access/mod.ts";
import type { KubeIdentity } from "../config/mod.ts";
import { decodeJson, readBody } from "./answer_body.ts";
import type { ApiLane } from "./api_lane.ts";
import { CallLimit } from "./call_limit.ts";
import { FRESH_MS, IdentityKeeper } from "./identity_keeper.ts";
import { LanePool, RENEWED } from "./lane_pool.ts";
import { openConnection } from "./open_connection.ts";
import type { IdentitySource, OpenConnection } from "./ports.ts";
import { retryAfterOf } from "./retry_after.ts";
import { statusFailure } from "./status_failure.ts";

/** One thing to ask of an API server. */
export interface ApiRequest {
  /** For messages: `list pods`. */
  readonly what: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/v1/pods` */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Is sent as JSON. */
  readonly body?: unknown;
  /** Of the body. @default "application/json" */
  readonly contentType?: string;
  /** For all of a call, and for the head of a stream. */
  readonly timeoutMs: number;
  /** A longer answer fails the call; a stream has no such bound. */
  readonly maxBytes: number;
  /**
   * Whether the call is made again, within its time, when the server asks for that by
   * `Retry-After`.
   *
   * @default false
   */
  readonly obeysRetryAfter?: boolean;
}

/** What speaks to an API server. */
export interface ApiCaller {
  /**
   * Asks and gives the decoded answer.
   *
   * @throws {ApiFailure} When the server refuses, cannot be reached in time, or answers garbage.
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  call(request: ApiRequest, signal: AbortSignal): Promise<unknown>;
  /**
   * Asks and gives the body piece by piece. The sequence ends when the server ends it, when
   * `signal` aborts or when credentials have changed; it must be read, or the signal
   * aborted.
   *
   * @throws {ApiFailure} As a call; by the sequence, when the connection breaks.
   */
  stream(
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** What a transport works with. */
export interface KubeTransportDeps {
  readonly source: IdentitySource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** @default the platform's HTTP client */
  readonly open?: OpenConnection;
}

/** client-go's limit of tries that a server may ask for. */
const MAX_TRIES = 10;

/** So that many do not come back together. */
const RETRY_JITTER = .2;

/** A server that wishes for nothing is not asked again at once. */
const LEAST_WAIT_MS = 1_000;

const MAX_REFUSAL_BYTES = 64 * 1024;

/** What a request needs on its way. */
interface Asking {
  readonly request: ApiRequest;
  readonly limit: CallLimit;
  readonly isStream: boolean;
}

/** An answer whose body is still to come. */
interface OpenAnswer {
  readonly response: Response;
  readonly lane: ApiLane;
  /** Disposed when the body is read. */
  readonly use: Disposable;
}

/**
 * Speaks to one API server. Each call has a time, each answer a bound; a connection that
 * has died in silence is noticed within 45 s and left, with all that streams over it.
 *
 * Redirects are not followed: what authenticates the agent goes to the server of the
 * kubeconfig and nowhere else. No message names a secret.
 */
export class KubeTransport implements ApiCaller, AsyncDisposable {
  readonly #deps: KubeTransportDeps;
  readonly #userAgent: string;
  readonly #tasks: TaskGroup;
  readonly #pool: LanePool;
  readonly #keeper: IdentityKeeper;
  readonly #requests: Counter;
  #streams = 0;
  #refresh: Disposable | undefined;

  /** @param options.userAgent who the server is told that asks */
  constructor(
    deps: KubeTransportDeps,
    { userAgent }: { readonly userAgent: string },
  ) {
    const { source, clock, open = openConnection } = deps;
    this.#deps = deps;
    this.#userAgent = userAgent;
    this.#tasks = new TaskGroup(new AbortController().signal);
    const log = deps.log.named("kube");
    const tasks = this.#tasks;
    this.#pool = new LanePool({ clock, tasks, log, open });
    const pool = this.#pool;
    this.#keeper = new IdentityKeeper({ source, pool, clock, tasks, log });
    this.#requests = deps.metrics.counter(
      "skerry_api_requests_total",
      "Answers of the API server by method and status code; 0 for none",
      ["method", "code"],
    );
  }

  /** The URL of the server that is asked; absent before its kubeconfig could be read. */
  get server(): string | undefined {
    return this.#pool.identity?.server;
  }

  async call(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    using limit = this.#limit(request, signal);
    for (let tries = 1;; tries++) {
      try {
        return await this.#callOnce({ request, limit, isStream: false });
      } catch (error) {
        const waitMs = request.obeysRetryAfter === true && tries < MAX_TRIES
          ? this.#wish(error)
          : undefined;
        if (waitMs === undefined || waitMs >= limit.leftMs) throw error;
        await this.#deps.clock.sleep(waitMs, limit.signal);
      }
    }
  }

  async stream(
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const limit = this.#limit(request, signal);
    try {
      const answer = await this.#open({ request, limit, isStream: true });
      limit.unbounded();
      return this.#pieces(answer, { request, limit, isStream: true });
    } catch (error) {
      limit.end(error);
      limit[Symbol.dispose]();
      throw error;
    }
  }

  /** Reads credentials now, which have changed. */
  async refresh(signal: AbortSignal): Promise<void> {
    await this.#keeper.read(signal);
  }

  /** Ends all streams, and waits until nothing is under way in the background. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#refresh?.[Symbol.dispose]();
    this.#pool[Symbol.dispose]();
    await this.#tasks[Symbol.asyncDispose]();
  }

  #limit({ what, timeoutMs }: ApiRequest, signal: AbortSignal): CallLimit {
    const limit = new CallLimit(this.#deps.clock, signal);
    limit.within(timeoutMs, () => {
      const seconds = timeoutMs / 1000;
      const found = `there was no whole answer within ${seconds} s`;
      return new ApiFailure("Timeout", `Cannot ${what}: ${found}`);
    });
    return limit;
  }

  #wish(error: unknown): number | undefined {
    const waitMs = error instanceof ApiFailure ? error.retryAfterMs : undefined;
    return waitMs === undefined ? undefined : jitter(
      this.#deps.random,
      Math.max(waitMs, LEAST_WAIT_MS),
      RETRY_JITTER,
    );
  }

  async #callOnce(asking: Asking): Promise<unknown> {
    const { what, maxBytes } = asking.request;
    const { response, lane, use } = await this.#open(asking);
    using _use = use;
    const beganMs = this.#deps.clock.monotonic();
    const heard = (): void => lane.vigil.heard();
    let body: Uint8Array | undefined;
    try {
      body = await readBody(response, { maxBytes, heard });
    } catch (error) {
      throw failureOf(error, asking, { lane, beganMs });
    }
    if (body === undefined) {
      throw garbage(what, `the answer is longer than ${maxBytes} bytes`);
    }
    const value = decodeJson(body);
    if (value === undefined) throw garbage(what, "the answer is no JSON");
    return value;
  }

  /** Asks until there is an answer that is no refusal; once more with other credentials. */
  async #open(asking: Asking): Promise<OpenAnswer> {
    const { signal } = asking.limit;
    let identity = await this.#keeper.current(signal);
    for (let isSecond = false;; isSecond = true) {
      const sinceMs = this.#deps.clock.monotonic();
      const answer = await this.#send(asking, identity);
      if (answer.response.ok) return answer;
      using _use = answer.use;
      const failure = await this.#refusal(answer, asking.request);
      if (asking.limit.isUnwanted) throw signal.reason;
      const renewed = failure.reason === "Unauthorized" && !isSecond
        ? await this.#keeper.renewed({ identity, sinceMs }, signal)
        : undefined;
      if (renewed === undefined) throw failure;
      identity = renewed;
    }
  }

  async #send(asking: Asking, identity: KubeIdentity): Promise<OpenAnswer> {
    const { request, limit } = asking;
    const { method, path, query = {}, body } = request;
    const lane = this.#pool[asking.isStream ? "forStream" : "forCall"]();
    const use = asking.isStream ? this.#join(lane, limit) : lane.use();
    const search = new URLSearchParams(query).toString();
    const beganMs = this.#deps.clock.monotonic();
    const place = search === "" ? path : `${path}?${search}`;
    try {
      const response = await lane.connection.fetch(identity.server + place, {
        method,
        headers: this.#headers(request, identity),
        ...body !== undefined && { body: JSON.stringify(body) },
        signal: limit.signal,
      });
      lane.vigil.heard();
      this.#requests.inc({ method, code: `${response.status}` });
      return { response, lane, use };
    } catch (error) {
      use[Symbol.dispose]();
      this.#requests.inc({ method, code: "0" });
      throw failureOf(error, asking, { lane, beganMs });
    }
  }

  #headers(
    { body, contentType = "application/json" }: ApiRequest,
    { token }: KubeIdentity,
  ): Readonly<Record<string, string>> {
    return {
      "accept": "application/json",
      "user-agent": this.#userAgent,
      ...body !== undefined && { "content-type": contentType },
      ...token && { "authorization": `Bearer ${token.reveal()}` },
    };
  }

  /** A stream's place on a connection; it is left when the stream ends, however it does. */
  #join(lane: ApiLane, limit: CallLimit): Disposable {
    const joined = lane.join(limit);
    this.#streams++;
    this.#watchCredentials();
    let isOpen = true;
    const leave = (): void => {
      if (!isOpen) return;
      isOpen = false;
      joined[Symbol.dispose]();
      this.#pool.leave(lane);
      this.#streams--;
    };
    limit.signal.addEventListener("abort", leave, { once: true });
    return { [Symbol.dispose]: leave };
  }

  /** Streams may be all that there is for a long time: nothing else asks for credentials. */
  #watchCredentials(): void {
    if (this.#refresh !== undefined) return;
    this.#refresh = this.#deps.clock.after(FRESH_MS, () => {
      this.#refresh = undefined;
      if (this.#streams === 0) return;
      // It is awaited by the group.
      void this.#tasks.start(async (signal) => {
        await this.#keeper.current(signal);
        this.#watchCredentials();
      });
    });
  }

  async #refusal(
    { response, lane }: OpenAnswer,
    { what }: ApiRequest,
  ): Promise<ApiFailure> {
    const { status: code, headers } = response;
    if (code < 400) {
      await response.body?.cancel();
      const wanted = "wanted an answer of its own";
      return garbage(what, `the API server answered ${code}, ${wanted}`);
    }
    const nowMs = this.#deps.clock.now();
    const retryAfterMs = code === 429 || code >= 500
      ? retryAfterOf(headers.get("retry-after"), nowMs)
      : undefined;
    const heard = (): void => lane.vigil.heard();
    const options = { maxBytes: MAX_REFUSAL_BYTES, heard };
    // The status says enough when the body is too long, or breaks off.
    const body = await readBody(response, options).catch(() => undefined);
    const wire = body && decodeJson(body);
    return statusFailure(wire, { what, code, retryAfterMs });
  }

  async *#pieces(
    { response, lane }: OpenAnswer,
    asking: Asking,
  ): AsyncGenerator<Uint8Array> {
    const { limit } = asking;
    const beganMs = this.#deps.clock.monotonic();
    try {
      for await (const piece of response.body ?? []) {
        lane.vigil.heard();
        yield piece;
      }
    } catch (error) {
      if (limit.isUnwanted || limit.signal.reason === RENEWED) return;
      throw failureOf(error, asking, { lane, beganMs });
    } finally {
      // With this it leaves its place, too.
      limit.end(ENDED);
      limit[Symbol.dispose]();
    }
  }
}

const ENDED: unknown = new DOMException("The stream has ended", "AbortError");

/** What is thrown when a call or a stream broke. */
function failureOf(
  error: unknown,
  { request, limit }: Asking,
  at: { readonly lane: ApiLane; readonly beganMs: number },
): unknown {
  const { what } = request;
  const { signal } = limit;
  if (!signal.aborted) return unreachable(what, wordsOf(error));
  if (signal.reason === RENEWED) {
    return unreachable(what, "the credentials have changed meanwhile");
  }
  // Its time is over: a slow server, or one that is not there any more.
  if (!limit.isUnwanted) at.lane.vigil.suspect(at.beganMs);
  return signal.reason;
}

/** What broke, without the address, which the kubeconfig has. */
function wordsOf(error: unknown): string {
  const text = describeError(error);
  const at = text.indexOf("client error");
  return at < 0 ? text : text.slice(at);
}

function unreachable(what: string, found: string): ApiFailure {
  return new ApiFailure("Unreachable", `Cannot ${what}: ${found}`);
}

function garbage(what: string, found: string): ApiFailure {
  return new ApiFailure("Garbage", `Cannot ${what}: ${found}`);
}
