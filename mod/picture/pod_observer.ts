/**
 * Inspecting pods and containers.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodResources } from "../runtime/resources/mod.ts";
import {
  type ContainerNotes,
  inspectContainer,
  inspectPod,
  inspectSandbox,
  inspectStopped,
  type LookService,
  type ObserveDeps,
  type PodListing,
} from "../runtime/observe/mod.ts";
import type { AnnouncedEnds } from "./announced_ends.ts";
import type { PodPart } from "./pod_picture.ts";
import type { RuntimePicture } from "./runtime_picture.ts";

interface PodObserverDeps {
  readonly clock: Clock;
  readonly picture: RuntimePicture;
  /** The runtime, with the ends that are known before it shows them. */
  readonly ends: LookService & Pick<AnnouncedEnds, "learn">;
  readonly files: ObserveDeps["files"];
  /** Knows the resources that the runtime does not report. */
  readonly resources: Pick<PodResources, "complete">;
  /** Knows why the agent stopped containers. */
  readonly notes: Pick<ContainerNotes, "complete">;
}

/** Inspects pods; takes what it can from the picture, which saves calls. */
export class PodObserver {
  readonly #deps: PodObserverDeps;
  readonly #look: ObserveDeps;

  constructor(deps: PodObserverDeps) {
    this.#deps = deps;
    this.#look = { runtime: deps.ends, files: deps.files };
  }

  /**
   * Asks the runtime about a pod and records the answer.
   *
   * @param before what was seen of a pod that the picture may have forgotten
   * @throws {CriError} when the runtime cannot answer; the picture stays as it is
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async look(
    uid: string,
    signal: AbortSignal,
    before?: ObservedPod,
  ): Promise<ObservedPod> {
    const { clock, picture } = this.#deps;
    const atMs = clock.monotonic();
    const observed = await this.#inspect(uid, { before, signal });
    picture.record(uid, observed, atMs);
    return observed;
  }

  /**
   * Asks how the containers of a pod ended whose sandboxes were stopped a moment ago, and
   * records the answer. It lists the pod only if one of the sandboxes was not seen before:
   * a runtime answers a list of one pod by walking through all.
   *
   * @throws {CriError} when the runtime cannot answer; the picture stays as it is
   * @throws {unknown} The reason of `signal` when it aborts.
   */
  async lookStopped(
    uid: string,
    options: {
      readonly sandboxIds: readonly string[];
      readonly signal: AbortSignal;
    },
  ): Promise<ObservedPod> {
    const { clock, picture } = this.#deps;
    const seen = picture.get(uid);
    const areSeen = options.sandboxIds.every((id) =>
      seen?.sandboxes.some((sandbox) => sandbox.id === id)
    );
    if (seen === undefined || !areSeen) {
      return await this.look(uid, options.signal);
    }
    const atMs = clock.monotonic();
    const observed = await this.#complete(
      await inspectStopped(this.#look, seen, options),
    );
    picture.record(uid, observed, atMs);
    return observed;
  }

  /**
   * Inspects a pod of a list just made; records nothing.
   *
   * @throws {CriError} when the runtime cannot answer
   */
  async inspect(
    listing: PodListing,
    signal: AbortSignal,
  ): Promise<ObservedPod> {
    return await this.#inspect(listing.uid, { listing, signal });
  }

  /**
   * Inspects one container of a pod that was seen before, and the pod's newest sandbox
   * beside it; records nothing. The cheapest look there is: no list is asked for.
   *
   * @returns `undefined` when the container was not seen before
   * @throws {CriError} when the runtime cannot answer
   */
  async inspectContainer(
    uid: string,
    containerId: string,
    signal: AbortSignal,
  ): Promise<PodPart | undefined> {
    const { picture, ends } = this.#deps;
    const known = picture.get(uid);
    const container = known?.containers.find(({ id }) => id === containerId);
    if (known === undefined || container === undefined) return undefined;
    const [newest] = known.sandboxes;
    const mayRun = [
      ...container.state === "exited" ? [] : [containerId],
      ...newest?.ready === true ? [newest.id] : [],
    ];
    // Read first, so that the inspections below use it.
    const asked = mayRun.map((id) => ends.learn(id, signal));
    const { sandboxId } = container;
    // If the sandbox has ended as well, no container is restarted in it.
    const [seen, sandbox] = await Promise.all([
      inspectContainer(this.#look, containerId, { sandboxId, signal }),
      newest?.ready === true
        ? inspectSandbox(this.#look, newest, signal)
        : undefined,
      ...asked,
    ]);
    // This only fills in what the runtime does not report.
    const completed = seen &&
      await this.#complete({ ...known, containers: [seen] });
    return {
      containerId,
      container: completed?.containers[0],
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  }

  async #inspect(
    uid: string,
    options: {
      readonly listing?: PodListing;
      readonly before?: ObservedPod | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<ObservedPod> {
    const cached = this.#deps.picture.get(uid) ?? options.before;
    const more = { ...options, ...cached && { cached } };
    return await this.#complete(await inspectPod(this.#look, uid, more));
  }

  async #complete(observed: ObservedPod): Promise<ObservedPod> {
    const { resources, notes } = this.#deps;
    return await notes.complete(await resources.complete(observed));
  }
}
