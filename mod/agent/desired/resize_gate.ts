/**
 * Which pods that run may have the other resources they ask for.
 *
 * @module
 */

import type { Sessions } from "../../base/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { type AdmissionNode, refuseResize } from "../../pod/admission/mod.ts";
import type { ResizeRefusal } from "../../pod/plan/mod.ts";
import { type PodWorkers, type ResizeJudge, stopOf } from "../workers/mod.ts";
import type { ListedPods } from "./listed_pods.ts";

interface ResizeGateDeps {
  readonly events: EventSink;
  readonly sessions: Sessions;
  readonly workers: Pick<PodWorkers, "list" | "enqueue">;
  readonly seen: Pick<ListedPods, "unclaimed">;
  /** What the node offers now. */
  readonly node: () => AdmissionNode;
}

interface RefusedResize {
  /** The pod as it has its resources. */
  readonly allocated: Pod;
  readonly refusal: ResizeRefusal;
}

/**
 * Compares what a pod asks for anew with what the node has left.
 *
 * A pod that is refused runs on with what it has, also where its containers restart,
 * and is judged again whenever it is looked at.
 */
export class ResizeGate implements ResizeJudge {
  readonly #deps: ResizeGateDeps;
  readonly #refused: Map<string, RefusedResize>;

  constructor(deps: ResizeGateDeps) {
    this.#deps = deps;
    this.#refused = deps.sessions.map();
  }

  judge(pod: Pod, allocated: Pod): ResizeRefusal | undefined {
    const { uid } = pod.metadata;
    const refusal = this.#refusal(pod, allocated);
    if (refusal === undefined) {
      this.#refused.delete(uid);
      return undefined;
    }
    const before = this.#refused.get(uid)?.refusal;
    this.#refused.set(uid, { allocated, refusal });
    // The figures in the message move with every other pod: an event needs a new cause.
    if (before?.reason !== refusal.reason) {
      const { reason, message } = refusal;
      this.#deps.events.record(podRef(pod), {
        type: "Warning",
        reason: `Resize${reason}`,
        message,
      });
    }
    return refusal;
  }

  /** Why the pod does not have the resources that it asks for; `undefined` where it has. */
  refusalOf(uid: string): ResizeRefusal | undefined {
    return this.#refused.get(uid)?.refusal;
  }

  /** The pod as it holds its share of the node. */
  holding(pod: Pod): Pod {
    return this.#refused.get(pod.metadata.uid)?.allocated ?? pod;
  }

  /**
   * Something changed by which a pod may now have what it asks for.
   *
   * @returns whether there is such a pod
   */
  retry(): boolean {
    for (const uid of this.#refused.keys()) this.#deps.workers.enqueue(uid);
    return this.#refused.size > 0;
  }

  #refusal(pod: Pod, allocated: Pod): ResizeRefusal | undefined {
    if (pod === allocated) return undefined;
    const others = this.#othersBeside(pod);
    const unclaimed = this.#deps.seen.unclaimed();
    const node = this.#deps.node();
    return refuseResize({
      pod,
      allocated,
      others: [...others, ...unclaimed ?? []],
      node,
    }) ?? (unclaimed === undefined ? NOT_KNOWN : undefined);
  }

  #othersBeside(pod: Pod): Pod[] {
    const fullName = podFullName(pod);
    return this.#deps.workers.list().flatMap((worker) => {
      if (worker.fullName === fullName) return [];
      const { kind, pod } = worker.state;
      const next = stopOf(worker.state)?.next;
      if (next !== undefined) return [next];
      const holds = kind === "syncing" || kind === "terminating";
      return pod === undefined || !holds ? [] : [this.holding(pod)];
    });
  }
}

/** What runs without a manifest holds its share, too, and is looked for. */
const NOT_KNOWN: ResizeRefusal = {
  reason: "Deferred",
  message: "It is not known yet what other pods have of the node",
};
