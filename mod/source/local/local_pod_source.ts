/**
 * Pods that the controllers of this node have made.
 *
 * @module
 */

import { claimObject } from "../../api/validate/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { PersistentVolumeClaim } from "../../api/workload/mod.ts";
import { Bell } from "../../base/mod.ts";
import type { SharedInformer } from "../../informer/shared/mod.ts";
import { deepEqual, type SourceSet } from "../merge/mod.ts";

/** What the source reads. */
export interface LocalPodSourceDeps {
  readonly pods: SharedInformer<Pod>;
  readonly claims: SharedInformer<PersistentVolumeClaim>;
}

/**
 * Delivers the pods and claims of the node's own store, as a file delivers those of a
 * manifest: all of them, whenever one has changed other than by its status.
 */
export class LocalPodSource {
  readonly #deps: LocalPodSourceDeps;

  constructor(deps: LocalPodSourceDeps) {
    this.#deps = deps;
  }

  /** Yields full sets until `signal` aborts, the first when the store has been read. */
  async *run(signal: AbortSignal): AsyncGenerator<SourceSet, void, undefined> {
    const { pods, claims } = this.#deps;
    const bell = new Bell();
    const ring = (): void => bell.ring();
    using _pods = pods.addHandler(ring, { name: "pods-of-node" });
    using _claims = claims.addHandler(ring, { name: "claims-of-node" });
    await Promise.all([pods.synced(signal), claims.synced(signal)]);
    let last: SourceSet | undefined;
    while (!signal.aborted) {
      // Made before looking, so that what comes meanwhile is not overlooked.
      const woken = bell.wait(signal);
      const next = this.#look(last);
      if (next !== last) yield next;
      last = next;
      await woken;
    }
  }

  /** What is there now; the same set as before if it says the same. */
  #look(last: SourceSet | undefined): SourceSet {
    const { pods, claims } = this.#deps;
    const known = new Map(last?.pods.map((pod) => [pod.metadata.uid, pod]));
    const set: SourceSet = {
      source: "local",
      pods: pods.lister.list().toSorted(byName).map((pod) =>
        keepEqual(known.get(pod.metadata.uid), wantedPart(pod))
      ),
      objects: claims.lister.list().filter(isMadeHere).toSorted(byName)
        .map(({ metadata, spec }) => claimObject(metadata, spec)),
      workloads: [],
    };
    const isSame = last !== undefined &&
      set.pods.length === last.pods.length &&
      set.pods.every((pod, at) => pod === last.pods[at]) &&
      deepEqual(set.objects, last.objects);
    return isSame ? last : set;
  }
}

/** The store shows the claims of other sources, too; those have no time of their making. */
function isMadeHere({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.creationTimestamp !== undefined;
}

function keepEqual(before: Pod | undefined, after: Pod): Pod {
  return before !== undefined && deepEqual(before, after) ? before : after;
}

/** A pod without what only its status changes: that is the agent's own word. */
function wantedPart({ apiVersion, kind, metadata, spec }: Pod): Pod {
  const { resourceVersion: _version, managedFields: _managed, ...rest } =
    metadata;
  return { apiVersion, kind, metadata: rest, spec };
}

// Sets of one content are in one order.
function byName(
  { metadata: a }: Pick<Pod, "metadata">,
  { metadata: b }: Pick<Pod, "metadata">,
): number {
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1;
}
