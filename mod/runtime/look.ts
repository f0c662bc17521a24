/**
 * Looking at pods and remembering what was seen.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ObservedPod } from "../pod/mod.ts";
import type { PodCache } from "./cache.ts";
import type { PodListing } from "./list_pods.ts";
import { inspectPod, type ObserveDeps } from "./observe.ts";
import type { PodResources } from "./pod_resources.ts";

/** Looks at one pod on behalf of whoever has to know now. */
export class PodObserver {
  readonly #deps: ObserveDeps;
  readonly #cache: PodCache;
  readonly #clock: Clock;
  readonly #resources: Pick<PodResources, "complete"> | undefined;

  constructor(
    deps: ObserveDeps & {
      readonly cache: PodCache;
      readonly clock: Clock;
      /** Knows of resources what the runtime does not tell. */
      readonly resources?: Pick<PodResources, "complete">;
    },
  ) {
    this.#deps = { runtime: deps.runtime, files: deps.files };
    this.#resources = deps.resources;
    this.#cache = deps.cache;
    this.#clock = deps.clock;
  }

  /**
   * Asks the runtime about a pod and puts the answer into the cache.
   *
   * @throws {CriError} when the runtime cannot answer; the cache stays as it is
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async look(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    const atMs = this.#clock.monotonic();
    const cached = this.#cache.get(uid);
    const observed = await this.#complete(
      await inspectPod(this.#deps, uid, {
        signal,
        ...cached === undefined ? {} : { cached },
      }),
    );
    this.#cache.set(uid, observed, atMs);
    return observed;
  }

  /**
   * Looks closely at a pod of a list just made; keeps nothing.
   *
   * @throws {CriError} when the runtime cannot answer
   */
  async inspect(
    listing: PodListing,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    const cached = this.#cache.get(listing.uid);
    return await this.#complete(
      await inspectPod(this.#deps, listing.uid, {
        listing,
        signal,
        ...cached === undefined ? {} : { cached },
      }),
    );
  }

  async #complete(observed: ObservedPod): Promise<ObservedPod> {
    return await this.#resources?.complete(observed) ?? observed;
  }
}
