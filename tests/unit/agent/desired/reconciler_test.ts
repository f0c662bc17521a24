/**
 * Keeping what there is in line with what the sources want.
 *
 * @module
 */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { WorkerView } from "../../../../mod/agent/workers/worker_record.ts";
import { Reconciler } from "../../../../mod/agent/desired/reconciler.ts";
import type { Pod, PodEvent } from "../../../../mod/api/types/mod.ts";
import { MetricsRegistry } from "../../../../mod/base/telemetry/mod.ts";
import type { PodListing } from "../../../../mod/runtime/observe/mod.ts";
import type { SourceName } from "../../../../mod/source/merge/mod.ts";
import { gaugeOf, LogRecorder } from "../../../support/agent/recorders.ts";
import { podOf } from "../../../support/pods.ts";
import { workerView } from "../../../support/agent/worker_view.ts";
import { eventsTo } from "../../../support/event_list.ts";

/** A keeper between sources that a test fills and a node that writes down what it is told. */
class Rig {
  readonly log = new LogRecorder();
  readonly metrics = new MetricsRegistry();
  readonly events: PodEvent[] = [];
  /** What was done, in order. */
  readonly done: string[] = [];
  readonly sources = new Map<SourceName, ReadonlyMap<string, Pod>>();
  /** The sources that have not spoken yet. */
  silent: readonly SourceName[] = [];
  running: readonly PodListing[] | undefined = [];
  owned: ReadonlySet<string> = new Set();
  /** The source out of which pods ran before. */
  ranFrom: SourceName | undefined;
  /** What the URL had; `undefined` while it is not known. */
  expected: readonly Pod[] | undefined = [];
  readonly pending = new Map<string, Pod>();
  readonly workers = new Map<string, WorkerView>();
  readonly #keeper: Reconciler;

  constructor() {
    const { done, workers, pending } = this;
    this.#keeper = new Reconciler({
      log: this.log.logger,
      metrics: this.metrics,
      events: eventsTo(this.events),
      storage: { bySource: () => this.sources },
      sourcesReady: {
        allReady: () => this.silent.length === 0,
        isReady: (source) => !this.silent.includes(source),
        missing: () => this.silent,
      },
      workers: {
        get: (uid) => workers.get(uid),
        list: () => [...workers.values()],
        remove: (uid, as) => void done.push(`remove ${uid}${asked(as)}`),
        removeOrphan: (uid, fullName, pod) =>
          void done.push(`end ${uid} ${fullName}${asked(pod)}`),
      },
      admission: {
        want: (wanted) => void done.push(`want ${wanted.metadata.uid}`),
        drop: (uid) => void done.push(`drop ${uid}`),
        pending: () => pending,
      },
      seen: { sourceOf: () => this.ranFrom },
      expectedPods: () => this.expected,
      runtimePods: () => this.running,
      ownedUids: () => this.owned,
      livingUids: () => this.owned,
      nameOf: (uid) => uid === "named" ? "web_shop" : undefined,
    });
  }

  /** A source lists these and no others. */
  list(source: SourceName, ...pods: readonly Pod[]): void {
    const listed = pods.map((each) => [each.metadata.uid, each] as const);
    this.sources.set(source, new Map(listed));
  }

  /** A worker runs this pod. */
  run(of: Pod): void {
    this.workers.set(of.metadata.uid, workerView(of));
  }

  /** Looks at everything anew, and says what came of it. */
  reconcile(): readonly string[] {
    this.#keeper.reconcile();
    return this.done.splice(0);
  }

  metric(name: string): number {
    return gaugeOf(this.metrics, name);
  }
}

/** With what grace a source has a pod end. */
function asked(pod: Pod | undefined): string {
  return pod === undefined
    ? ""
    : ` in ${pod.metadata.deletionGracePeriodSeconds}`;
}

function listing(uid: string, name = uid): PodListing {
  return {
    uid,
    name,
    namespace: "shop",
    alive: true,
    sandboxes: [],
    containers: [],
  };
}

Deno.test("Reconciler.reconcile() ends what nobody wants before it asks for what is new", () => {
  const rig = new Rig();
  rig.run(podOf("old", { name: "web" }));
  rig.list("file", podOf("new", { name: "web" }), podOf("more"));
  deepStrictEqual(rig.reconcile(), [
    "drop old",
    "remove old",
    "want new",
    "want more",
  ]);
});

Deno.test("Reconciler.reconcile() passes on a pod that changed, and leaves one that did not", () => {
  const rig = new Rig();
  const same = podOf("same");
  rig.run(same);
  rig.run(podOf("changed", { labels: { version: "1" } }));
  rig.list("file", same, podOf("changed", { labels: { version: "2" } }));
  deepStrictEqual(rig.reconcile(), ["want changed"]);
});

Deno.test("Reconciler.reconcile() ends orphans under the name that the list or the disk tells, and counts them", () => {
  const rig = new Rig();
  rig.owned = new Set(["listed", "named", "nameless"]);
  rig.running = [listing("listed", "shown")];
  deepStrictEqual(rig.reconcile(), [
    "end listed shown_shop",
    "end named web_shop",
    "end nameless nameless",
  ]);
  strictEqual(rig.metric("kubelet_orphaned_runtime_pods_total"), 3);
  deepStrictEqual(rig.log.of("orphan_found").map(({ uid }) => uid), [
    "listed",
    "named",
    "nameless",
  ]);
});

Deno.test("Reconciler.reconcile() counts the pods of others once all sources have spoken and the runtime was listed", () => {
  const rig = new Rig();
  rig.silent = ["http"];
  rig.running = [listing("unmanaged")];
  rig.reconcile();
  deepStrictEqual(rig.log.of("foreign_pod"), []);
  rig.silent = [];
  rig.running = undefined;
  rig.reconcile();
  deepStrictEqual(rig.log.of("foreign_pod"), []);
  rig.running = [listing("unmanaged")];
  rig.reconcile();
  strictEqual(rig.metric("skerry_foreign_pods"), 1);
  strictEqual(rig.log.of("foreign_pod").length, 1);
});

Deno.test("Reconciler.reconcile() tells once of a pod whose UID another source has, as long as it has", () => {
  const rig = new Rig();
  // It is there before anything was looked at.
  match(rig.metrics.render(), /^skerry_duplicate_pods 0$/m);
  rig.list("file", podOf("a"));
  rig.list("http", podOf("a", { labels: { version: "2" } }));
  rig.reconcile();
  rig.reconcile();
  strictEqual(rig.metric("skerry_duplicate_pods"), 1);
  deepStrictEqual(rig.log.of("pod_duplicate_refused"), [{
    namespace: "shop",
    name: "a",
    uid: "a",
    source: "http",
    by: "file",
    field: "UID",
  }]);
  strictEqual(rig.events.length, 1);
  match(rig.events[0]?.message ?? "", /source "http": source "file" has/);
  rig.list("http");
  rig.reconcile();
  strictEqual(rig.metric("skerry_duplicate_pods"), 0);
  rig.list("http", podOf("a"));
  rig.reconcile();
  strictEqual(rig.events.length, 2);
});

Deno.test("Reconciler.reconcile() gives the pod of a file that has not spoken to no URL", () => {
  const rig = new Rig();
  rig.silent = ["file"];
  rig.ranFrom = "file";
  rig.list("http", podOf("a"));
  deepStrictEqual(rig.reconcile(), []);
  rig.silent = [];
  deepStrictEqual(rig.reconcile(), ["want a"]);
});

Deno.test("Reconciler.reconcile() keeps for a URL that has not spoken what it had, and no more", () => {
  const rig = new Rig();
  rig.silent = ["http"];
  rig.ranFrom = "http";
  rig.list("file", podOf("a"), podOf("b"));
  rig.expected = undefined;
  deepStrictEqual(rig.reconcile(), []);
  rig.expected = [podOf("a")];
  deepStrictEqual(rig.reconcile(), ["want b"]);
});

Deno.test("Reconciler.reconcile() does not guess whose a pod of ours is before the first list", () => {
  const rig = new Rig();
  rig.silent = ["file"];
  rig.running = undefined;
  rig.owned = new Set(["a"]);
  rig.list("http", podOf("a"), podOf("new"));
  deepStrictEqual(rig.reconcile(), ["want new"]);
  rig.running = [listing("a")];
  deepStrictEqual(rig.reconcile(), ["want a", "want new"]);
});

Deno.test("Reconciler.reconcile() ends what a controller has deleted while a URL is silent, also when only its directory is left", () => {
  const rig = new Rig();
  rig.silent = ["http"];
  rig.expected = undefined;
  rig.owned = new Set(["a", "b", "c"]);
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  rig.list("local", podOf("a", { metadata }), podOf("b"));
  deepStrictEqual(rig.reconcile(), [
    "end a a_shop in undefined",
    "want b",
  ]);
  rig.list("local", podOf("b"));
  rig.list("file", podOf("a", { metadata }));
  deepStrictEqual(rig.reconcile(), ["want b"]);
});

Deno.test("Reconciler.reconcile() ends a pod as its source asks, and again when that asks for less", () => {
  const rig = new Rig();
  const metadata = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  const ends = (seconds: number) =>
    podOf("a", {
      metadata: { ...metadata, deletionGracePeriodSeconds: seconds },
    });
  rig.run(podOf("a"));
  rig.list("api", ends(20));
  deepStrictEqual(rig.reconcile(), ["drop a", "remove a in 20"]);
  const state = {
    kind: "terminating",
    cause: "removed",
    graceSeconds: 20,
  } as const;
  const [told] = rig.sources.get("api")?.values() ?? [];
  rig.workers.set("a", workerView(told ?? podOf("a"), { state }));
  deepStrictEqual(rig.reconcile(), []);
  rig.list("api", ends(2));
  deepStrictEqual(rig.reconcile(), ["remove a in 2"]);
});
