/**
 * The agent's loop: wishes and observations in, work for the pod workers out.
 *
 * @module
 */

import {
  type Clock,
  type Logger,
  type MetricsRegistry,
  type Random,
  TaskGroup,
} from "../base/mod.ts";
import type { Pod } from "../api/mod.ts";
import type {
  PodChange,
  PodStorage,
  SourceSet,
  SourcesReady,
} from "../source/mod.ts";
import type { PodListing } from "../runtime/mod.ts";
import type { PodLifecycleEvent } from "../pleg/mod.ts";
import { Housekeeping } from "./housekeeping.ts";
import { PodWorkers } from "./pod_workers.ts";
import type { PodSyncer } from "./ports.ts";
import type { SyncEvent } from "./sync_event.ts";
import { runSyncLoop } from "./sync_loop.ts";

/** Upstream's housekeeping period. */
const HOUSEKEEPING_PERIOD_MS = 2_000;

/** What the agent is made of. */
export interface AgentDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly syncer: PodSyncer;
  readonly storage: PodStorage;
  readonly sourcesReady: SourcesReady;
  readonly sources: readonly {
    run(signal: AbortSignal): AsyncIterable<SourceSet>;
  }[];
  readonly lifecycleEvents: (
    signal: AbortSignal,
  ) => AsyncIterable<PodLifecycleEvent>;
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /** UIDs with a directory under the root directory. */
  readonly ownedUids: () => ReadonlySet<string>;
}

/** How often settled pods are looked at again. */
export interface AgentOptions {
  readonly syncFrequencyMs: number;
}

/** Wires sources, PLEG and housekeeping to the pod workers. */
export class Agent {
  readonly #deps: AgentDeps;
  readonly #workers: PodWorkers;
  readonly #housekeeping: Housekeeping;
  #lastBeatMs: number;

  constructor(deps: AgentDeps, options: AgentOptions) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#lastBeatMs = deps.clock.monotonic();
    this.#workers = new PodWorkers({
      clock: deps.clock,
      random: deps.random,
      log: deps.log,
      syncer: deps.syncer,
      names: { heldByAnother: (pod) => this.#heldByAnother(pod) },
    }, options);
    this.#housekeeping = new Housekeeping({
      log: deps.log,
      metrics: deps.metrics,
      workers: this.#workers,
      runtimePods: () => deps.runtimePods() ?? [],
      ownedUids: deps.ownedUids,
      sourcesReady: () =>
        deps.sourcesReady.allReady() && deps.runtimePods() !== undefined,
    });
  }

  /** The workers, for those who show pods. */
  get workers(): Pick<PodWorkers, "list" | "get"> {
    return this.#workers;
  }

  /** Milliseconds since the loop last finished an event: large when it hangs. */
  get idleMs(): number {
    return this.#deps.clock.monotonic() - this.#lastBeatMs;
  }

  /** Runs until `signal` aborts. Containers are left as they are. */
  async run(signal: AbortSignal): Promise<void> {
    await using tasks = new TaskGroup(signal);
    tasks.start((scope) => this.#workers.run(scope));
    await runSyncLoop(
      [
        ...this.#deps.sources.map((source) =>
          this.#sourceEvents(source, tasks.signal)
        ),
        this.#runtimeEvents(tasks.signal),
        this.#ticks(tasks.signal),
      ],
      { handle: (event) => this.#handle(event) },
      tasks.signal,
    );
    if (tasks.failure !== undefined) throw tasks.failure;
  }

  #handle(event: SyncEvent): void {
    switch (event.kind) {
      case "source_delivered":
        for (const change of this.#deps.storage.merge(event.set)) {
          this.#apply(change);
        }
        this.#deps.sourcesReady.add(event.set.source);
        // What the set no longer names may be running since before the agent's start.
        this.#housekeeping.clean();
        break;
      case "container_moved":
        this.#workers.poke(event.uid);
        break;
      case "runtime_returned":
        this.#workers.pokeUnsettled();
        break;
      case "housekeeping_due":
        this.#housekeeping.clean();
        break;
      default:
        event satisfies never;
    }
    this.#lastBeatMs = this.#deps.clock.monotonic();
  }

  #apply(change: PodChange): void {
    switch (change.op) {
      case "add":
      case "update":
      case "reconcile":
        for (const pod of change.pods) this.#workers.update(pod);
        return;
      case "delete":
      case "remove":
        for (const pod of change.pods) this.#workers.remove(pod.metadata.uid);
        return;
      default:
        change.op satisfies never;
    }
  }

  /** A pod of the same name that nobody has taken charge of yet still runs. */
  #heldByAnother(pod: Pod): boolean {
    const { name, namespace } = pod.metadata;
    const owned = this.#deps.ownedUids();
    return (this.#deps.runtimePods() ?? []).some((other) =>
      other.name === name && other.namespace === namespace &&
      owned.has(other.uid) && this.#workers.get(other.uid) === undefined &&
      isAlive(other)
    );
  }

  async *#sourceEvents(
    source: AgentDeps["sources"][number],
    signal: AbortSignal,
  ): AsyncIterable<SyncEvent> {
    for await (const set of source.run(signal)) {
      yield { kind: "source_delivered", set };
    }
  }

  async *#runtimeEvents(signal: AbortSignal): AsyncIterable<SyncEvent> {
    for await (const event of this.#deps.lifecycleEvents(signal)) {
      yield event.kind === "runtime_returned"
        ? { kind: "runtime_returned" }
        : { kind: "container_moved", uid: event.podUid };
    }
  }

  async *#ticks(signal: AbortSignal): AsyncIterable<SyncEvent> {
    while (!signal.aborted) {
      try {
        await this.#deps.clock.sleep(HOUSEKEEPING_PERIOD_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      yield { kind: "housekeeping_due" };
    }
  }
}

function isAlive(pod: PodListing): boolean {
  return pod.sandboxes.some(({ state }) => state === "ready") ||
    pod.containers.some(({ state }) => state === "running");
}
