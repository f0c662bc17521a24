/**
 * What the runtime's last list shows of managed pods, and what is known of others that
 * had a place here before.
 *
 * @module
 */

import type { Pod } from "../../api/types/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import { isTerminalPhase } from "../../pod/status/mod.ts";
import { type PodListing, restorePod } from "../../runtime/observe/mod.ts";
import type { SourceName } from "../../source/merge/mod.ts";
import type { StatusManager } from "../../status/mod.ts";
import type { ListedNames, WorkerView } from "../workers/mod.ts";
import { sourceOf } from "./wanted_pods.ts";

interface ListedPodsDeps {
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /**
   * UIDs that have a directory under the root directory: what we ever started, but for
   * what has ended and is being removed.
   */
  readonly ownedUids: () => ReadonlySet<string>;
  /** Whether a UID is among them. */
  readonly owns: (uid: string) => boolean;
  readonly workers: {
    get(uid: string): WorkerView | undefined;
    /** The pods of a full name that have a worker. */
    ofName(fullName: string): Iterable<WorkerView>;
  };
  /**
   * The pods that a source had which has not spoken since the agent's start;
   * `undefined` while they are not known.
   */
  readonly expectedPods: () => readonly Pod[] | undefined;
  readonly statuses: Pick<StatusManager, "get">;
}

/**
 * Answers by the last list, which is read once: what concerns one pod or one name costs the
 * same however many others there are.
 *
 * A pod that ran here keeps its name and its share of the node while its source is being
 * asked after a boot, though nothing of it is alive: it is about to start again.
 */
export class ListedPods implements ListedNames {
  readonly #deps: ListedPodsDeps;
  readonly #aliveByName = once((listed: readonly PodListing[]) =>
    Map.groupBy(
      listed.filter(({ alive }) => alive),
      (pod) => podFullName({ metadata: pod }),
    )
  );
  readonly #byUid = once((listed: readonly PodListing[]) =>
    new Map(listed.map((pod) => [pod.uid, pod]))
  );
  readonly #expectedByName = once((expected: readonly Pod[]) =>
    Map.groupBy(expected, podFullName)
  );

  constructor(deps: ListedPodsDeps) {
    this.#deps = deps;
  }

  alive(fullName: string): ReadonlyMap<string, bigint> | undefined {
    const { runtimePods, expectedPods } = this.#deps;
    const listed = runtimePods();
    const expected = expectedPods();
    if (listed === undefined || expected === undefined) return undefined;
    const named = this.#expectedByName(expected).get(fullName) ?? [];
    const alive = new Map<string, bigint>();
    for (const uid of this.#formerHolders(fullName, named)) {
      // One that is alive counts as older.
      alive.set(uid, LAST_NS);
    }
    for (const pod of this.#aliveByName(listed).get(fullName) ?? []) {
      if (this.#counts(pod.uid)) alive.set(pod.uid, aliveSince(pod));
    }
    return alive;
  }

  /**
   * The pods that hold a share of the node and that only the runtime knows: those
   * that end without a manifest, and those whose source has not spoken yet.
   * `undefined` when there may be some and there was no list yet.
   */
  unclaimed(): readonly Pod[] | undefined {
    const { runtimePods, ownedUids, workers } = this.#deps;
    const listed = runtimePods();
    const returning = this.#deps.expectedPods()?.filter((pod) =>
      this.#isReturning(pod)
    );
    if (returning === undefined) return undefined;
    if (listed === undefined) {
      const isAnyUnknown = [...ownedUids()].some((uid) =>
        workers.get(uid)?.state.pod === undefined
      );
      return isAnyUnknown ? undefined : [];
    }
    const unclaimed = new Map(returning.map((pod) => [pod.metadata.uid, pod]));
    for (const pod of listed) {
      const { uid, alive } = pod;
      const isKnown = workers.get(uid)?.state.pod !== undefined;
      if (!alive || isKnown || !this.#counts(uid)) continue;
      // The runtime knows less of it than its manifest says.
      if (!unclaimed.has(uid)) unclaimed.set(uid, restorePod(pod));
    }
    return [...unclaimed.values()];
  }

  /** The source out of which the runtime says that a pod came. */
  sourceOf(uid: string): SourceName | undefined {
    const pod = this.#byUid(this.#deps.runtimePods() ?? []).get(uid);
    return sourceOf(pod?.sandboxes[0]?.annotations);
  }

  /** The pods that ran under a name before, and run again now that it is known or soon. */
  #formerHolders(fullName: string, expected: readonly Pod[]): string[] {
    const { owns, workers } = this.#deps;
    const holders: string[] = [];
    for (const { uid, state } of workers.ofName(fullName)) {
      const isBack = state.kind === "syncing" && owns(uid) && this.#mayRun(uid);
      if (isBack) holders.push(uid);
    }
    for (const pod of expected) {
      if (this.#isReturning(pod)) holders.push(pod.metadata.uid);
    }
    return holders;
  }

  #mayRun(uid: string): boolean {
    return !isTerminalPhase(this.#deps.statuses.get(uid)?.phase);
  }

  /** Whether an expected pod ran here, and runs again unless its source does not want it any more. */
  #isReturning({ metadata: { uid } }: Pod): boolean {
    const { workers, owns } = this.#deps;
    return owns(uid) && workers.get(uid) === undefined && this.#mayRun(uid);
  }

  /** A list may be older than the end of a pod, and another agent's pods are unmanaged. */
  #counts(uid: string): boolean {
    const worker = this.#deps.workers.get(uid);
    return worker === undefined
      ? this.#deps.owns(uid)
      : worker.state.kind === "syncing" || worker.state.kind === "terminating";
  }
}

/** Works out something of a list, once as long as the list is the same. */
function once<List extends object, Result>(
  make: (list: List) => Result,
): (list: List) => Result {
  let last: { readonly list: List; readonly result: Result } | undefined;
  return (list) => {
    if (last?.list !== list) last = { list, result: make(list) };
    return last.result;
  };
}

/** When what is alive of the pod was made, the oldest of it. */
function aliveSince({ sandboxes, containers }: PodListing): bigint {
  const running = containers.filter(({ state }) =>
    state === "running" || state === "unknown"
  );
  const parts = running.length > 0
    ? running
    : sandboxes.filter(({ state }) => state === "ready");
  return parts.map(({ createdAt }) => createdAt)
    .reduce((oldest, each) => each < oldest ? each : oldest, LAST_NS);
}

/** Later than every time that a runtime has. */
const LAST_NS = 2n ** 63n;
