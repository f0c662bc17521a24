/**
 * Finds what nobody wants any more, and what was never ours.
 *
 * @module
 */

import { ANNOTATION_CONFIG_SOURCE } from "../api/mod.ts";
import type { Gauge, Logger, MetricsRegistry } from "../base/mod.ts";
import type { PodListing } from "../runtime/mod.ts";
import type { SourceName, SourcesReady } from "../source/mod.ts";
import type { PodWorkers } from "./pod_workers.ts";

/** What a look at runtime, disk and wishes needs. */
export interface HousekeepingDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly workers: PodWorkers;
  /** Whether a pod is wanted although it has no worker. */
  readonly isHeld: (uid: string) => boolean;
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /** UIDs that have a directory under the root directory: what we ever started. */
  readonly ownedUids: () => ReadonlySet<string>;
  /** Who has spoken: what a source does not name is not wanted only then. */
  readonly sources: Pick<SourcesReady, "allReady" | "isReady">;
}

/**
 * Compares what runs with what is wanted.
 *
 * A sandbox is ours if its pod is wanted or has a directory under the root
 * directory, which is made before the sandbox. Everything else on the runtime
 * is somebody else's: counted, named once, never touched.
 */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  readonly #foreignGauge: Gauge;
  readonly #orphans;
  /** Foreign pods that the log has named, as long as they are listed. */
  #named: ReadonlySet<string> = new Set();
  /** Pods of ours at the last look, as long as a list still shows them. */
  #ours: ReadonlySet<string> = new Set();

  constructor(deps: HousekeepingDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#foreignGauge = deps.metrics.gauge(
      "skerry_foreign_pods",
      "Pods on the runtime that this agent did not start and never touches",
    );
    this.#orphans = deps.metrics.counter(
      "kubelet_orphaned_runtime_pods_total",
      "Pods found on the node that no source wants and that were therefore ended",
    );
  }

  /** Ends orphans. Reads memory only, so it may run often. */
  clean(): void {
    const running = this.#deps.runtimePods();
    if (running === undefined) return;
    const owned = this.#deps.ownedUids();
    const isComplete = this.#deps.sources.allReady();
    for (const pod of running) {
      // Its own source is enough: another that is silent must not hold up the
      // successor of an orphan, which waits for the name.
      if (owned.has(pod.uid) && (isComplete || this.#isSourceReady(pod))) {
        this.#endOrphan(pod.uid, `${pod.name}_${pod.namespace}`);
      }
    }
    if (!isComplete) return;
    // A directory whose pod the runtime has lost; the UID stands for the unknown name.
    for (const uid of owned) this.#endOrphan(uid, uid);
    this.#reportForeign(running, owned);
  }

  /** Whether the source has spoken that the pod came from, as its sandboxes tell. */
  #isSourceReady({ sandboxes }: PodListing): boolean {
    const names = new Set(
      sandboxes.map(({ annotations }) => annotations[ANNOTATION_CONFIG_SOURCE]),
    );
    const ready: readonly (string | undefined)[] = SOURCES
      .filter((source) => this.#deps.sources.isReady(source));
    return names.size > 0 && [...names].every((name) => ready.includes(name));
  }

  #endOrphan(uid: string, fullName: string): void {
    if (this.#deps.workers.get(uid) !== undefined) return;
    if (this.#deps.isHeld(uid)) return;
    this.#orphans.inc();
    this.#deps.log.info("orphan_found", { pod: fullName, uid });
    this.#deps.workers.removeOrphan(uid, fullName);
  }

  #reportForeign(
    running: readonly PodListing[],
    owned: ReadonlySet<string>,
  ): void {
    const ours = new Set(owned);
    for (const { uid } of this.#deps.workers.list()) ours.add(uid);
    // A list may be older than the end of a pod of ours.
    for (const { uid } of running) if (this.#ours.has(uid)) ours.add(uid);
    this.#ours = ours;
    const foreign = running.filter(({ uid }) => !ours.has(uid));
    this.#foreignGauge.set(foreign.length);
    const named = this.#named;
    this.#named = new Set(foreign.map(({ uid }) => uid));
    for (const { uid, name, namespace } of foreign) {
      if (named.has(uid)) continue;
      this.#deps.log.warn("foreign_pod", {
        pod: `${namespace}/${name}`,
        uid,
        note: "not started by this agent: left alone",
      });
    }
  }
}

const SOURCES: readonly SourceName[] = ["file", "http", "api"];
