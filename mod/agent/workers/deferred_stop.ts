/**
 * Keeping a pod running until the one that takes its place can start.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import {
  ANNOTATION_CONFIG_SOURCE,
  podFullName,
} from "../../api/vocabulary/mod.ts";
import {
  isRemoved,
  stopOf,
  type SyncingPod,
  withStop,
  type WorkerRecord,
} from "./worker_record.ts";
import type { PodSyncer } from "./ports.ts";

/** The end of a pull wakes the pod; this is for a pull that does not end. */
const RECHECK_MS = 10_000;

/**
 * Keeps a pod that is removed running while the images of its successor are pulled for
 * the first time, or says that it is to be stopped now. (Upstream stops it at once, and so
 * are pods of a cluster stopped: it counts on their being gone.)
 *
 * @param others all pods of the name, in the order in which they came
 * @returns when to look again, in milliseconds; `undefined` when it is to be stopped
 */
export async function deferStop(
  record: WorkerRecord,
  options: {
    readonly others: readonly WorkerRecord[];
    readonly syncer: PodSyncer;
    readonly signal: AbortSignal;
  },
): Promise<number | undefined> {
  const { uid, ownsName, state } = record;
  const { pod } = state;
  const { others, syncer, signal } = options;
  const successor = others.findLast((other) =>
    other !== record && other.state.kind === "syncing"
  )?.state.pod;
  const isKept = pod !== undefined && successor !== undefined &&
    isRemoved(state) && !isOfCluster(pod) && ownsName &&
    stopOf(state)?.kind !== "begun" &&
    await syncer.pullAhead(successor, { before: uid, signal }) &&
    // It may have been evicted meanwhile.
    stopOf(record.state)?.kind !== "begun";
  // Half of a pod is of no use, so a stop that has begun goes on.
  record.state = withStop(record.state, isKept ? "deferred" : "begun");
  if (!isKept) return undefined;
  const result = await syncer.sync(pod, { nameOwnership: () => "has", signal });
  switch (result.kind) {
    case "retry":
      return result.delayMs;
    case "settled":
      return Math.min(RECHECK_MS, result.againMs ?? Infinity);
    case "held":
      return RECHECK_MS;
    case "terminal":
      record.state = withStop(record.state, "begun");
      return undefined;
  }
}

/**
 * A pod that is wanted again while its stop is deferred, as when its successor is rolled
 * back: it goes on. `undefined` for any other.
 */
export function resumed(
  { state, fullName }: WorkerRecord,
): SyncingPod | undefined {
  const { kind, next } = stopOf(state) ?? {};
  if (next === undefined || kind !== "deferred") return undefined;
  if (podFullName(next) !== fullName) return undefined;
  return { kind: "syncing", pod: next, wanted: state.wanted ?? next };
}

function isOfCluster({ metadata }: Pod): boolean {
  return metadata.annotations?.[ANNOTATION_CONFIG_SOURCE] === "api";
}
