/**
 * What a sync sees of the runtime.
 *
 * @module
 */

import type { ObservedPod } from "../../pod/observed/mod.ts";
import { unseenPod } from "../../picture/mod.ts";
import type { StepDeps } from "./sync_deps.ts";
import type { PodMemory } from "./sync_memory.ts";

interface PodInspectorDeps {
  readonly memory: {
    get(uid: string): Pick<PodMemory, "actedAtMs"> | undefined;
  };
  readonly picture: Pick<
    StepDeps["picture"],
    "latest" | "listing" | "record" | "get"
  >;
  readonly remains: Pick<StepDeps["remains"], "ofThisLife">;
  readonly statuses: Pick<StepDeps["statuses"], "get">;
  readonly observer: Pick<StepDeps["observer"], "look" | "lookStopped">;
  readonly prober: Pick<StepDeps["prober"], "look">;
}

/** Looks at pods for a sync, which does not see what another pod of the UID left. */
export class PodInspector {
  readonly #deps: PodInspectorDeps;

  constructor(deps: PodInspectorDeps) {
    this.#deps = deps;
  }

  /**
   * The pod as it was seen after the last action.
   *
   * @throws {Error} when the runtime cannot be asked
   */
  async latest(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    const { picture, memory, remains, statuses } = this.#deps;
    // -1: any look since the agent's start will do for a pod never acted upon.
    const newerThanMs = memory.get(uid)?.actedAtMs ?? -1;
    const pod = await picture.latest(uid, { newerThanMs, signal });
    if (pod.sandboxes.length + pod.containers.length > 0) {
      return remains.ofThisLife(pod);
    }
    // A list that lacks what ran before may be that of a runtime still starting, and
    // one that was not known to be managed was not inspected: better ask than run it twice.
    const mayBeThere = statuses.get(uid) !== undefined ||
      picture.listing?.pods.has(uid) === true;
    return mayBeThere ? await this.now(uid, signal) : pod;
  }

  /**
   * Looks at the pod now.
   *
   * @throws {Error} when the runtime cannot be asked
   */
  async now(uid: string, signal: AbortSignal): Promise<ObservedPod> {
    const observed = await this.#deps.observer.look(uid, signal);
    this.#deps.prober.look(uid);
    return this.#deps.remains.ofThisLife(observed);
  }

  /**
   * Looks at a pod whose sandboxes were stopped a moment ago.
   *
   * @throws {Error} when the runtime cannot be asked
   */
  async stopped(
    uid: string,
    options: {
      readonly sandboxIds: readonly string[];
      readonly signal: AbortSignal;
    },
  ): Promise<ObservedPod> {
    const { observer, remains } = this.#deps;
    return remains.ofThisLife(await observer.lookStopped(uid, options));
  }

  /** Takes what an action itself has learned of the pod for a look of our own. */
  learn(
    uid: string,
    seen: { readonly pod: ObservedPod; readonly atMs: number },
  ): ObservedPod {
    this.#deps.picture.record(uid, seen.pod, seen.atMs);
    this.#deps.prober.look(uid);
    return this.#deps.remains.ofThisLife(seen.pod);
  }

  /** The pod as it was last seen. */
  known(uid: string): ObservedPod {
    const { picture, remains } = this.#deps;
    return remains.ofThisLife(picture.get(uid) ?? unseenPod(uid));
  }
}
