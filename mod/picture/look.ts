/**
 * Looking at pods and remembering what was seen.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodCache } from "./cache.ts";
import type { KnownExits } from "./known_exits.ts";
import {
  type ContainerNotes,
  inspectContainer,
  inspectPod,
  inspectSandbox,
  type ObserveDeps,
  type PodListing,
} from "../runtime/observe/mod.ts";
import type { PodPart } from "./pod_part.ts";
import type { PodResources } from "../runtime/resources/mod.ts";

/** Looks at one pod on behalf of whoever has to know now. */
export class PodObserver {
  readonly #deps: ObserveDeps;
  readonly #cache: PodCache;
  readonly #clock: Clock;
  readonly #exits: Pick<KnownExits, "learn"> | undefined;
  readonly #resources: Pick<PodResources, "complete"> | undefined;
  readonly #notes: Pick<ContainerNotes, "complete"> | undefined;

  constructor(
    deps: ObserveDeps & {
      readonly cache: PodCache;
      readonly clock: Clock;
      /**
       * Asks what has ended already; `runtime` then tells of it.
       *
       * @default only what the runtime tells is known
       */
      readonly exits?: Pick<KnownExits, "learn">;
      /** Knows of resources what the runtime does not tell. */
      readonly resources?: Pick<PodResources, "complete">;
      /** Knows why the agent stopped containers. */
      readonly notes?: Pick<ContainerNotes, "complete">;
    },
  ) {
    this.#deps = { runtime: deps.runtime, files: deps.files };
    this.#exits = deps.exits;
    this.#resources = deps.resources;
    this.#notes = deps.notes;
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

  /**
   * Looks at one container of a pod that was seen before, and at the pod's newest
   * sandbox beside it; keeps nothing. The cheapest look there is: no list is asked for.
   *
   * @returns `undefined` when the container was not seen before
   * @throws {CriError} when the runtime cannot answer
   */
  async glimpse(
    uid: string,
    containerId: string,
    signal: AbortSignal,
  ): Promise<PodPart | undefined> {
    const cached = this.#cache.get(uid);
    const known = cached?.containers.find(({ id }) => id === containerId);
    if (cached === undefined || known === undefined) return undefined;
    const newest = cached.sandboxes[0];
    const mayRun = [
      ...known.state === "exited" ? [] : [containerId],
      ...newest?.ready === true ? [newest.id] : [],
    ];
    // Begun before the looks, which then know of it.
    const asked = mayRun.map((id) => this.#exits?.learn(id, signal));
    // In a sandbox that has ended as well nothing is to be started again.
    const [container, sandbox] = await Promise.all([
      inspectContainer(this.#deps, containerId, {
        sandboxId: known.sandboxId,
        signal,
      }),
      newest?.ready === true
        ? inspectSandbox(this.#deps, newest, signal)
        : undefined,
      ...asked,
    ]);
    // Only so that what the runtime does not tell of it is filled in.
    const completed = container &&
      await this.#complete({ ...cached, containers: [container] });
    return {
      containerId,
      container: completed?.containers[0],
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  }

  async #complete(observed: ObservedPod): Promise<ObservedPod> {
    const known = await this.#resources?.complete(observed) ?? observed;
    return await this.#notes?.complete(known) ?? known;
  }
}
