/**
 * An API server on loopback that does to its clients what a test tells it.
 *
 * What it does without being told is what a real one does, as far as a node needs it:
 * `tests/e2e/cluster/scripted_api_test.ts` asks both the same and compares.
 *
 * @module
 */

import type { ServerResponse } from "node:http";
import { mergePatch } from "../../../mod/api/access/mod.ts";
import { isRecord } from "../../../mod/base/mod.ts";
import { Authority, type Certificate } from "../peers/certificates.ts";
import { type KubeRequest, StagedServer } from "../kube/staged_server.ts";
import { type ApiPath, parseApiPath } from "./api_path.ts";
import { ApiRefusal } from "./api_refusal.ts";
import { kubeconfig, type KubeServer } from "./kubeconfig.ts";
import { LiveApiWatch, selected } from "./live_watch.ts";
import { MemoryObjects } from "./memory_objects.ts";
import {
  FaultScript,
  isWatch,
  type RequestFault,
  type RequestMatch,
  type ScriptedRequest,
} from "./request_fault.ts";
import { isToken, readDeleteWish, readScripted } from "./read_request.ts";
import { ScriptedAnswer } from "./scripted_answer.ts";
import { strategicMerge } from "./strategic_merge.ts";
import { TcpDoor } from "./tcp_door.ts";

/** How a scripted server differs from the usual one. */
export interface ScriptedApiOptions {
  /** Who signs. @default a new one */
  readonly authority?: Authority;
  /** What it shows. @default one of the authority that is well */
  readonly certificate?: Certificate;
  /** What it keeps, for instance what an earlier one kept. */
  readonly objects?: MemoryObjects;
  /** @default one that is free */
  readonly port?: number;
  /** Who has neither one of these nor a certificate of the authority is refused. @default all are let in */
  readonly tokens?: readonly string[];
  /** Its wall clock. @default that of the machine */
  readonly now?: () => number;
  /** Whether a watch can begin with what there is. @default true */
  readonly hasStreams?: boolean;
}

/** A server that belongs to the caller; `await using` ends it and all connections. */
export class ScriptedApi implements AsyncDisposable {
  readonly authority: Authority;
  readonly objects: MemoryObjects;
  /** All requests that came, in order. */
  readonly requests: ScriptedRequest[] = [];
  readonly faults: FaultScript = new FaultScript();
  readonly #options: ScriptedApiOptions;
  readonly #watches: Set<LiveApiWatch> = new Set();
  readonly #held: Set<ServerResponse> = new Set();
  readonly #pages: Map<string, readonly unknown[]> = new Map();
  // The door ends before what is behind it.
  readonly #stack: AsyncDisposableStack = new AsyncDisposableStack();
  #door: TcpDoor | undefined;
  #tokens = 0;

  private constructor(authority: Authority, options: ScriptedApiOptions) {
    this.authority = authority;
    this.objects = options.objects ?? new MemoryObjects(options.now);
    this.#options = options;
  }

  /** Begins to listen. */
  static async start(options: ScriptedApiOptions = {}): Promise<ScriptedApi> {
    const authority = options.authority ?? await Authority.create();
    const api = new ScriptedApi(authority, options);
    const certificate = options.certificate ?? await authority.issue({
      name: "kube-apiserver",
      hosts: ["127.0.0.1", "localhost"],
    });
    const server = await StagedServer.start({ authority, certificate });
    server.answer = (request, response) => {
      void api.#handle(request, response).catch(() => response.destroy());
    };
    api.#stack.use(server);
    api.#door = await TcpDoor.open(server.port, options.port ?? 0);
    api.#stack.use(api.#door);
    return api;
  }

  /** Where it is, and how it is known. */
  get server(): KubeServer {
    const url = `https://127.0.0.1:${this.#opened.port}`;
    return { url, ca: this.authority.cert };
  }

  /** The text of a kubeconfig of a node. */
  async nodeKubeconfig(name: string): Promise<string> {
    const user = await this.authority.issue({
      name: `system:node:${name}`,
      organizations: ["system:nodes"],
    });
    return kubeconfig(this.server, user);
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#watches.size;
  }

  /** The requests as lines: `GET /api/v1/nodes/edge1`. */
  get lines(): readonly string[] {
    return this.requests.map((each) =>
      `${isWatch(each) ? "WATCH" : each.method} ${each.path}`
    );
  }

  /** The next requests that match have a fault. */
  fail(match: RequestMatch, fault: RequestFault): void {
    this.faults.add(match, fault);
  }

  /** From now on nothing comes through, in neither direction, and nobody is told. */
  freeze(): void {
    this.#opened.freeze();
  }

  /** What was held back comes through. */
  thaw(): void {
    this.#opened.thaw();
  }

  /** Ends all connections, and refuses new ones. */
  async shut(): Promise<void> {
    await this.#opened.shut();
  }

  /** Listens again after `shut`. */
  async reopen(): Promise<void> {
    await this.#opened.reopen();
  }

  /** How many requests get no answer by the wish of a test; `undefined` while it is frozen. */
  get held(): number | undefined {
    return this.#opened.isFrozen ? undefined : this.#held.size;
  }

  /** Ends all connections; new ones are welcome. */
  cutAll(): void {
    this.#opened.cutAll();
  }

  /** Ends all watches as a server does whose time for them is over. */
  endWatches(): void {
    for (const watch of this.#watches) watch.stop(true);
    this.#watches.clear();
  }

  /** All watches say how far they are. */
  bookmark(): void {
    for (const watch of this.#watches) watch.bookmark();
  }

  /** All watches say this line, whatever it is. */
  say(line: string): void {
    for (const watch of this.#watches) watch.say(`${line}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  get #opened(): TcpDoor {
    if (this.#door === undefined) {
      throw new Error("Wanted a server that listens");
    }
    return this.#door;
  }

  async #handle(
    request: KubeRequest,
    response: ServerResponse,
  ): Promise<void> {
    const seen = readScripted(request);
    this.requests.push(seen);
    const fault = this.faults.take(seen);
    const answer = new ScriptedAnswer(response, fault);
    switch (fault?.kind) {
      case "cut":
        return answer.cut();
      case "stall":
        return this.#hold(response);
      case "say":
        return answer.send(fault.code ?? 200, fault.text, fault.headers);
      case "hold":
        this.#hold(response);
        await (typeof fault.until === "function" ? fault.until() : fault.until);
        this.#held.delete(response);
        break;
      case "break":
        if (fault.by === "stall" && !fault.afterBytes) this.#hold(response);
        break;
    }
    try {
      if (fault?.kind === "refuse") throw refusalOf(fault);
      this.#authenticate(seen);
      if (isWatch(seen)) this.#watch(seen, { answer, response });
      else this.#answer(seen, answer);
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      const seconds = error.details?.["retryAfterSeconds"];
      answer.send(
        error.code,
        JSON.stringify(error.status),
        typeof seconds === "number" ? { "retry-after": `${seconds}` } : {},
      );
    }
  }

  #hold(response: ServerResponse): void {
    this.#held.add(response);
    response.on("close", () => this.#held.delete(response));
  }

  #authenticate({ user }: ScriptedRequest): void {
    const { tokens } = this.#options;
    if (tokens === undefined || user !== undefined && !isToken(user)) return;
    if (tokens.some((token) => user === `token ${token}`)) return;
    throw new ApiRefusal(401, "Unauthorized", "Unauthorized");
  }

  #watch(
    { path: text, query }: ScriptedRequest,
    { answer, response }: {
      readonly answer: ScriptedAnswer;
      readonly response: ServerResponse;
    },
  ): void {
    const path = found(text);
    if (query.get("sendInitialEvents") === "true") {
      const match = query.get("resourceVersionMatch");
      const { hasStreams = true } = this.#options;
      const fault = !hasStreams
        ? "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
        : match !== "NotOlderThan"
        ? "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        : undefined;
      if (fault !== undefined) throw new ApiRefusal(422, "Invalid", fault);
    }
    const watch = new LiveApiWatch(this.objects, { path, query, answer });
    this.#watches.add(watch);
    response.on("close", () => {
      watch.stop(false);
      this.#watches.delete(watch);
    });
    watch.start();
  }

  #answer(request: ScriptedRequest, answer: ScriptedAnswer): void {
    const { method, path: text, body } = request;
    const say = (object: unknown, code: number = 200): void =>
      answer.send(code, JSON.stringify(object));
    if (["/readyz", "/livez", "/healthz"].includes(text)) {
      return answer.send(200, "ok", { "content-type": "text/plain" });
    }
    if (text === "/version") {
      return say({ major: "1", minor: "36", gitVersion: "v1.36.2" });
    }
    const path = found(text);
    const isToken = path.subresource === "token";
    if (method === "POST" && isToken) return say(this.#token(path, body), 201);
    if (method === "POST" && path.name === undefined) {
      return say(this.objects.create(path, body), 201);
    }
    switch (path.name === undefined ? `${method} all` : method) {
      case "GET all":
        return say(this.#list(path, request.query));
      case "GET":
        return say(this.objects.get(path));
      case "PUT":
        return say(this.objects.update(path, body));
      case "PATCH":
        return say(this.objects.patch(path, patchOf(request)));
      case "DELETE":
        return say(this.objects.delete(path, readDeleteWish(body)));
      default:
        throw new ApiRefusal(
          405,
          "MethodNotAllowed",
          "the server does not allow this method on the requested resource",
        );
    }
  }

  #list(path: ApiPath, query: URLSearchParams): unknown {
    const wanted = Number(query.get("resourceVersion") ?? "");
    const { version } = this.objects;
    if (wanted > version) throw tooLarge(wanted, version);
    const token = query.get("continue");
    const page = token === null ? undefined : this.#pages.get(token);
    if (token !== null && page === undefined) {
      throw new ApiRefusal(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result.",
      );
    }
    const all = page ??
      this.objects.list(path).filter(selected(path, query));
    const limit = Number(query.get("limit") ?? "0") || all.length;
    const left = all.slice(limit);
    const next = left.length === 0 ? undefined : `page-${++this.#tokens}`;
    if (next !== undefined) this.#pages.set(next, left);
    return {
      kind: `${path.kind.kind}List`,
      apiVersion: path.apiVersion,
      metadata: {
        resourceVersion: `${version}`,
        ...next !== undefined && {
          continue: next,
          remainingItemCount: left.length,
        },
      },
      items: all.slice(0, limit),
    };
  }

  #token(path: ApiPath, body: unknown): unknown {
    this.objects.get(path);
    const wish = isRecord(body) ? body : {};
    const spec = isRecord(wish["spec"]) ? wish["spec"] : {};
    const seconds = Number(spec["expirationSeconds"] ?? 3600);
    return {
      ...wish,
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: path.name, namespace: path.namespace },
      spec: { ...spec, expirationSeconds: seconds },
      status: {
        token: `token-${++this.#tokens}-of-${path.name}`,
        expirationTimestamp: new Date(
          (this.#options.now ?? Date.now)() + seconds * 1_000,
        )
          .toISOString(),
      },
    };
  }
}

function found(path: string): ApiPath {
  const parsed = parseApiPath(path);
  if (parsed !== undefined) return parsed;
  throw new ApiRefusal(
    404,
    "NotFound",
    "the server could not find the requested resource",
  );
}

function refusalOf(fault: RequestFault & { kind: "refuse" }): ApiRefusal {
  const { code, reason, message = `it is ${reason}` } = fault;
  const { retryAfterSeconds } = fault;
  return new ApiRefusal(
    code,
    reason,
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

function tooLarge(wanted: number, current: number): ApiRefusal {
  return new ApiRefusal(
    504,
    "Timeout",
    `Too large resource version: ${wanted}, current: ${current}`,
    {
      causes: [{
        reason: "ResourceVersionTooLarge",
        message: "Too large resource version",
      }],
      retryAfterSeconds: 1,
    },
  );
}

function patchOf(
  { headers, body }: ScriptedRequest,
): (object: unknown) => unknown {
  switch (headers["content-type"]) {
    case "application/merge-patch+json":
      return (object) => mergePatch(object, body);
    case "application/strategic-merge-patch+json":
      return (object) => strategicMerge(object, body);
    default:
      throw new ApiRefusal(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format",
      );
  }
}
