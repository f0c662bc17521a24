/**
 * What the runtime's last list shows of pods of ours.
 *
 * @module
 */

import { type Pod, podFullName } from "../api/mod.ts";
import { type PodListing, restorePod } from "../runtime/mod.ts";
import type { SourceName } from "../source/mod.ts";
import type { WorkerView } from "./pod_record.ts";
import type { NamesSeen } from "./ports.ts";
import { sourceOf } from "./wanted_pods.ts";

/** What looking at the list needs. */
export interface SeenPodsDeps {
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /**
   * UIDs that have a directory under the root directory: what we ever started, but for
   * what has ended and is being removed.
   */
  readonly ownedUids: () => ReadonlySet<string>;
  readonly workers: { get(uid: string): WorkerView | undefined };
}

/** Answers by the last list, and remembers nothing. */
export class SeenPods implements NamesSeen {
  readonly #deps: SeenPodsDeps;

  constructor(deps: SeenPodsDeps) {
    this.#deps = deps;
  }

  alive(fullName: string): ReadonlyMap<string, bigint> | undefined {
    const listed = this.#deps.runtimePods();
    if (listed === undefined) return undefined;
    const alive = new Map<string, bigint>();
    for (const pod of listed) {
      if (pod.alive && fullNameOf(pod) === fullName && this.#counts(pod.uid)) {
        alive.set(pod.uid, aliveSince(pod));
      }
    }
    return alive;
  }

  /**
   * The pods that hold a share of the node and of which only the runtime tells: those
   * that end without a manifest, and those whose source has not spoken yet.
   * `undefined` when there may be some and there was no list yet.
   */
  strangers(): readonly Pod[] | undefined {
    const { runtimePods, ownedUids, workers } = this.#deps;
    const listed = runtimePods();
    if (listed === undefined) {
      const isAnyUnknown = [...ownedUids()].some((uid) =>
        workers.get(uid)?.pod === undefined
      );
      return isAnyUnknown ? undefined : [];
    }
    return listed.flatMap((pod) => {
      const isKnown = workers.get(pod.uid)?.pod !== undefined;
      return !pod.alive || isKnown || !this.#counts(pod.uid)
        ? []
        : [restorePod(pod)];
    });
  }

  /** The source out of which the runtime says that a pod came. */
  sourceOf(uid: string): SourceName | undefined {
    const pod = this.#deps.runtimePods()?.find((each) => each.uid === uid);
    return sourceOf(pod?.sandboxes[0]?.annotations);
  }

  /** A list may be older than the end of a pod, and another agent's pods are not ours. */
  #counts(uid: string): boolean {
    const worker = this.#deps.workers.get(uid);
    return worker === undefined
      ? this.#deps.ownedUids().has(uid)
      : worker.state.kind === "syncing" || worker.state.kind === "terminating";
  }
}

/** As {@linkcode podFullName} has it. */
function fullNameOf({ uid, name, namespace }: PodListing): string {
  return podFullName({ metadata: { uid, name, namespace } });
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

/** After every time that a runtime tells. */
const LAST_NS = 2n ** 63n;
