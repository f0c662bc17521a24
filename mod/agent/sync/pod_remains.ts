/**
 * What pods leave behind, handed to the collector.
 *
 * @module
 */

import type { Sessions } from "../../base/mod.ts";
import type { Pod } from "../../api/types/mod.ts";
import type { GarbageCollector } from "../../collect/mod.ts";
import { POD_RECORD } from "../../host/files/mod.ts";
import type { ObservedContainer, ObservedPod } from "../../pod/observed/mod.ts";
import {
  type DeadKept,
  findLeftovers,
  type PodRemover,
} from "../../runtime/end/mod.ts";
import type { PodObserver, RuntimePicture } from "../../picture/mod.ts";
import type { PodResources } from "../../runtime/resources/mod.ts";
import type { Retention } from "../workers/mod.ts";

interface RemainsDeps {
  readonly sessions: Pick<Sessions, "delete">;
  readonly collector: Pick<GarbageCollector, "add" | "drop" | "has">;
  readonly remover: Pick<PodRemover, keyof PodRemover>;
  readonly observer: Pick<PodObserver, "look">;
  readonly picture: Pick<RuntimePicture, "get" | "forget">;
  readonly directories: {
    endVolumes(uid: string): void;
    discard(uid: string, options?: { readonly keep?: string }): void;
    renew(uid: string): void;
  };
  readonly resources: Pick<PodResources, "remove">;
  /** How many dead containers a pod keeps, by the time that it is. */
  readonly kept: () => DeadKept;
}

/** The containers of a pod have ended; this is what is left of it. */
type Removed = Extract<Retention, "status" | "nothing">;

/**
 * Knows what of pods is of no use any more, and has it removed by others.
 *
 * Nothing here waits or fails: a pod has ended when its containers have. The directory of a
 * pod that is gone is removed last, since it marks the rest as managed. So the next agent
 * finds what this one did not finish.
 */
export class PodRemains {
  readonly #deps: RemainsDeps;
  // Both outlive the sessions of pods, as what is left in the runtime does.
  /** Pods that are being removed wholly, by UID, as they were last seen. */
  readonly #gone = new Map<string, ObservedPod | undefined>();
  /** The ids in the runtime that are of an earlier pod of the UID. */
  readonly #previous = new Map<string, ReadonlySet<string>>();

  constructor(deps: RemainsDeps) {
    this.#deps = deps;
  }

  /** Without those of which all is being removed: they have ended. */
  livingOf(uids: ReadonlySet<string>): ReadonlySet<string> {
    return this.#gone.size === 0
      ? uids
      : new Set([...uids].filter((uid) => !this.#gone.has(uid)));
  }

  /** Whether all of a pod is being removed: it has ended. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** The pod without what another pod of its UID left in the runtime. */
  ofThisLife(observed: ObservedPod): ObservedPod {
    return withoutPrevious(observed, this.#previous.get(observed.uid));
  }

  /** Older dead containers and sandboxes of a pod that lives on, but for those to be kept. */
  prune(observed: ObservedPod, kept: DeadKept = this.#deps.kept()): void {
    const { containers, sandboxes } = findLeftovers(observed, kept);
    for (const container of containers) {
      this.#addContainer(observed, container, { keepLog: false });
    }
    for (const { id } of sandboxes) this.#addSandbox(observed, id);
  }

  /** Sandboxes in which nothing runs any more, if they could not be stopped. */
  stopSandboxes(
    pod: ObservedPod,
    ids: readonly string[] = pod.sandboxes.map(({ id }) => id),
  ): void {
    const { collector, remover } = this.#deps;
    for (const id of ids) {
      collector.add({
        key: `network/${id}`,
        what: `what keeps sandbox "${id}" of ${nameOf(pod)} from stopping`,
        remove: (signal) => remover.stopSandbox(id, { signal }),
      });
    }
  }

  /** The volumes of a pod whose containers have ended, whatever comes of it. */
  endVolumes(uid: string): void {
    const { collector, directories } = this.#deps;
    try {
      // At once, so that its successor finds its claims free.
      directories.endVolumes(uid);
    } catch {
      collector.add({
        key: keysOf(uid).volumes,
        what: `the volumes of pod "${uid}"`,
        // deno-lint-ignore require-await -- a failure is a rejection
        remove: async (signal) => {
          signal.throwIfAborted();
          directories.endVolumes(uid);
        },
      });
    }
  }

  /** The cgroup of a pod that has ended and does not begin anew. */
  endCgroup(uid: string): void {
    const { collector, resources } = this.#deps;
    collector.add({
      key: keysOf(uid).cgroup,
      what: `the cgroup of pod "${uid}"`,
      remove: (signal) => resources.remove(uid, signal),
    });
  }

  /**
   * A pod that is not to be seen any more, or of which only the record is to stay that
   * says how it ended.
   */
  remove(uid: string, keep: Removed): void {
    const { collector, picture } = this.#deps;
    const seen = picture.get(uid);
    if (keep === "nothing") this.#gone.set(uid, seen);
    this.endCgroup(uid);
    let tries = 0;
    collector.add({
      key: keysOf(uid).pod,
      what: seen === undefined || seen.name === ""
        ? `the rest of pod "${uid}"`
        : `the rest of ${nameOf(seen)}`,
      remove: (signal) => {
        const isAgain = tries++ > 0;
        return this.#removePod(uid, { keep, isAgain, signal });
      },
    });
  }

  /**
   * A UID that begins anew: what it had is another pod's, but for the logs. What cannot
   * be removed stays beside the new pod and says nothing of it.
   */
  renew(uid: string): void {
    const { picture, directories } = this.#deps;
    const seen = picture.get(uid);
    if (seen !== undefined) this.#part(seen, { keepLogs: true });
    try {
      directories.renew(uid);
    } catch {
      // It goes on in the directory it has, as after a restart of the agent.
    }
  }

  /**
   * A pod that is to run: nothing of it is garbage any more. Where one of its UID was
   * being removed, the rest of that is another pod's.
   */
  reclaim({ metadata: { uid, name, namespace } }: Pod): void {
    const { collector } = this.#deps;
    for (const key of Object.values(keysOf(uid))) collector.drop(key);
    const gone = this.#gone.get(uid);
    this.#gone.delete(uid);
    if (gone === undefined) return;
    this.#part(gone, { keepLogs: false });
    // Under another name it would have other logs.
    const isSame = gone.name === name && gone.namespace === namespace;
    if (!isSame) this.#addLogs(gone);
  }

  #part(observed: ObservedPod, options: { readonly keepLogs: boolean }): void {
    const { collector } = this.#deps;
    const { uid } = observed;
    const isPending = (id: string): boolean =>
      collector.has(`sandbox/${id}`) || collector.has(`container/${id}`);
    const earlier = [...this.#previous.get(uid) ?? []].filter(isPending);
    const ids = new Set([...earlier, ...idsOf(observed)]);
    if (ids.size > 0) this.#previous.set(uid, ids);
    for (const container of observed.containers) {
      this.#addContainer(observed, container, { keepLog: options.keepLogs });
    }
    for (const { id } of observed.sandboxes) this.#addSandbox(observed, id);
  }

  async #removePod(
    uid: string,
    options: {
      readonly keep: Removed;
      readonly isAgain: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { keep, isAgain, signal } = options;
    const { observer, remover, directories, picture, sessions } = this.#deps;
    // The picture may have forgotten it by now.
    const observed = await observer.look(uid, signal, this.#gone.get(uid));
    signal.throwIfAborted();
    if (observed.containers.some(({ state }) => state === "running")) {
      // It was thought to have ended: as an orphan it ends with its grace.
      this.#gone.delete(uid);
      return;
    }
    if (this.#gone.has(uid)) this.#gone.set(uid, observed);
    await remover.removePod(observed, { isAgain, signal });
    // Asked and answered in one step, so that the pod cannot begin anew between them.
    signal.throwIfAborted();
    // The look above has begun one more.
    sessions.delete(uid);
    if (keep === "status") {
      return directories.discard(uid, { keep: POD_RECORD });
    }
    directories.discard(uid);
    this.#gone.delete(uid);
    this.#previous.delete(uid);
    // The look above has put it there again.
    picture.forget(uid);
  }

  #addContainer(
    pod: ObservedPod,
    container: ObservedContainer,
    options: { readonly keepLog: boolean },
  ): void {
    const { collector, remover } = this.#deps;
    const key = `container/${container.id}`;
    if (collector.has(key)) return;
    collector.add({
      key,
      what: `dead container "${container.name}" (${container.id}) of ${
        nameOf(pod)
      }`,
      remove: (signal) =>
        options.keepLog
          ? remover.removeRecord(pod, container, { signal })
          : remover.removeContainer(pod, container, { signal }),
    });
  }

  #addLogs(pod: ObservedPod): void {
    const { collector, remover } = this.#deps;
    collector.add({
      key: `logs/${pod.namespace}/${pod.name}/${pod.uid}`,
      what: `the logs of ${nameOf(pod)}`,
      remove: () => remover.removeLogs(pod),
    });
  }

  #addSandbox(pod: ObservedPod, id: string): void {
    const { collector, remover } = this.#deps;
    const key = `sandbox/${id}`;
    if (collector.has(key)) return;
    collector.add({
      key,
      what: `dead sandbox "${id}" of ${nameOf(pod)}`,
      remove: (signal) => remover.removeSandbox(id, { signal }),
    });
  }
}

function keysOf(uid: string) {
  return {
    volumes: `volumes/${uid}`,
    cgroup: `cgroup/${uid}`,
    pod: `pod/${uid}`,
  };
}

function nameOf({ namespace, name, uid }: ObservedPod): string {
  return `pod "${namespace}/${name}" (${uid})`;
}

/** The ids of all sandboxes and containers that are seen of a pod. */
export function idsOf({ sandboxes, containers }: ObservedPod): string[] {
  return [...sandboxes, ...containers].map(({ id }) => id);
}

/**
 * The pod that there is now. What an earlier pod of its UID left in the runtime says
 * nothing of it: not how it ended, nor that its init containers are done. As long as the
 * other's records are there their names are taken, so their numbers are given. Pure.
 *
 * @param previous the ids of the other's sandboxes and containers
 */
export function withoutPrevious(
  observed: ObservedPod,
  previous: ReadonlySet<string> | undefined,
): ObservedPod {
  if (previous === undefined) return observed;
  const { sandboxes, containers, uid, name, namespace } = observed;
  const isOwn = (each: { readonly id: string; readonly sandboxId?: string }) =>
    !previous.has(each.id) && !previous.has(each.sandboxId ?? "");
  const own = {
    sandboxes: sandboxes.filter(isOwn),
    containers: containers.filter(isOwn),
  };
  const others = {
    sandboxes: sandboxes.filter((each) => !isOwn(each)),
    containers: containers.filter((each) => !isOwn(each)),
  };
  if (others.sandboxes.length + others.containers.length === 0) return observed;
  const [newest] = sandboxes;
  return {
    // What is said of the pod as a whole is said of its newest sandbox.
    ...newest !== undefined && isOwn(newest)
      ? observed
      : { uid, name, namespace, ips: [] },
    ...own,
    taken: {
      sandboxAttempts: others.sandboxes.map(({ attempt }) => attempt),
      restartCounts: others.containers.map(({ name, restartCount }) => ({
        name,
        restartCount,
      })),
    },
  };
}
