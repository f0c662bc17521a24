/**
 * Logs and counts the pods on the runtime that the agent does not manage.
 *
 * @module
 */

import type {
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { PodListing } from "../../runtime/observe/mod.ts";
import type { WorkerView } from "../workers/mod.ts";

interface UnmanagedPodsDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly workers: { list(): readonly Pick<WorkerView, "uid">[] };
}

/**
 * Counts pods that this agent did not start, and names each of them once.
 *
 * A sandbox is managed if its pod is wanted or has a directory under the root
 * directory, which is made before the sandbox. The agent never touches another.
 */
export class UnmanagedPods {
  readonly #deps: UnmanagedPodsDeps;
  readonly #gauge: Gauge;
  /** Unmanaged pods that the log has named, as long as they are listed. */
  #named: ReadonlySet<string> = new Set();
  /** Managed pods at the last look, as long as a list still shows them. */
  #managed: ReadonlySet<string> = new Set();

  constructor(deps: UnmanagedPodsDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#gauge = deps.metrics.gauge(
      "skerry_foreign_pods",
      "Pods on the runtime that this agent did not start and never touches",
    );
  }

  /** Looks at a list, once every managed pod is known to be wanted or to end. */
  look(running: readonly PodListing[], owned: ReadonlySet<string>): void {
    const managed = new Set(owned);
    for (const { uid } of this.#deps.workers.list()) managed.add(uid);
    // A list may be older than the end of a managed pod.
    for (const { uid } of running) if (this.#managed.has(uid)) managed.add(uid);
    this.#managed = managed;
    const unmanaged = running.filter(({ uid }) => !managed.has(uid));
    this.#gauge.set(unmanaged.length);
    const named = this.#named;
    this.#named = new Set(unmanaged.map(({ uid }) => uid));
    for (const { uid, name, namespace } of unmanaged) {
      if (named.has(uid)) continue;
      this.#deps.log.warn("foreign_pod", {
        pod: `${namespace}/${name}`,
        uid,
        note: "not started by this agent: left alone",
      });
    }
  }
}
