/**
 * The HTTP server on the agent's control socket.
 *
 * @module
 */

import { hasFailed, selectionFilter } from "../api/access/mod.ts";
import { lastingPod } from "../api/vocabulary/mod.ts";
import { type Clock, Semaphore, TaskGroup } from "../base/mod.ts";
import { describeError } from "../base/text/mod.ts";
import { type Logger, METRICS_CONTENT_TYPE } from "../base/telemetry/mod.ts";
import {
  failure,
  json,
  plain,
  QueryError,
  refuseMethod,
  stream,
} from "./answer/mod.ts";
import { healthAnswer, podList } from "./answers.ts";
import { parseEventQuery } from "./event_query.ts";
import { OPEN_WATCHES, watchEvents } from "./event_watch.ts";
import type { HttpQuestion } from "./http_question.ts";
import {
  answerObjects,
  OPEN_OBJECT_WATCHES,
  parseObjectPath,
} from "./objects/mod.ts";
import { parseLogQuery } from "./log_query.ts";
import { hasLog, readLog } from "./log_reader.ts";
import type { AgentView, NodeStats } from "./ports.ts";
import { resourceMetrics } from "./resource_metrics.ts";
import { statsSummary } from "./stats_summary.ts";
import {
  UnixListener,
  UnixListenError,
  type UnixListenOptions,
} from "./unix_listener.ts";

/** How soon a socket that was deleted is there again. */
const VISIBLE_PERIOD_MS = 5_000;

/** What the control server answers from. */
export interface ControlServerDeps {
  readonly view: AgentView;
  /** The body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Logger;
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
  #listener: UnixListener | undefined;

  private constructor(listen: () => Promise<UnixListener>) {
    this.#listen = listen;
  }

  /**
   * Binds the socket, taking the place of one that a dead agent left. Where none can
   * be made, on a disk that is read-only for example, it tries again and again.
   *
   * @throws {UnixListenError} When another process listens there.
   */
  static async start(
    options: UnixListenOptions,
    deps: ControlServerDeps,
  ): Promise<ControlServer> {
    const watches = new Semaphore(OPEN_WATCHES);
    const objectWatches = new Semaphore(OPEN_OBJECT_WATCHES);
    const listen = () =>
      UnixListener.start(options, {
        ...deps,
        handler: (question, signal) =>
          answer(question, { deps, watches, objectWatches, signal }),
      });
    const server = new ControlServer(listen);
    try {
      server.#listener = await listen();
    } catch (error) {
      if (error instanceof UnixListenError) throw error;
      deps.log.error("control_socket_missing", { error });
    }
    server.#tasks.start((signal) => server.#stayVisible(deps, signal));
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tasks[Symbol.asyncDispose]();
    await this.#listener?.[Symbol.asyncDispose]();
  }

  /** Makes the socket again when it was deleted. */
  async #stayVisible(
    deps: Pick<ControlServerDeps, "clock" | "log">,
    signal: AbortSignal,
  ): Promise<void> {
    let isLogged = this.#listener === undefined;
    for (;;) {
      await deps.clock.sleep(VISIBLE_PERIOD_MS, signal);
      try {
        if (await this.#listener?.isShown()) continue;
        await this.#listener?.[Symbol.asyncDispose]();
        this.#listener = await this.#listen();
        isLogged = false;
        deps.log.warn("control_socket_made_again");
      } catch (error) {
        if (!isLogged) deps.log.warn("control_socket_missing", { error });
        isLogged = true;
      }
    }
  }
}

interface RequestContext {
  readonly deps: ControlServerDeps;
  readonly watches: Semaphore;
  readonly objectWatches: Semaphore;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
}

async function answer(
  question: HttpQuestion,
  context: RequestContext,
): Promise<Response> {
  const { method, url } = question;
  if (method !== "GET" && method !== "HEAD") return refuseMethod(method);
  try {
    const names = url.pathname.split("/").slice(1).map(decodeURIComponent);
    const isStream = names[0] === "containerLogs" ||
      (names[0]?.startsWith("api") && url.searchParams.has("watch"));
    if (method === "HEAD" && isStream) {
      // The stream would never be read to its end, so its source would stay open.
      return refuseMethod(method);
    }
    return await route(names, url, context);
  } catch (error) {
    if (error instanceof URIError) {
      return failure("BadRequest", "Cannot read the path: bad escape");
    }
    const isBad = error instanceof QueryError || hasFailed(error, "BadRequest");
    if (isBad) return failure("BadRequest", error.message);
    const { log } = context.deps;
    log.error("control_request_failed", { path: url.pathname, error });
    return failure("InternalError", describeError(error));
  }
}

interface RoutedRequest extends RequestContext {
  /** The names at the stars of the path. */
  readonly names: readonly string[];
  readonly query: URLSearchParams;
}

type Handler = (request: RoutedRequest) => Response | Promise<Response>;

/** What each path answers; a star stands for any name. */
const ROUTES: readonly (readonly [path: string, handler: Handler])[] = [
  ["healthz", ({ deps, query }) => {
    const verbose = query.has("verbose");
    return healthAnswer(deps.view, { reasons: true, verbose });
  }],
  ["metrics", ({ deps }) => metrics(deps.view.metrics())],
  ["metrics/probes", ({ deps }) => metrics(deps.view.probeMetrics())],
  ["metrics/resource", async ({ deps }) => {
    return metrics(resourceMetrics(await statsIfAny(deps)));
  }],
  ["stats/summary", async ({ deps, query }) => {
    const storage = query.get("only_cpu_and_memory") !== "true";
    const stats = await deps.view.stats(storage ? "all" : "memory");
    return json(statsSummary(stats, { storage }));
  }],
  ["version", ({ deps }) => json(deps.version)],
  ["sources", ({ deps }) =>
    json({
      apiVersion: "skerry.dev/v1alpha1",
      kind: "SourceList",
      items: deps.view.sources(),
    })],
  ["images", async ({ deps }) =>
    json({
      apiVersion: "skerry.dev/v1alpha1",
      kind: "ImageList",
      items: await deps.view.images(),
    })],
  [
    "reports/*/*",
    ({ deps, names: [namespace = "", name = ""] }) =>
      podAnswer(deps.view.report(namespace, name), name),
  ],
  ["containerLogs/*/*/*", containerLog],
  ["api/v1/events", answerEvents],
  ["api/v1/namespaces/*/events", answerEvents],
  ["api/v1/pods", listPods],
  ["api/v1/namespaces/*/pods", listPods],
  ["api/v1/namespaces/*/pods/*", getPod],
];

async function route(
  parts: readonly string[],
  url: URL,
  context: RequestContext,
): Promise<Response> {
  for (const [path, handler] of ROUTES) {
    const wanted = path.split("/");
    const isMatch = wanted.length === parts.length &&
      wanted.every((each, at) => each === "*" || each === parts[at]);
    if (!isMatch) continue;
    const names = parts.filter((_, at) => wanted[at] === "*");
    return await handler({ ...context, names, query: url.searchParams });
  }
  const objectPath = parseObjectPath(parts);
  if (objectPath !== undefined) {
    const { deps: { view: { objects }, log }, objectWatches, signal } = context;
    return await answerObjects(
      { path: objectPath, query: url.searchParams },
      { objects, watches: objectWatches, log },
      signal,
    );
  }
  return failure("NotFound", `Cannot find "${url.pathname}"`);
}

/** As upstream, the metrics say that there are no figures. */
async function statsIfAny(
  { view, log }: Pick<ControlServerDeps, "view" | "log">,
): Promise<NodeStats | undefined> {
  try {
    return await view.stats("memory");
  } catch (error) {
    log.warn("stats_not_measured", { error });
    return undefined;
  }
}

function metrics(text: string): Response {
  return plain(text, { type: METRICS_CONTENT_TYPE });
}

async function answerEvents(
  { deps: { view, log }, watches, signal, names, query }: RoutedRequest,
): Promise<Response> {
  const wanted = parseEventQuery(query, names[0]);
  if (wanted.watch) {
    const deps = { events: view.events, watches, log };
    return await watchEvents(wanted, deps, signal);
  }
  const { resourceVersion, items } = view.events.list();
  return json({
    apiVersion: "v1",
    kind: "EventList",
    metadata: { resourceVersion },
    items: items.filter(wanted.matches),
  });
}

function listPods({ deps, names, query }: RoutedRequest): Response {
  const pods = deps.view.pods();
  // As with the API server, an empty namespace means all of them.
  const isMeant = selectionFilter("Pod", {
    namespace: names[0] ?? query.get("namespace") ?? "",
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
  });
  return podList(isMeant === undefined ? pods : pods.filter(isMeant));
}

function getPod(
  { deps, names: [namespace, name = ""] }: RoutedRequest,
): Response {
  const pod = lastingPod(
    deps.view.pods().filter(({ metadata }) =>
      metadata.namespace === namespace && metadata.name === name
    ),
  );
  return podAnswer(pod, name);
}

function podAnswer(body: unknown, name: string): Response {
  return body === undefined
    ? failure("NotFound", `pods "${name}" not found`)
    : json(body);
}

async function containerLog(
  { names, query: parameters, deps, signal }: RoutedRequest,
): Promise<Response> {
  const [namespace = "", pod = "", container = ""] = names;
  const query = parseLogQuery(parameters, deps.clock.now());
  const { previous } = query;
  const wanted = { namespace, pod, container, previous };
  const location = deps.view.locateLog(wanted);
  switch (location.kind) {
    case "not_found":
      return failure("NotFound", location.message);
    case "not_started":
      return failure("BadRequest", location.message);
    case "found": {
      const { clock, log } = deps;
      const broken = (path: string, error: unknown) =>
        log.warn("rotated_log_unreadable", { path, error });
      const reading = { clock, broken };
      // A broken answer would be all that could be said later.
      if (!await hasLog(location.path, signal)) {
        const message = `Cannot find the log "${location.path}"`;
        return failure("NotFound", message);
      }
      return stream(
        (over) => readLog({ ...query, ...location }, reading, over),
        {
          type: "text/plain",
          signal,
          logFailure: (error) =>
            log.warn("log_stream_failed", { path: location.path, error }),
        },
      );
    }
  }
}
