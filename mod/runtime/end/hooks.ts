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
} from "../../api/types/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { ExecResult, RuntimeService } from "../../cri/model/mod.ts";
import {
  connectFailure,
  getFollowing,
  httpGet,
  type HttpGetOptions,
  NotTlsError,
  type SendGet,
} from "../../host/clients/mod.ts";
import {
  type HttpAction,
  httpActionHeaders,
  type HttpActionPlace,
  httpActionUrl,
} from "../../pod/probes/mod.ts";
import { ContainerEvents } from "../account/mod.ts";

/** Whose hook it is. */
export interface HookTarget {
  readonly pod: Pod;
  readonly container: Pick<ContainerSpec, "name" | "ports">;
  readonly containerId: string;
  /** The pod's addresses, the primary first; a hook without a host goes there. */
  readonly podIps: readonly string[];
  readonly signal: AbortSignal;
}

interface HookDeps {
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
  async #http(hook: HttpAction, target: HookTarget): Promise<void> {
    const { pod, container, podIps, signal } = target;
    const place = {
      purpose: "run the hook",
      podIp: podIps[0],
      ports: container.ports ?? [],
    };
    const url = httpActionUrl(hook, place);
    const headers = httpActionHeaders(hook, USER_AGENT);
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
    hook: HttpAction,
    place: HttpActionPlace,
    options: Pick<HttpGetOptions, "headers" | "signal">,
  ): Promise<void> {
    const url = httpActionUrl(hook, place, "http");
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

  async #follow(
    url: URL,
    options: Pick<HttpGetOptions, "headers" | "signal">,
  ): Promise<void> {
    const maxBodyBytes = MAX_BODY_BYTES;
    await getFollowing(url, this.#get, { ...options, maxBodyBytes });
    // An abort in the middle of the answer leaves no answer.
    options.signal.throwIfAborted();
  }
}

/** The kubelet that hooks take the agent for (upstream: UserAgent of lifecycle hooks). */
const USER_AGENT = "kube-lifecycle/1.36";

/** The longest body that is read (upstream: maxRespBodyLength). */
const MAX_BODY_BYTES = 10 * 1024;

/** As much of a command's output as its failure quotes. */
const MAX_QUOTE = 512;

function lastWords({ stdout, stderr }: ExecResult): string {
  const decoder = new TextDecoder();
  const text = `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trim();
  return text === "" ? "" : `; it wrote "${text.slice(-MAX_QUOTE)}"`;
}

function inWords(url: URL, error: unknown): Error {
  const why = connectFailure(error);
  return new Error(`Cannot run the hook: GET "${url.href}" failed: ${why}`, {
    cause: error,
  });
}
