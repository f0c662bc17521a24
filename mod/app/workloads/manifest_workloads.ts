/**
 * The way of workloads from manifests into the node's store.
 *
 * @module
 */

import type { EventSink } from "../../api/types/mod.ts";
import type { Logger } from "../../base/telemetry/mod.ts";
import type { Heard, LocalStore, ObjectStore } from "../../local/mod.ts";
import type { SourceSet } from "../../source/merge/mod.ts";

/** What is told of what the store does not take. */
export interface ManifestWorkloadsDeps {
  readonly events: EventSink;
  readonly log: Logger;
  /** What pods of all sources refer to. */
  readonly objects: Pick<ObjectStore, "list">;
}

/** Gives the store what manifests say, and says what it does not take. */
export class ManifestWorkloads {
  readonly #store: LocalStore;
  readonly #deps: ManifestWorkloadsDeps;
  /** What was told already, so that each set does not tell it again. */
  #told: ReadonlySet<string> = new Set();

  constructor(
    store: LocalStore,
    deps: ManifestWorkloadsDeps,
  ) {
    this.#store = store;
    this.#deps = { ...deps, log: deps.log.named("source") };
  }

  /** Takes a set; to be called when the objects in it are known. */
  replace({ source, workloads }: SourceSet, heard: Heard): void {
    // It makes pods out of what the others say, and none of its own.
    if (source === "local") return;
    this.#store.showObjects(this.#deps.objects.list());
    this.#store.replaceManifests(source, workloads, heard);
    this.tellRefused();
  }

  /**
   * Tells what the store does not take, each once; also to be called when it has been read,
   * since what sources said before that is judged only then.
   */
  tellRefused(): void {
    const { refused } = this.#store;
    const told = new Set<string>();
    for (const { ref, failure: { message }, source: from } of refused) {
      const { apiVersion, kind, namespace, name } = ref;
      const key = `${kind} ${namespace}/${name} ${message}`;
      told.add(key);
      if (this.#told.has(key)) continue;
      const about = { apiVersion, kind, namespace, name, uid: "" };
      this.#deps.log.warn("workload_refused", {
        object: `${kind} ${namespace}/${name}`,
        source: from,
        reason: message,
      });
      this.#deps.events.record(about, {
        type: "Warning",
        reason: "FailedValidation",
        message,
      });
    }
    this.#told = told;
  }
}
