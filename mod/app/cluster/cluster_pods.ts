/**
 * The pods of the node as the cluster shows them: their statuses, their mirrors and their end.
 *
 * @module
 */

import type { EventSink, Pod } from "../../api/types/mod.ts";
import { isStaticPod, podFullName } from "../../api/vocabulary/mod.ts";
import { type Clock, type Random, TaskGroup } from "../../base/mod.ts";
import type { Logger, MetricsRegistry } from "../../base/telemetry/mod.ts";
import {
  type FailedPod,
  isMirrorPod,
  type MirrorEnd,
  MirrorPods,
  mirrorShowing,
  NameClashes,
  PodDeletions,
  PodRefusals,
} from "../../cluster/mod.ts";
import { isTerminalPhase } from "../../pod/status/mod.ts";
import { SharedInformer } from "../../informer/shared/mod.ts";
import { KubeKind, kubeResource } from "../../kube/objects/mod.ts";
import type { ApiCaller } from "../../kube/transport/mod.ts";
import type { PodStorage, SourcesReady } from "../../source/merge/mod.ts";
import {
  ApiStatusSink,
  type ShownPod,
  StatusDelivery,
  type StatusManager,
} from "../../status/mod.ts";
import { podClient } from "./cluster_clients.ts";
import type { ClusterNode } from "./cluster_node.ts";

/** What it is built on. */
export interface ClusterPodsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly transport: ApiCaller;
  readonly node: Pick<ClusterNode, "current" | "isOurs">;
  readonly nodeName: string;
  readonly statuses: StatusManager;
  readonly storage: Pick<PodStorage, "bySource">;
  readonly sourcesReady: Pick<SourcesReady, "isReady" | "missing">;
  /** Whether the agent has anything of a pod: a worker, or a directory on the disk. */
  readonly hasPod: (uid: string) => boolean;
  /** Whether something of a pod may still run. */
  readonly mayRun: (uid: string) => boolean;
  /** The pods that end here, whatever they came from; absent while it is not known what runs. */
  readonly ending: () => readonly EndingHere[] | undefined;
  /** Whether a pod is not among those that the agent is to run. */
  readonly leavesOut: (pod: Pod) => boolean;
  /** The pods that it cannot run. */
  readonly refused: () => readonly FailedPod[];
}

/** A pod that ends here, or has ended and is not cleared away yet. */
export interface EndingHere {
  readonly uid: string;
  readonly fullName: string;
  /** Whether a container of it may run. */
  readonly mayRun: boolean;
}

const POD = { apiVersion: "v1", kind: "Pod" } as const;

/** Tells the cluster of pods what became of them. */
export class ClusterPods {
  readonly kind: KubeKind<Pod>;
  /** Those that are bound to the node. */
  readonly selection: { readonly fieldSelector: string };
  readonly informer: SharedInformer<Pod>;
  readonly #deps: ClusterPodsDeps;
  readonly #mirrors: MirrorPods;
  readonly #deletions: PodDeletions;
  readonly #refusals: PodRefusals;
  readonly #clashes: NameClashes;
  readonly #sink: ApiStatusSink;
  readonly #delivery: StatusDelivery;

  constructor(deps: ClusterPodsDeps) {
    this.#deps = deps;
    const { node, transport, nodeName } = deps;
    this.kind = new KubeKind<Pod>(transport, kubeResource(POD));
    this.selection = { fieldSelector: `spec.nodeName=${nodeName}` };
    this.informer = new SharedInformer({ ...deps, source: this.kind }, {
      ...POD,
      selection: this.selection,
    });
    const client = podClient(this.kind);
    this.#mirrors = new MirrorPods({
      ...deps,
      client,
      wanted: () => node.isOurs ? this.#staticPods() : undefined,
      shown: () => this.#listed(),
      node: () => node.current,
      isComplete: () => this.#isComplete(),
      lives: ({ metadata: { uid } }) => {
        const { phase } = deps.statuses.stored(uid)?.status ?? {};
        return phase !== undefined && !isTerminalPhase(phase);
      },
      ending: () => this.#ending(),
    });
    this.#clashes = new NameClashes({
      ...deps,
      own: () => this.#ownPods(),
      shown: () => node.isOurs ? this.#listed() : undefined,
    });
    this.#deletions = new PodDeletions({
      ...deps,
      client,
      ending: () =>
        this.informer.lister.list().filter((pod) =>
          pod.metadata.deletionTimestamp !== undefined &&
          !isMirrorPod(pod)
        ),
      isGone: (pod) => this.#isGone(pod),
      close: (pod, signal) => this.#sink.close(pod, undefined, signal),
    });
    this.#refusals = new PodRefusals({
      ...deps,
      refused: () => node.isOurs ? this.#refused() : [],
      fail: ({ pod, refusal }, signal) =>
        this.#sink.close(pod, refusal, signal),
    });
    this.#sink = new ApiStatusSink({
      ...deps,
      shown: (pod) => this.#shown(pod),
      patchStatus: ({ metadata }, status, signal) =>
        this.kind.patch(metadata, {
          type: "strategic",
          subresource: "status",
          body: { metadata: { uid: metadata.uid }, status },
        }, signal),
    });
    this.#delivery = new StatusDelivery({ ...deps, sink: this.#sink });
  }

  /** Works until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    this.#deps.statuses.follow({
      changed: () => this.#wakeLinks(),
      removed: () => this.#wakeLinks(),
    });
    using _pods = this.informer.addHandler((notice) => {
      this.#wakeLinks();
      if (notice.kind !== "removed") this.#repair(notice.object);
      else this.#sink.forget(notice.object.metadata.uid);
    }, { name: "links" });
    const parts = [
      this.informer,
      this.#mirrors,
      this.#clashes,
      this.#deletions,
      this.#refusals,
      this.#delivery,
    ];
    const running = parts.map((part) =>
      tasks.start((scope) => part.run(scope))
    );
    running.push(tasks.start((scope) => this.#flushWhenSynced(scope)));
    await Promise.all(running);
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  /** The node is another one, or there are others. */
  nodeChanged(): void {
    this.#mirrors.wake();
  }

  /** The pods that cannot be run are other ones. */
  refusalsChanged(): void {
    this.#refusals.wake();
  }

  /** Tells all of it again, as far as it may be told. */
  flush(): void {
    this.#wakeLinks();
    for (const uid of this.#deps.statuses.uids()) {
      void this.#delivery.flush(uid);
    }
  }

  /** What runs here may not be what it was, or not be there any more. */
  #wakeLinks(): void {
    this.#mirrors.wake();
    this.#clashes.wake();
    this.#deletions.wake();
    this.#refusals.wake();
  }

  /** Statuses that were stored while nobody could be told. */
  async #flushWhenSynced(signal: AbortSignal): Promise<void> {
    await this.informer.synced(signal);
    this.flush();
  }

  #listed(): readonly Pod[] | undefined {
    return this.informer.hasSynced ? this.informer.lister.list() : undefined;
  }

  #staticPods(): readonly Pod[] | undefined {
    return this.#deps.sourcesReady.isReady("file")
      ? this.#ownPods().filter(isStaticPod)
      : undefined;
  }

  /** All that do not come from the cluster. */
  #ownPods(): readonly Pod[] {
    return [...this.#deps.storage.bySource()].flatMap(([source, pods]) =>
      source === "api" ? [] : [...pods.values()]
    );
  }

  /** A source of manifests that is silent may still have what nobody else has. */
  #isComplete(): boolean {
    return this.#deps.sourcesReady.missing().every((source) =>
      source !== "file" && source !== "http"
    );
  }

  #ending(): ReadonlyMap<string, MirrorEnd> | undefined {
    const here = this.#deps.ending();
    if (here === undefined) return undefined;
    const ending = new Map<string, MirrorEnd>();
    for (const pod of this.#delivery.endings()) {
      if (isStaticPod(pod)) ending.set(podFullName(pod), "untold");
    }
    for (const { fullName, mayRun } of here) {
      ending.set(fullName, mayRun ? "runs" : "untold");
    }
    return ending;
  }

  /** Whether the mirror of a pod still shows an earlier one of its name, which ends. */
  #isNext(pod: Pod): boolean {
    return this.#deps.ending()?.some(({ uid, fullName, mayRun }) =>
      mayRun && uid !== pod.metadata.uid && fullName === podFullName(pod)
    ) ?? false;
  }

  /** Those that are to be failed, of which nothing is here. */
  #refused(): readonly FailedPod[] {
    const { hasPod, refused } = this.#deps;
    return refused().filter(({ pod: { metadata: { uid }, status } }) =>
      !isTerminalPhase(status?.phase) && !hasPod(uid)
    );
  }

  #isGone(pod: Pod): boolean {
    const { storage, hasPod, leavesOut, node } = this.#deps;
    const { uid } = pod.metadata;
    const held = storage.bySource().get("api")?.get(uid);
    // What was never taken has nothing here that could end.
    const isToEnd = held === undefined
      ? leavesOut(pod)
      : held.metadata.deletionTimestamp !== undefined;
    return isToEnd && !hasPod(uid) && node.isOurs &&
      // How it ended comes first.
      !this.#delivery.isPending(uid);
  }

  #shown(pod: Pod): ShownPod {
    if (!this.informer.hasSynced || !this.#deps.node.isOurs) {
      return { kind: "unknown" };
    }
    const { namespace, name } = pod.metadata;
    const named = this.informer.lister.get(namespace, name);
    const isStatic = isStaticPod(pod);
    if (isStatic && this.#isNext(pod)) return { kind: "absent" };
    const found = isStatic ? mirrorShowing(named) : named;
    return found === undefined
      ? { kind: "absent" }
      : { kind: "present", pod: found };
  }

  /** What somebody wrote over a status is set right; a mirror that has come gets its status. */
  #repair(shown: Pod): void {
    for (const uid of this.#toldAs(shown)) {
      const stored = this.#deps.statuses.stored(uid);
      if (stored === undefined) continue;
      if (!this.#sink.hasDrifted(stored, shown)) continue;
      this.#delivery.forget(uid);
      void this.#delivery.flush(uid);
    }
  }

  /** The UIDs here of what the cluster shows as a pod: its own, or those of its manifests. */
  #toldAs(shown: Pod): readonly string[] {
    if (!isMirrorPod(shown)) return [shown.metadata.uid];
    const fullName = podFullName(shown);
    return this.#ownPods().filter((pod) =>
      isStaticPod(pod) && podFullName(pod) === fullName
    ).map(({ metadata }) => metadata.uid);
  }
}
