/**
 * What differs between the pods that are wanted and those that there are.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import type { PodListing } from "../../runtime/observe/mod.ts";
import type { SourceName } from "../../source/merge/mod.ts";
import type { WorkerView } from "../workers/mod.ts";
import { sourceOf } from "./wanted_pods.ts";

/** What is wanted and what there is, at one moment. */
export interface ReconcileInput {
  /** By UID, each in the version that is to run. */
  readonly wanted: ReadonlyMap<string, Pod>;
  /** The pods that have a place at admission and no worker of their own yet, by UID. */
  readonly pending: ReadonlyMap<string, Pod>;
  readonly workers: readonly WorkerView[];
  /** The pods of the runtime's last list; `undefined` before the first. */
  readonly running: readonly PodListing[] | undefined;
  /** UIDs with a directory under the root directory, but for what is being removed. */
  readonly owned: ReadonlySet<string>;
  /** The full name of a pod of an earlier agent, as far as the disk has it. */
  readonly nameOf: (uid: string) => string | undefined;
  /** The sources that have spoken: what another does not list may still be wanted. */
  readonly ready: ReadonlySet<SourceName>;
  /**
   * UIDs that a source had which has not spoken yet, whatever the sandboxes say of where
   * their pods came from; `undefined` while that is not known.
   */
  readonly expected: ReadonlySet<string> | undefined;
  /** By UID, those that only one source can have, and that it has asked to end. */
  readonly ending: ReadonlyMap<string, Pod>;
  /** Whether all sources have. */
  readonly isComplete: boolean;
}

/** A managed pod that no source wants and no worker ends. */
export interface OrphanPod {
  readonly uid: string;
  /** `undefined` for one of which there is a directory only. */
  readonly fullName: string | undefined;
}

/** What is to be done so that there is what is wanted. */
export interface Differences {
  /** UIDs whose worker is to end and whose place at admission is to go; to be done first. */
  readonly unwanted: readonly string[];
  /** Pods that have neither a worker nor a place at admission. */
  readonly missing: readonly Pod[];
  /** Pods that have one or the other in another version. */
  readonly changed: readonly Pod[];
  /** To be ended before anything of their UID or name begins. */
  readonly orphans: readonly OrphanPod[];
  /** Pods that end, and of which their source has said since how. */
  readonly sooner: readonly Pod[];
}

/**
 * Compares what is wanted with what there is. Pure, and the same again until it is
 * acted upon: a missed change is found at the next call.
 *
 * A worker whose pod is to end does not count: the same UID wanted again needs a
 * place at admission. A pod that was renamed under its UID is another pod, also if that
 * was while no agent ran.
 */
export function reconcile(input: ReconcileInput): Differences {
  const { wanted, pending } = input;
  const workers = new Map(input.workers.map((each) => [each.uid, each]));
  const listed = new Map(input.running?.map((each) => [each.uid, each]));
  const unwanted = new Set<string>();
  const missing: Pod[] = [];
  const changed: Pod[] = [];
  const renamed: OrphanPod[] = [];
  for (const [uid, pod] of wanted) {
    const current = pending.get(uid) ?? workers.get(uid)?.state.wanted;
    if (current === pod) continue;
    const isSame = current !== undefined &&
      podFullName(current) === podFullName(pod);
    (isSame ? changed : missing).push(pod);
    if (current !== undefined && !isSame) unwanted.add(uid);
    const former = workers.has(uid) || pending.has(uid)
      ? undefined
      : formerName(pod, { listed, owned: input.owned, nameOf: input.nameOf });
    if (former !== undefined) renamed.push({ uid, fullName: former });
  }
  for (const uid of pending.keys()) if (!wanted.has(uid)) unwanted.add(uid);
  for (const [uid, worker] of workers) {
    if (worker.state.wanted !== undefined && !wanted.has(uid)) {
      unwanted.add(uid);
    }
  }
  const isKnown = (uid: string): boolean =>
    wanted.has(uid) || pending.has(uid) || workers.has(uid);
  return {
    unwanted: [...unwanted],
    missing,
    changed,
    orphans: [...renamed, ...orphansOf(input, isKnown)],
    sooner: [...input.ending.values()].filter((pod) =>
      isToldAnew(pod, workers.get(pod.metadata.uid))
    ),
  };
}

/** Whether a pod that ends does not know yet how its source wants it to. */
function isToldAnew(
  { metadata }: Pod,
  worker: Pick<WorkerView, "state"> | undefined,
): boolean {
  return worker?.state.kind === "terminating" &&
    worker.state.wanted === undefined &&
    worker.state.pod?.metadata !== metadata;
}

/** The name under which another pod of the UID runs, or ran last; `undefined` for none. */
function formerName(
  { metadata }: Pod,
  { listed, owned, nameOf }: Pick<ReconcileInput, "owned" | "nameOf"> & {
    /** By UID. */
    readonly listed: ReadonlyMap<string, PodListing>;
  },
): string | undefined {
  const { uid } = metadata;
  if (!owned.has(uid)) return undefined;
  const own = podFullName({ metadata });
  const found = listed.get(uid);
  const names = found === undefined
    ? [nameOf(uid) ?? own]
    : [found.sandboxes.map((each) => each.metadata), found].flat()
      .map((each) => podFullName({ metadata: { ...each, uid } }));
  return names.includes(own) ? undefined : names[0];
}

function orphansOf(
  input: ReconcileInput,
  isKnown: (uid: string) => boolean,
): OrphanPod[] {
  const { running, owned, ready, expected, ending, isComplete } = input;
  if (running === undefined) return [];
  const orphans: OrphanPod[] = [];
  const listed = new Set<string>();
  for (const pod of running) {
    const { uid } = pod;
    listed.add(uid);
    if (isKnown(uid) || !owned.has(uid)) continue;
    // Its own source is enough: another that is silent must not hold up the
    // successor of an orphan, which waits for the name.
    if (!isComplete && !ending.has(uid)) {
      const mayBeWanted = expected === undefined || expected.has(uid);
      if (mayBeWanted || !cameFrom(pod, ready)) continue;
    }
    orphans.push({ uid, fullName: podFullName({ metadata: pod }) });
  }
  // Directories whose pods the runtime has lost, or does not list yet.
  for (const uid of owned) {
    if (isKnown(uid) || listed.has(uid)) continue;
    // Nobody else is to be heard of what its own source ends, and waits for.
    if (!isComplete && !ending.has(uid)) continue;
    orphans.push({ uid, fullName: undefined });
  }
  return orphans;
}

/** Whether the pod came out of one of these sources, as its sandboxes say. */
function cameFrom(
  { sandboxes }: PodListing,
  sources: ReadonlySet<SourceName>,
): boolean {
  return sandboxes.length > 0 && sandboxes.every(({ annotations }) => {
    const source = sourceOf(annotations);
    return source !== undefined && sources.has(source);
  });
}
