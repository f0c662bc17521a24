/**
 * What happened between two looks at the runtime.
 *
 * @module
 */

import type { ObservedPod } from "../pod/observed/mod.ts";
import type { PodListing } from "../runtime/observe/mod.ts";

/** The state of a container or sandbox, as far as its pod's life is concerned. */
export type ItemState = "created" | "running" | "exited" | "unknown";

/** One look at one pod: the states of its sandboxes and containers by id. */
export type PodSnapshot = ReadonlyMap<string, ItemState>;

/** Something moved in a pod; the sync loop then looks at the pod again. */
export type PodLifecycleEvent =
  | {
    readonly kind:
      | "container_started"
      | "container_died"
      | "container_removed"
      /** It was made and has not run. */
      | "container_changed"
      /** The runtime cannot say any more whether it runs. */
      | "container_lost";
    readonly podUid: string;
    /** Of a container or of a sandbox. */
    readonly containerId: string;
  }
  /** The pod was looked at again, without anything having moved. */
  | { readonly kind: "pod_sync"; readonly podUid: string }
  /** The runtime answers again after it did not. */
  | { readonly kind: "runtime_returned" };

/** An event that names a container. */
export type ContainerMoved = Extract<
  PodLifecycleEvent,
  { readonly containerId: string }
>;

/**
 * Lists what happened to one pod between two looks. Pure.
 *
 * A container that vanished while it ran yields two events, a death and a removal, so a
 * listener handles each as usual.
 *
 * @example A container that ended
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict";
 * import { diffPod } from "./diff.ts";
 *
 * const events = diffPod("u", new Map([["c", "running"]]), new Map([["c", "exited"]]));
 * deepStrictEqual(events.map((event) => event.kind), ["container_died"]);
 * ```
 */
export function diffPod(
  podUid: string,
  before: PodSnapshot,
  after: PodSnapshot,
): ContainerMoved[] {
  const ids = new Set([...after.keys(), ...before.keys()]);
  return [...ids].flatMap((containerId) =>
    transition(before.get(containerId), after.get(containerId))
      .map((kind) => ({ kind, podUid, containerId }))
  );
}

/** The states of a pod that was looked at closely. Pure. */
export function snapshotOfPod(pod: ObservedPod): PodSnapshot {
  const snapshot = new Map<string, ItemState>();
  for (const { id, ready } of pod.sandboxes) {
    snapshot.set(id, sandboxState(ready));
  }
  for (const { id, state } of pod.containers) {
    snapshot.set(id, state);
  }
  return snapshot;
}

/**
 * True when a list shows exactly what the snapshot holds. Pure; allocates nothing, since it
 * is called for every pod every second.
 */
export function isUnchanged(
  snapshot: PodSnapshot,
  listing: PodListing,
): boolean {
  const { sandboxes, containers } = listing;
  if (snapshot.size !== sandboxes.length + containers.length) return false;
  for (const { id, state } of sandboxes) {
    if (snapshot.get(id) !== sandboxState(state === "ready")) return false;
  }
  for (const { id, state } of containers) {
    if (snapshot.get(id) !== state) return false;
  }
  return true;
}

function transition(
  old: ItemState | undefined,
  now: ItemState | undefined,
): readonly ContainerMoved["kind"][] {
  if (old === now) return [];
  switch (now) {
    case "running":
      return ["container_started"];
    case "exited":
      return ["container_died"];
    case "created":
      return ["container_changed"];
    case "unknown":
      return ["container_lost"];
    case undefined:
      return old === "exited" || old === "created"
        ? ["container_removed"]
        : ["container_died", "container_removed"];
  }
}

function sandboxState(isReady: boolean): ItemState {
  return isReady ? "running" : "exited";
}
