/**
 * The hooks that a container runs after its start and before its end.
 *
 * @module
 */

import type {
  ContainerSpec,
  EventSink,
  LifecycleHandler,
  Pod,
} from "../api/mod.ts";
import type { Clock } from "../base/mod.ts";
import type { ExecResult, RuntimeService } from "../cri/mod.ts";
import {
  type HttpAnswer,
  httpGet,
  type HttpGetOptions,
  NotTlsError,
} from "../host/mod.ts";
import { ContainerEvents } from "./container_event.ts";
import {
  hookHeaders,
  type HookPlace,
  hookUrl,
  type HttpHook,
} from "./hook_request.ts";

/** Whose hook it is. */
export interface HookTarget {
  readonly pod: Pod;
  readonly container: Pick<ContainerSpec, "name" | "ports">;
  readonly containerId: string;
  /** The pod's addresses, the primary first; a hook without a host goes there. */
  readonly podIps: readonly string[];
  readonly signal: AbortSignal;
}

/** Sends one GET; see {@linkcode httpGet}. */
export type SendGet = (
  url: URL,
  options: HttpGetOptions,
) => Promise<HttpAnswer>;

/** What running hooks needs. */
export interface HookDeps {
  readonly runtime: Pick<RuntimeService, "execSync">;
  readonly clock: Clock;
  readonly events: EventSink;
  /** @default httpGet */
  readonly get?: SendGet;
}

/** Runs hooks. Upstream: pkg/kubelet/lifecycle/handlers.go. */
export class HookRunner {
  readonly #deps: HookDeps;
  readonly #get: SendGet;

  constructor(deps: HookDeps) {
    this.#deps = deps;
    this.#get = deps.get ?? httpGet;
  }

  /**
   * Runs one hook to its end, however long it takes: only the signal limits it.
   *
   * @throws {Error} When the hook failed, or is of a kind that cannot be run.
   * @throws {CriError} When the runtime could not run its command.
   * @throws {unknown} The reason of the signal when it aborts.
   */
  async run(hook: LifecycleHandler, target: HookTarget): Promise<void> {
    const { exec, httpGet, sleep } = hook;
    if (exec !== undefined) {
      return await this.#exec(exec.command ?? [], target);
    }
    if (httpGet !== undefined) return await this.#http(httpGet, target);
    if (sleep !== undefined) {
      return await this.#deps.clock.sleep(sleep.seconds * 1000, target.signal);
    }
    const kind = Object.keys(hook)[0] ?? "";
    throw new Error(
      `Cannot run the hook: invalid handler "${kind}", wanted exec, httpGet or sleep`,
    );
  }

  async #exec(command: readonly string[], target: HookTarget): Promise<void> {
    const { containerId, signal } = target;
    const result = await this.#deps.runtime.execSync(containerId, command, {
      signal,
      timeoutSeconds: 0,
    });
    if (result.exitCode === 0) return;
    throw new Error(
      `Cannot run the hook: its command ended with "${result.exitCode}", wanted 0${
        lastWords(result)
      }`,
    );
  }

  /** Whatever the server answers is a success: only its absence is a failure. */
  async #http(hook: HttpHook, target: HookTarget): Promise<void> {
    const { pod, container, podIps, signal } = target;
    const place = { podIp: podIps[0], ports: container.ports ?? [] };
    const url = hookUrl(hook, place);
    const headers = hookHeaders(hook);
    try {
      return await this.#follow(url, { headers, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotTlsError)) throw inWords(url, error);
    }
    await this.#inPlainText(hook, place, { headers, signal });
    new ContainerEvents(this.#deps.events, pod).warning(
      container.name,
      "LifecycleHTTPFallback",
      `The HTTPS hook to ${url.host} was answered in plain HTTP; asked again by HTTP, it succeeded`,
    );
  }

  async #inPlainText(
    hook: HttpHook,
    place: HookPlace,
    options: Pick<HttpGetOptions, "headers" | "signal">,
  ): Promise<void> {
    const url = hookUrl(hook, place, "http");
    // What was meant for an encrypted connection is not shown to everyone.
    const headers = Object.fromEntries(
      Object.entries(options.headers)
        .filter(([name]) => name.toLowerCase() !== "authorization"),
    );
    try {
      await this.#follow(url, { ...options, headers });
    } catch (error) {
      options.signal.throwIfAborted();
      throw inWords(url, error);
    }
  }

  /** Follows redirects that stay on the host; one that leaves it is the answer. */
  async #follow(
    from: URL,
    options: Pick<HttpGetOptions, "headers" | "signal">,
  ): Promise<void> {
    let url = from;
    for (let asked = 1; asked <= MAX_REQUESTS; asked++) {
      const answer = await this.#get(url, {
        ...options,
        maxBodyBytes: MAX_BODY_BYTES,
      });
      const next = redirect(url, answer);
      if (next?.hostname !== from.hostname) return;
      url = next;
    }
    throw new Error(
      `Cannot follow redirects: found ${MAX_REQUESTS}, wanted an answer`,
    );
  }
}

/** Of an answer no more is read (upstream: maxRespBodyLength). */
const MAX_BODY_BYTES = 10 * 1024;

/** As many requests as Go's client makes before it gives up on redirects. */
const MAX_REQUESTS = 10;

/** As much of a command's output as its failure quotes. */
const MAX_QUOTE = 512;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirect(url: URL, answer: HttpAnswer): URL | undefined {
  const { status, location } = answer;
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, url)) return undefined;
  const next = new URL(location, url);
  return next.protocol === "http:" || next.protocol === "https:"
    ? next
    : undefined;
}

function lastWords({ stdout, stderr }: ExecResult): string {
  const decoder = new TextDecoder();
  const text = `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trim();
  return text === "" ? "" : `; it wrote "${text.slice(-MAX_QUOTE)}"`;
}

function inWords(url: URL, error: unknown): Error {
  const why = error instanceof Deno.errors.NotCapable
    ? "the agent may not connect there, wanted an address inside a network given by --pod-network"
    : error instanceof Error
    ? error.message
    : String(error);
  return new Error(`Cannot run the hook: GET "${url.href}" failed: ${why}`, {
    cause: error,
  });
}
