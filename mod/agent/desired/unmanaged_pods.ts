/**
 * Tells of the pods on the runtime that are not ours.
 *
 * @module
 */

import type {
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { PodListing } from "../../runtime/observe/mod.ts";
import type { PodWorkers } from "../workers/mod.ts";

/** What telling strangers apart needs. */
export interface ForeignPodsDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly workers: Pick<PodWorkers, "list">;
}

/**
 * Counts pods that this agent did not start, and names each of them once.
 *
 * A sandbox is ours if its pod is wanted or has a directory under the root
 * directory, which is made before the sandbox. Everything else on the runtime
 * is somebody else's: never touched.
 */
export class ForeignPods {
  readonly #deps: ForeignPodsDeps;
  readonly #gauge: Gauge;
  /** Foreign pods that the log has named, as long as they are listed. */
  #named: ReadonlySet<string> = new Set();
  /** Pods of ours at the last look, as long as a list still shows them. */
  #ours: ReadonlySet<string> = new Set();

  constructor(deps: ForeignPodsDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#gauge = deps.metrics.gauge(
      "skerry_foreign_pods",
      "Pods on the runtime that this agent did not start and never touches",
    );
  }

  /** Looks at a list, when it is known of all pods of ours that they are wanted or end. */
  look(running: readonly PodListing[], owned: ReadonlySet<string>): void {
    const ours = new Set(owned);
    for (const { uid } of this.#deps.workers.list()) ours.add(uid);
    // A list may be older than the end of a pod of ours.
    for (const { uid } of running) if (this.#ours.has(uid)) ours.add(uid);
    this.#ours = ours;
    const foreign = running.filter(({ uid }) => !ours.has(uid));
    this.#gauge.set(foreign.length);
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
