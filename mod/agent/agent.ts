/**
 * The agent's loop: desired pods and observations in, work for the pod workers out.
 *
 * @module
 */

import type { Pod } from "../api/types/mod.ts";
import { StorageEvictor, type StoragePaths } from "../eviction/mod.ts";
import type { ShutdownGroup } from "../pod/lifecycle/mod.ts";
import type { BadRevision } from "../pod/recovery/mod.ts";
import type { SourceSet } from "../source/merge/mod.ts";
import {
  EvictedPods,
  ListedPods,
  type PendingVerdict,
  PodAdmission,
  Reconciler,
  ResizeGate,
  Rollbacks,
  type VersionSwap,
} from "./desired/mod.ts";
import { EndedPods, type PodOutcome } from "./sync/mod.ts";
import { heardOf, refersTo } from "./object_changes.ts";
import { shutDownNode } from "./node_shutdown.ts";
import {
  ParkedPods,
  PodWorkers,
  type ResizeJudge,
  takeProbeResult,
  type WorkerView,
} from "./workers/mod.ts";
import { evictablePods } from "./evictable_pods.ts";
import {
  eventsOf,
  housekeepingEvents,
  runSyncLoop,
  runtimeEvent,
  type SyncEvent,
  type SyncFeed,
} from "./sync_loop.ts";
import type { AdmissionNode } from "../pod/admission/mod.ts";
import type { AgentDeps } from "./agent_deps.ts";

/** How often settled pods are looked at again, and where the files of pods lie. */
export interface AgentOptions extends StoragePaths {
  readonly syncFrequencyMs: number;
}

/** Wires sources, PLEG and housekeeping to the pod workers. */
export class Agent {
  /** The pods that the node has evicted. */
  readonly evicted: Pick<EvictedPods, "review" | "stateOf">;
  readonly #deps: AgentDeps;
  readonly #workers: PodWorkers;
  readonly #parked: ParkedPods;
  readonly #admission: PodAdmission;
  readonly #resizes: ResizeGate;
  readonly #syncer: ReturnType<AgentDeps["syncer"]>;
  readonly #reconciler: Reconciler;
  readonly #evictor: StorageEvictor;
  readonly #pressure: ReturnType<AgentDeps["pressure"]>;
  readonly #rollbacks: Rollbacks;
  #lastBeatMs: number;

  constructor(deps: AgentDeps, options: AgentOptions) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#lastBeatMs = deps.clock.monotonic();
    const living = () => deps.remains.livingOf(deps.ownedUids());
    const owns = (uid: string) =>
      deps.ownedUids().has(uid) && !deps.remains.isGone(uid);
    const workers = {
      get: (uid: string) => this.#workers.get(uid),
      ofName: (fullName: string) => this.#workers.ofName(fullName),
      list: () => this.#workers.list(),
      enqueue: (uid: string) => this.#workers.enqueue(uid),
    };
    const seen = new ListedPods({ ...deps, ownedUids: living, owns, workers });
    this.#resizes = new ResizeGate({ ...deps, seen, workers });
    this.#syncer = deps.syncer(this.#resizes);
    this.#parked = new ParkedPods(this.#syncer);
    this.#workers = new PodWorkers({
      clock: deps.clock,
      random: deps.random,
      log: deps.log,
      syncer: this.#parked,
      names: seen,
      onCapacityFreed: () => {
        this.#admission.touch();
        this.#admission.review();
      },
    }, options);
    deps.whenWaiting((uid) => this.#workers.yieldPlace(uid));
    const parked = this.#parked;
    const pods = evictablePods(() => this.#workers, { ...deps, parked });
    this.#evictor = new StorageEvictor({ ...deps, pods }, options);
    const ended = new EndedPods({ ...deps, workers });
    const reclaimers = [this.#evictor, ended, ...deps.reclaimers];
    this.#pressure = deps.pressure({ pods, reclaimers });
    this.#admission = new PodAdmission({
      ...deps,
      node: () => this.#node(),
      owns,
      workers: this.#workers,
      resizes: this.#resizes,
      seen,
    });
    const [admission, shortage] = [this.#admission, this.#pressure];
    this.evicted = new EvictedPods({ ...deps, workers, admission, shortage });
    this.#rollbacks = new Rollbacks({
      ...deps,
      workers: this.#workers,
      store: deps.rollbackStore,
    });
    this.#pressure.whenChanged(() => this.#admission.touch());
    deps.whenNodeChanges(() => this.#admission.touch());
    this.#reconciler = new Reconciler({
      ...deps,
      livingUids: living,
      workers: this.#workers,
      admission: this.#admission,
      seen,
    });
  }

  /** Which pods may have other resources, and why one does not have what it asks for. */
  get resizes(): ResizeJudge {
    return this.#resizes;
  }

  /** Every pod that this agent wants to run or ends; those that the node does not take come last. */
  pods(): readonly WorkerView[] {
    return [...this.#workers.list(), ...this.#admission.list()];
  }

  /** What was rolled back, by the UID of the pod that runs in its place. */
  rolledBack(): ReadonlyMap<string, BadRevision> {
    return this.#rollbacks.list();
  }

  /** Every version of a pod that may run here: the wanted ones, and those to go back to. */
  versions(): readonly Pod[] {
    return this.#rollbacks.versions();
  }

  /** Why the node does not take a pod, or not yet; `undefined` for one that it took. */
  pendingVerdict(uid: string): PendingVerdict | undefined {
    return this.#admission.pendingVerdict(uid);
  }

  /** What the last steps of a pod came to; `undefined` where there was none. */
  outcome(uid: string): PodOutcome | undefined {
    return this.#syncer.outcome(uid);
  }

  /** Milliseconds since the loop last finished an event: large when it hangs. */
  get idleMs(): number {
    return this.#deps.clock.monotonic() - this.#lastBeatMs;
  }

  /** Runs until `signal` aborts. Containers are left as they are. */
  async run(signal: AbortSignal): Promise<void> {
    // The first listener, so that the trials are written before the store ends.
    const pause = (): void => this.#rollbacks.pause();
    signal.addEventListener("abort", pause, { once: true });
    const { clock, prober, sources, lifecycleEvents, pullEnds } = this.#deps;
    const { collector, rollbackStore, background } = this.#deps;
    const feeds: SyncFeed[] = [
      ...sources.map((source): SyncFeed => (scope) =>
        eventsOf(source.run(scope), (set) => ({
          kind: "source_delivered",
          set,
        }))
      ),
      (scope) => eventsOf(lifecycleEvents(scope), runtimeEvent),
      (scope) =>
        eventsOf(pullEnds(scope), (uid) => ({ kind: "pull_ended", uid })),
      (scope) =>
        eventsOf(prober.run(scope), (change) => ({
          kind: "probe_changed",
          change,
        })),
      (scope) => housekeepingEvents(clock, scope),
    ];
    const parts = [
      this.#workers,
      collector,
      this.#evictor,
      this.#pressure,
      rollbackStore,
      ...background,
    ];
    const handle = (event: SyncEvent): void => this.#handle(event);
    try {
      await runSyncLoop({ feeds, parts, handle }, signal);
    } finally {
      // The signal outlives an agent that fails.
      signal.removeEventListener("abort", pause);
    }
  }

  /** Whether the machine goes down: no pod starts any more. */
  get isGoingDown(): boolean {
    return this.#parked.isGoingDown;
  }

  /**
   * Stops all pods, in groups of their priority, because the machine goes down. They stay
   * wanted, and the next agent starts them again. Works while `run` does.
   *
   * @throws {unknown} the reason of `signal` when it aborts first
   */
  async shutDown(
    groups: readonly ShutdownGroup[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = { workers: this.#workers, parked: this.#parked };
    await shutDownNode(groups, { deps: { ...this.#deps, ...parts }, signal });
  }

  /** What pods are offered now. */
  #node(): AdmissionNode {
    const { conditions: pressures } = this.#pressure;
    const { isGoingDown } = this.#parked;
    return { ...this.#deps.node(), pressures, isGoingDown };
  }

  #handle(event: SyncEvent): void {
    switch (event.kind) {
      case "source_delivered":
        this.#deliver(event.set);
        break;
      case "container_moved":
        // A worker may be busy for minutes, and what runs is asked all the same.
        this.#deps.prober.look(event.uid);
        this.#workers.enqueue(event.uid);
        break;
      case "pull_ended":
        this.#workers.enqueueName(event.uid);
        break;
      case "probe_changed":
        takeProbeResult(event.change, {
          statuses: this.#deps.statuses,
          workers: this.#workers,
        });
        break;
      case "runtime_returned":
        this.#workers.enqueueUnsettled();
        this.#deps.collector.retryAll();
        break;
      case "housekeeping_due":
        // A version that was stopped is not one that does not become ready.
        if (!this.#parked.isGoingDown) this.#swapAll(this.#rollbacks.review());
        if (this.#deps.sourcesReady.allReady()) this.#rollbacks.sweep();
        this.#reconciler.reconcile();
        this.#admission.review();
        if (!this.#parked.isGoingDown) this.evicted.review();
        this.#endOrphanedSessions();
        this.#deps.events.expire();
        break;
      default:
        event satisfies never;
    }
    this.#lastBeatMs = this.#deps.clock.monotonic();
  }

  /** Objects come first, so that a pod of the same file finds them. */
  #deliver(set: SourceSet): void {
    const { objects, workloads, storage, sourcesReady } = this.#deps;
    const { source } = set;
    // Out of a checkpoint, and its source was quicker.
    if (storage.isStale(set)) return;
    const isFirst = !storage.seen(source);
    if (source === "api") objects.withhold(set.withheld ?? []);
    const heard = heardOf(set);
    const changes = objects.replace(source, set.objects, heard, set.absence);
    workloads.replace(set, heard);
    storage.merge(this.#rollbacks.apply(storage.complete(set)));
    sourcesReady.add(source);
    this.#reconciler.reconcile();
    if (changes.length > 0) {
      this.#admission.touch();
      const isConcerned = refersTo(changes);
      for (const { uid, state: { pod } } of this.#workers.list()) {
        if (pod !== undefined && isConcerned(pod)) this.#workers.enqueue(uid);
      }
      // In the first set every object is new, though none may have changed.
      if (!isFirst) this.#swapAll(this.#rollbacks.retry(isConcerned));
    }
    this.#admission.review();
  }

  /** Exchanges versions as an edit of their manifest would. */
  #swapAll(swaps: readonly VersionSwap[]): void {
    const { storage } = this.#deps;
    for (const { source, from, to } of swaps) {
      if (from.metadata.uid !== to.metadata.uid) {
        storage.merge({ op: "remove", source, pods: [from] });
      }
      storage.merge({ op: "update", source, pods: [to] });
    }
    if (swaps.length > 0) this.#reconciler.reconcile();
  }

  /** Once every source has delivered, a pod that no worker has and the disk lacks is gone. */
  #endOrphanedSessions(): void {
    if (!this.#deps.sourcesReady.allReady()) return;
    const known = new Set(this.#deps.ownedUids());
    for (const { uid } of this.pods()) known.add(uid);
    const { sessions, statuses } = this.#deps;
    for (const uid of sessions.keys()) {
      if (!known.has(uid)) sessions.delete(uid);
    }
    statuses.removeOrphanedStatuses(known);
  }
}
