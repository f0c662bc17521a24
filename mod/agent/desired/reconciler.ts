/**
 * Keeps what there is in line with what the sources want.
 *
 * @module
 */

import type {
  Counter,
  Gauge,
  Logger,
  MetricsRegistry,
} from "../../base/telemetry/mod.ts";
import type { EventSink, Pod } from "../../api/types/mod.ts";
import { podRef } from "../../api/objects/mod.ts";
import { podFullName } from "../../api/vocabulary/mod.ts";
import type { PodListing } from "../../runtime/observe/mod.ts";
import type {
  PodStorage,
  SourceName,
  SourcesReady,
} from "../../source/merge/mod.ts";
import type { PodAdmission } from "./pod_admission.ts";
import { UnmanagedPods } from "./unmanaged_pods.ts";
import type { PodWorkers } from "../workers/mod.ts";
import { type OrphanPod, reconcile } from "./reconcile.ts";
import type { ListedPods } from "./listed_pods.ts";
import {
  type OutdonePod,
  SOURCE_NAMES,
  sourceOf,
  type WantedPods,
  wantedPods,
} from "./wanted_pods.ts";

interface ReconcilerDeps {
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly events: EventSink;
  readonly storage: Pick<PodStorage, "bySource">;
  readonly sourcesReady: Pick<
    SourcesReady,
    "allReady" | "isReady" | "missing"
  >;
  readonly workers: Pick<
    PodWorkers,
    "get" | "list" | "remove" | "removeOrphan"
  >;
  readonly admission: Pick<PodAdmission, "want" | "drop" | "pending">;
  readonly seen: Pick<ListedPods, "sourceOf">;
  /** The pods of sources that are being asked; `undefined` while they are not known. */
  readonly expectedPods: () => readonly Pod[] | undefined;
  /** The pods that the runtime showed at its last listing; `undefined` before the first. */
  readonly runtimePods: () => readonly PodListing[] | undefined;
  /** UIDs that have a directory under the root directory: what we ever started. */
  readonly ownedUids: () => ReadonlySet<string>;
  /** Those of them that are not being removed. */
  readonly livingUids: () => ReadonlySet<string>;
  /** The full name of a pod of an earlier agent, as far as the disk has it. */
  readonly nameOf: (uid: string) => string | undefined;
}

/** Compares what is wanted with what there is, and acts upon what differs. */
export class Reconciler {
  readonly #deps: ReconcilerDeps;
  readonly #unmanaged: UnmanagedPods;
  readonly #orphans: Counter;
  readonly #duplicates: Gauge;
  /** Pods whose UID another source has, once they have been reported. */
  #reported: ReadonlySet<string> = new Set();

  constructor(deps: ReconcilerDeps) {
    this.#deps = { ...deps, log: deps.log.named("agent") };
    this.#unmanaged = new UnmanagedPods(deps);
    this.#orphans = deps.metrics.counter(
      "kubelet_orphaned_runtime_pods_total",
      "Pods found on the node that no source wants and that were therefore ended",
    );
    this.#duplicates = deps.metrics.gauge(
      "skerry_duplicate_pods",
      "Pods that do not count because another source has one with their UID",
    );
  }

  /**
   * Looks at everything anew. Reads memory only and costs little while nothing
   * differs, so it may run often. Removals come first, so that a successor finds room;
   * what is new waits for the next review of admission.
   */
  reconcile(): void {
    const { workers, admission, sourcesReady } = this.#deps;
    const wanted = this.#wanted();
    const running = this.#deps.runtimePods();
    const owned = this.#deps.ownedUids();
    const expected = this.#deps.expectedPods();
    const isComplete = sourcesReady.allReady();
    const ending = this.#ending();
    const differences = reconcile({
      wanted: wanted.pods,
      pending: admission.pending(),
      workers: workers.list(),
      running,
      owned: this.#deps.livingUids(),
      nameOf: this.#deps.nameOf,
      ready: new Set(SOURCE_NAMES.filter((each) => sourcesReady.isReady(each))),
      expected: expected &&
        new Set(expected.map(({ metadata }) => metadata.uid)),
      ending,
      isComplete,
    });
    for (const uid of differences.unwanted) {
      admission.drop(uid);
      workers.remove(uid, ending.get(uid));
    }
    for (const { uid, ...orphan } of differences.orphans) {
      const pod = ending.get(uid);
      if (pod === undefined) this.#end({ uid, ...orphan });
      else workers.removeOrphan(uid, podFullName(pod), pod);
    }
    for (const pod of differences.sooner) {
      workers.remove(pod.metadata.uid, pod);
    }
    for (const pod of differences.missing) admission.want(pod);
    for (const pod of differences.changed) admission.want(pod);
    this.#reportOutdone(wanted.outdone);
    if (running !== undefined && isComplete) {
      this.#unmanaged.look(running, owned);
    }
  }

  /**
   * What controllers of this node, or its cluster, have deleted, by UID: those of theirs
   * are random, and of no other source.
   */
  #ending(): ReadonlyMap<string, Pod> {
    const listed = this.#deps.storage.bySource();
    const ending = new Map<string, Pod>();
    for (const source of ["local", "api"] as const) {
      for (const [uid, pod] of listed.get(source) ?? []) {
        if (pod.metadata.deletionTimestamp !== undefined) ending.set(uid, pod);
      }
    }
    return ending;
  }

  #wanted(): WantedPods {
    const { storage, workers, admission, seen } = this.#deps;
    const pending = admission.pending();
    const running = this.#deps.runtimePods();
    const owned = this.#deps.livingUids();
    return wantedPods(storage.bySource(), {
      incumbentOf: (uid) => {
        const current = pending.get(uid) ?? workers.get(uid)?.state.wanted;
        if (current !== undefined) {
          return sourceOf(current.metadata.annotations);
        }
        const isUnknown = running === undefined && owned.has(uid);
        return isUnknown ? "unknown" : seen.sourceOf(uid);
      },
      mayStillList: (source, uid) => this.#mayStillList(source, uid),
    });
  }

  #mayStillList(source: SourceName, uid: string): boolean {
    if (!this.#deps.sourcesReady.missing().includes(source)) return false;
    // What a URL had is known, and it may be away for long.
    const expected = this.#deps.expectedPods();
    return source !== "http" || expected === undefined ||
      expected.some(({ metadata }) => metadata.uid === uid);
  }

  #end({ uid, fullName = this.#deps.nameOf(uid) ?? uid }: OrphanPod): void {
    this.#orphans.inc();
    this.#deps.log.info("orphan_found", { pod: fullName, uid });
    this.#deps.workers.removeOrphan(uid, fullName);
  }

  #reportOutdone(outdone: readonly OutdonePod[]): void {
    this.#duplicates.set(outdone.length);
    const reported = this.#reported;
    this.#reported = new Set(outdone.map(keyOf));
    for (const each of outdone) {
      if (reported.has(keyOf(each))) continue;
      const { pod, source, by } = each;
      const { uid } = pod.metadata;
      this.#deps.log.warn("pod_duplicate_refused", {
        ...podRef(pod),
        source,
        by,
        field: "UID",
      });
      this.#deps.events.record(podRef(pod), {
        type: "Warning",
        reason: "FailedValidation",
        message:
          `Cannot accept the pod of source "${source}": source "${by}" has another one with the UID "${uid}"; it counts when that one goes`,
      });
    }
  }
}

function keyOf({ pod, source }: OutdonePod): string {
  return `${source}/${pod.metadata.uid}`;
}
