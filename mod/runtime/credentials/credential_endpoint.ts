/**
 * A service on this machine that is asked for credentials.
 *
 * @module
 */

import { type Clock, deadline } from "../../base/mod.ts";
import type { RegistryLogin } from "./docker_config.ts";
import type { NodeLogins, ReadLogins } from "./image_credentials.ts";
import { providerRequest, readProviderResponse } from "./provider_response.ts";
import { matchesRegistry, parseRegistryPattern } from "./registry_pattern.ts";

/** Sends one question and returns the status and the body of the answer. */
export type AskProvider = (
  body: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
) => Promise<{
  readonly status: number;
  readonly body: Uint8Array;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
}>;

/** As long as the kubelet gives its plugins. */
const ANSWER_LIMIT_MS = 60_000;
const MAX_BYTES = 1 << 20;
/** Registries that one device pulls from; the oldest answer goes. */
const MAX_CACHED = 100;
/**
 * What all kept answers have together; the oldest goes. What is made of one may take four
 * times as much memory, and more for each label of its registries.
 */
const MAX_CACHED_BYTES = 4 << 20;

interface CachedLogins {
  readonly logins: readonly RegistryLogin[];
  /** On the monotonic clock. */
  readonly untilMs: number;
  /** How long the answer was. */
  readonly bytes: number;
}

/**
 * Asks a service as the kubelet asks its credential provider plugins, which are programs
 * and so nothing for a sandboxed agent. Answers are kept as long as they say. Several
 * pulls of one repository ask once.
 */
export class CredentialEndpoint implements NodeLogins {
  readonly #ask: AskProvider;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #patterns: readonly ReturnType<typeof parseRegistryPattern>[];
  /** By what an answer holds for; the oldest first. */
  readonly #cached = new Map<string, CachedLogins>();
  readonly #asking = new Map<string, Promise<ReadLogins>>();

  /** @param options.matchImages which images it is asked about; all without any */
  constructor(
    deps: { readonly ask: AskProvider; readonly clock: Clock },
    options: { readonly name: string; readonly matchImages: readonly string[] },
  ) {
    this.#ask = deps.ask;
    this.#clock = deps.clock;
    this.#name = options.name;
    this.#patterns = options.matchImages.map(parseRegistryPattern);
  }

  async read(repository: string): Promise<ReadLogins> {
    const isMeant = this.#patterns.length === 0 ||
      this.#patterns.some((each) => each && matchesRegistry(each, repository));
    if (!isMeant) return { logins: [], problems: [] };
    const logins = this.#known(repository);
    if (logins !== undefined) return { logins, problems: [] };
    const asked = this.#asking.get(repository) ?? this.#begin(repository);
    return await asked;
  }

  #known(repository: string): readonly RegistryLogin[] | undefined {
    const nowMs = this.#clock.monotonic();
    for (const [key, { untilMs }] of this.#cached) {
      if (untilMs <= nowMs) this.#cached.delete(key);
    }
    return keysOf(repository).map((key) => this.#cached.get(key))
      .find((each) => each !== undefined)?.logins;
  }

  #begin(repository: string): Promise<ReadLogins> {
    const asked = this.#question(repository).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      return this.#without(why);
    }).finally(() => this.#asking.delete(repository));
    this.#asking.set(repository, asked);
    return asked;
  }

  async #question(repository: string): Promise<ReadLogins> {
    const clock = this.#clock;
    using limit = deadline(clock, ANSWER_LIMIT_MS);
    const { status, body, isWhole } = await this.#ask(
      providerRequest(repository),
      { maxBytes: MAX_BYTES, signal: limit.signal },
    );
    if (status !== 200) {
      return this.#without(`it answers with status ${status}`);
    }
    if (!isWhole) {
      return this.#without(
        `its answer breaks off, or has more than ${MAX_BYTES} bytes`,
      );
    }
    const answer = readProviderResponse(body);
    if (answer.kind === "refused") return this.#without(answer.problem);
    const { logins, cacheKey, cacheMs } = answer;
    if (cacheMs > 0) {
      const [image = "", registry = "", all = ""] = keysOf(repository);
      const key = { Image: image, Registry: registry, Global: all }[cacheKey];
      const untilMs = clock.monotonic() + cacheMs;
      this.#keep(key, { logins, untilMs, bytes: body.length });
    }
    return { logins, problems: [] };
  }

  #keep(key: string, answer: CachedLogins): void {
    const cached = this.#cached;
    cached.delete(key);
    cached.set(key, answer);
    let bytes = cached.values().reduce((sum, each) => sum + each.bytes, 0);
    for (const [oldest, { bytes: itsBytes }] of cached) {
      if (cached.size <= MAX_CACHED && bytes <= MAX_CACHED_BYTES) return;
      cached.delete(oldest);
      bytes -= itsBytes;
    }
  }

  #without(problem: string): ReadLogins {
    const what = `The image credentials of "${this.#name}" cannot be used`;
    return { logins: [], problems: [`${what}: ${problem}`] };
  }
}

/** What answers for one image are kept under: image, registry, all. */
function keysOf(repository: string): readonly string[] {
  const registry = repository.slice(0, repository.indexOf("/"));
  return [`Image ${repository}`, `Registry ${registry}`, "Global"];
}
