/**
 * The HTTP server on the agent's control socket.
 *
 * @module
 */

import {
  type Clock,
  describeError,
  isAbort,
  type Logger,
  METRICS_CONTENT_TYPE,
  TaskGroup,
} from "../base/mod.ts";
import { failure, healthAnswer, json, plain, podList } from "./answers.ts";
import { parseLogQuery } from "./log_query.ts";
import { readLog, type ReadLogOptions } from "./log_reader.ts";
import type {
  HealthSource,
  LogSource,
  MetricsSource,
  PodSource,
  SourceListing,
} from "./ports.ts";
import { UnixListener } from "./unix_listener.ts";

/** How soon a socket that was deleted is there again. */
const VISIBLE_PERIOD_MS = 5_000;

/** What the control server answers from. */
export interface ControlServerDeps {
  readonly pods: PodSource;
  readonly sources: SourceListing;
  readonly health: HealthSource;
  readonly metrics: MetricsSource;
  readonly logs: LogSource;
  /** The body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where the control server listens. */
export interface ControlServerOptions {
  readonly path: string;
  /** The name under which the socket is made before it is shown. */
  readonly stagingPath: string;
}

/**
 * Answers clients on the same machine until it is disposed.
 *
 * Only the socket's owner can connect, since the socket is never shown with
 * another mode than 0600. Disposing ends open streams and removes the socket.
 */
export class ControlServer implements AsyncDisposable {
  readonly #listen: () => Promise<UnixListener>;
  readonly #tasks = new TaskGroup(new AbortController().signal);
  #listener: UnixListener;

  private constructor(
    listener: UnixListener,
    listen: () => Promise<UnixListener>,
  ) {
    this.#listener = listener;
    this.#listen = listen;
  }

  /**
   * Binds the socket, taking the place of one that a dead agent left.
   *
   * @throws {UnixListenError} When another process listens there.
   */
  static async start(
    options: ControlServerOptions,
    deps: ControlServerDeps,
  ): Promise<ControlServer> {
    const listen = () =>
      UnixListener.start(
        options,
        (request, signal) => answer(request, { deps, signal }),
      );
    const server = new ControlServer(await listen(), listen);
    server.#tasks.start((signal) => server.#stayVisible(deps, signal));
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks[Symbol.asyncDispose]();
    await this.#listener[Symbol.asyncDispose]();
  }

  /** Makes the socket again when somebody has deleted it. */
  async #stayVisible(
    deps: Pick<ControlServerDeps, "clock" | "log">,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      await deps.clock.sleep(VISIBLE_PERIOD_MS, signal);
      try {
        if (await this.#listener.isShown()) continue;
        await this.#listener[Symbol.asyncDispose]();
        this.#listener = await this.#listen();
        deps.log.warn("control_socket_made_again");
      } catch (error) {
        deps.log.warn("control_socket_missing", { error });
      }
    }
  }
}

interface Context {
  readonly deps: ControlServerDeps;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
}

async function answer(request: Request, context: Context): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return failure(
      405,
      "MethodNotAllowed",
      `Cannot answer ${request.method}: wanted GET`,
    );
  }
  const url = new URL(request.url);
  try {
    const names = url.pathname.split("/").slice(1).map(decodeURIComponent);
    if (request.method === "HEAD" && names[0] === "containerLogs") {
      // Nobody would read the log to its end and let go of the file.
      return failure(405, "MethodNotAllowed", "Cannot answer HEAD: wanted GET");
    }
    return await route(names, url, context);
  } catch (error) {
    if (error instanceof URIError) {
      return failure(400, "BadRequest", "Cannot read the path: bad escape");
    }
    const { log } = context.deps;
    log.error("control_request_failed", { path: url.pathname, error });
    return failure(500, "InternalError", describeError(error));
  }
}

async function route(
  names: readonly string[],
  url: URL,
  context: Context,
): Promise<Response> {
  const { deps } = context;
  const [first, second, third, fourth, fifth, sixth, ...rest] = names;
  switch (names.length > 0 && rest.length === 0 ? names.length : 0) {
    case 1:
      if (first === "healthz") {
        const verbose = url.searchParams.has("verbose");
        return healthAnswer(deps.health, { reasons: true, verbose });
      }
      if (first === "metrics") {
        return plain(deps.metrics.render(), { type: METRICS_CONTENT_TYPE });
      }
      if (first === "version") return json(deps.version);
      if (first === "sources") return listSources(deps);
      break;
    case 3:
      if (first === "api" && second === "v1" && third === "pods") {
        return listPods(url.searchParams.get("namespace"), deps);
      }
      break;
    case 4:
      if (first === "containerLogs") {
        const [, namespace = "", pod = "", container = ""] = names;
        return await containerLog({ namespace, pod, container }, url, context);
      }
      break;
    case 5:
    case 6:
      if (
        first === "api" && second === "v1" && third === "namespaces" &&
        fifth === "pods"
      ) {
        const namespace = fourth ?? "";
        return sixth === undefined
          ? listPods(namespace, deps)
          : getPod(namespace, sixth, deps);
      }
  }
  return failure(404, "NotFound", `Cannot find "${url.pathname}"`);
}

function listPods(
  namespace: string | null,
  deps: ControlServerDeps,
): Response {
  const pods = deps.pods.pods();
  // As with the API server, an empty namespace means all of them.
  return podList(
    namespace === null || namespace === ""
      ? pods
      : pods.filter(({ metadata }) => metadata.namespace === namespace),
  );
}

function listSources(deps: ControlServerDeps): Response {
  const items = deps.sources.sources();
  return json({ apiVersion: "skerry.dev/v1alpha1", kind: "SourceList", items });
}

function getPod(
  namespace: string,
  name: string,
  deps: ControlServerDeps,
): Response {
  const pod = deps.pods.pods().find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === name
  );
  return pod === undefined
    ? failure(404, "NotFound", `pods "${name}" not found`)
    : json(pod);
}

interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

async function containerLog(
  name: ContainerName,
  url: URL,
  context: Context,
): Promise<Response> {
  const parsed = parseLogQuery(url.searchParams);
  if (parsed.kind === "refused") {
    return failure(400, "BadRequest", parsed.message);
  }
  const { query } = parsed;
  const { previous } = query;
  const location = await context.deps.logs.locate({ ...name, previous });
  switch (location.kind) {
    case "not_found":
      return failure(404, "NotFound", location.message);
    case "not_started":
      return failure(400, "BadRequest", location.message);
    case "found":
      // A broken answer would be all that could be said later.
      if (!await isThere(location.path)) {
        return failure(
          404,
          "NotFound",
          `Cannot find the log "${location.path}"`,
        );
      }
      return streamLog({ ...query, ...location }, context);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function streamLog(options: ReadLogOptions, context: Context): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, context.signal]);
  const pieces = readLog(options, context.deps, signal);
  const { log } = context.deps;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      try {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        // The agent stops: what was read so far is all there will be.
        if (isAbort(error, signal)) {
          if (!gone.signal.aborted) controller.close();
          return;
        }
        log.warn("log_stream_failed", { path: options.path, error });
        controller.error(error);
      }
    },
    async cancel(): Promise<void> {
      gone.abort();
      await pieces.return();
    },
  });
  return new Response(body, { headers: { "content-type": "text/plain" } });
}
