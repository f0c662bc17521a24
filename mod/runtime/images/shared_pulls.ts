/**
 * Pulls of one image that several pods want.
 *
 * @module
 */

import { type Clock, Semaphore, unlessAborted } from "../../base/mod.ts";
import type { SandboxConfig } from "../../cri/config/mod.ts";
import type { Image } from "../../cri/model/mod.ts";
import type { PullCredential } from "../credentials/mod.ts";
import type { ImageCalls, PullService } from "./image_calls.ts";
import type { PullMetrics } from "./pull_metrics.ts";
import type { PullRate } from "./pull_rate.ts";
import type { ImageRecords } from "./pulled_images.ts";

interface SharedPullsDeps {
  readonly calls: Pick<ImageCalls, "ask" | "pull">;
  readonly images: Pick<PullService, "imageStatus">;
  readonly clock: Clock;
  readonly records: Pick<ImageRecords, "around">;
  readonly rate: Pick<PullRate, "take">;
  readonly pullMetrics: Pick<PullMetrics, "pulled">;
}

/** What a pod does meanwhile. */
export type PullActivity = "waiting_for_pull_place" | "pulling_image";

/** What one pod asks for. */
export interface SharedRequest {
  readonly image: string;
  readonly credentials: readonly PullCredential[];
  readonly sandboxConfig?: SandboxConfig | undefined;
  /** Only a pull of its own will do. */
  readonly isAlways: boolean;
  /** Whether it waits where too many have begun: it is for a pod that runs meanwhile. */
  readonly isAhead: boolean;
  /** Whether the pod may have an image that came by another way. */
  readonly mayUse: (found: Image) => Promise<boolean>;
  /** Begins something that is said of the pod while it lasts. */
  readonly begin: (kind: PullActivity) => Disposable;
}

/** How a pull succeeded. */
export type SharedEnd =
  | {
    readonly kind: "pulled";
    readonly ref: string;
    readonly image: Image | undefined;
    /** From when to when the runtime pulled, on the monotonic clock. */
    readonly startMs: number;
    readonly endMs: number;
  }
  /** It came by another way while the pull waited for its place. */
  | { readonly kind: "present"; readonly image: Image };

/** The runtime was not asked, since others had been pulled too short a time ago. */
export class TooManyPulls extends Error {
  override readonly name = "TooManyPulls";

  constructor() {
    // In upstream's words, for which alerts look.
    super("pull QPS exceeded");
  }
}

/** One pull and all that wait for it. */
interface SharedPull {
  readonly cancel: AbortController;
  /** Resolves once it has its place, or is over; never rejects. */
  readonly placed: PromiseWithResolvers<void>;
  isPlaced: boolean;
  end: Promise<SharedEnd>;
  askers: number;
}

/**
 * Has the runtime pull an image once for all pods that want it at one time.
 *
 * Pods of one namespace with the same credentials share: a runtime may choose trust by the
 * namespace, and the store by an annotation. Each asker may leave, and the last one that
 * leaves gives the pull up. A pod that always pulls has a pull of its own, as upstream,
 * since the tag may have moved since another was begun.
 */
export class SharedPulls {
  readonly #deps: SharedPullsDeps;
  readonly #places: Semaphore;
  /** Those that may be joined. */
  readonly #pulls = new Map<string, SharedPull>();

  /** @param options.places how many the runtime is asked for at the same time */
  constructor(deps: SharedPullsDeps, options: { readonly places: number }) {
    this.#deps = deps;
    this.#places = new Semaphore(options.places);
  }

  /**
   * Waits for the image, pulled by this call or by one that goes on already.
   *
   * @throws {TooManyPulls} when too many have begun for the runtime to be asked
   * @throws {Error} what the runtime says
   * @throws {unknown} The reason of `signal` when it aborts; the others go on.
   */
  async join(request: SharedRequest, signal: AbortSignal): Promise<SharedEnd> {
    signal.throwIfAborted();
    const key = keyOf(request);
    const known = key === undefined ? undefined : this.#pulls.get(key);
    const pull = known ?? this.#begin(key, request);
    pull.askers++;
    const leave = (): void => {
      pull.askers--;
      if (pull.askers > 0) return;
      // What comes now begins anew.
      this.#forget(key, pull);
      pull.cancel.abort(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await this.#wait(pull, request, signal);
    } catch (error) {
      // Once this rejects, the place of one that was given up is free.
      if (pull.cancel.signal.aborted) await pull.end.catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  async #wait(
    pull: SharedPull,
    { begin }: SharedRequest,
    signal: AbortSignal,
  ): Promise<SharedEnd> {
    if (!pull.isPlaced) {
      using _waiting = begin("waiting_for_pull_place");
      await unlessAborted(pull.placed.promise, signal);
    }
    using _pulling = begin("pulling_image");
    return await unlessAborted(pull.end, signal);
  }

  #begin(key: string | undefined, request: SharedRequest): SharedPull {
    const pull: SharedPull = {
      cancel: new AbortController(),
      placed: Promise.withResolvers(),
      isPlaced: this.#places.available > 0,
      end: NEVER,
      askers: 0,
    };
    if (key !== undefined) this.#pulls.set(key, pull);
    pull.end = this.#run(pull, request).finally(() => {
      this.#forget(key, pull);
      pull.placed.resolve();
    });
    // Each asker has the failure; there may be none left.
    pull.end.catch(() => {});
    return pull;
  }

  async #run(
    pull: SharedPull,
    request: SharedRequest,
  ): Promise<SharedEnd> {
    const { image, credentials, sandboxConfig, isAlways, mayUse } = request;
    const { calls, images, clock, records, rate, pullMetrics } = this.#deps;
    const { cancel: { signal }, isPlaced: isAtOnce } = pull;
    using _place = await this.#places.acquire(signal);
    pull.isPlaced = true;
    pull.placed.resolve();
    if (!isAtOnce && !isAlways) {
      // A runtime that cannot say it now is asked to pull.
      const asked = calls.ask(image).catch(() => undefined);
      const found = await unlessAborted(asked, signal);
      if (found !== undefined && await mayUse(found)) {
        return { kind: "present", image: found };
      }
    }
    while (!rate.take()) {
      if (!request.isAhead) throw new TooManyPulls();
      await clock.sleep(TOKEN_MS, signal);
    }
    const options = { sandboxConfig, credentials, signal };
    return await records.around({ image, credentials }, async () => {
      const startMs = clock.monotonic();
      const { ref, credential } = await calls.pull(image, options);
      const endMs = clock.monotonic();
      const found = await images.imageStatus({ image: ref }, { signal });
      pullMetrics.pulled(endMs - startMs, found?.size ?? 0n);
      const kind = "pulled" as const;
      const of = { imageId: found?.id ?? ref, credential };
      return { kind, ref, image: found, startMs, endMs, ...of };
    });
  }

  #forget(key: string | undefined, pull: SharedPull): void {
    if (key === undefined || this.#pulls.get(key) !== pull) return;
    this.#pulls.delete(key);
  }
}

/** Between two looks whether another pull may begin; so often one may by default. */
const TOKEN_MS = 200;

const NEVER = new Promise<never>(() => {});

/** The same for requests that one call answers; `undefined` for one that has its own. */
function keyOf(
  { image, credentials, sandboxConfig, isAlways }: SharedRequest,
): string | undefined {
  if (isAlways) return undefined;
  const { metadata, annotations = {} } = sandboxConfig ?? {};
  const handler = annotations[HANDLER_ANNOTATION];
  const shown = credentials.map(({ fingerprint }) => fingerprint);
  return JSON.stringify([image, metadata?.namespace, handler, shown]);
}

/** By it containerd chooses the store into which it unpacks. */
const HANDLER_ANNOTATION = "io.containerd.cri.runtime-handler";
