/**
 * @module
 */

import {
  deepStrictEqual,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict";
import type { Pod } from "../../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../../mod/base/telemetry/mod.ts";
import type {
  PodChange,
  SourceName,
} from "../../../../mod/source/merge/source_set.ts";
import { PodStorage } from "../../../../mod/source/merge/merge.ts";
import { SourcesReady } from "../../../../mod/source/merge/sources_ready.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { sourcePod } from "../../../support/source/source_pods.ts";
import {
  type EventOfPod,
  eventsOfPodsTo,
} from "../../../support/event_list.ts";

class Rig {
  readonly clock: FakeClock = new FakeClock(Date.UTC(2026, 1, 3, 4, 5, 6, 7));
  readonly events: EventOfPod[] = [];
  readonly storage: PodStorage = new PodStorage({
    clock: this.clock,
    log: silentLogger,
    events: eventsOfPodsTo(this.events),
  });

  set(pods: readonly Pod[], source: SourceName = "file"): readonly PodChange[] {
    return this.storage.merge({ source, pods, objects: [], workloads: [] });
  }

  /** As `op:name,name` words. */
  told(pods: readonly Pod[], source: SourceName = "file"): readonly string[] {
    return this.set(pods, source).map(({ op, pods }) =>
      `${op}:${pods.map(({ metadata }) => metadata.name)}`
    );
  }
}

Deno.test("PodStorage adds the pods of a first set, with source and time", () => {
  const rig = new Rig();
  const [change] = rig.set([sourcePod()]);
  strictEqual(change?.op, "add");
  strictEqual(change.source, "file");
  deepStrictEqual(change.pods[0]?.metadata.annotations, {
    "kubernetes.io/config.source": "file",
    "kubernetes.io/config.seen": "2026-02-03T04:05:06.007000000Z",
  });
  strictEqual(rig.storage.pods()[0], change.pods[0]);
});

Deno.test("PodStorage.complete() gives the pods of a set what they have by other objects", () => {
  const rig = new Rig();
  const set = {
    source: "file",
    pods: [sourcePod()],
    objects: [],
    workloads: [],
  } as const;
  strictEqual(rig.storage.complete(set), set);
  const storage = new PodStorage({
    clock: rig.clock,
    log: silentLogger,
    events: eventsOfPodsTo(rig.events),
    complete: (pod) => ({ ...pod, spec: { ...pod.spec, priority: 7 } }),
  });
  const completed = storage.complete(set);
  deepStrictEqual(completed.pods.map(({ spec }) => spec.priority), [7]);
  strictEqual(completed.source, "file");
});

Deno.test("PodStorage overwrites what a source says about source and time", () => {
  const rig = new Rig();
  const annotations = {
    "kubernetes.io/config.source": "api",
    "kubernetes.io/config.seen": "1999",
  };
  const [change] = rig.set(
    [sourcePod({ metadata: { annotations } })],
    "http",
  );
  deepStrictEqual(change?.pods[0]?.metadata.annotations, {
    "kubernetes.io/config.source": "http",
    "kubernetes.io/config.seen": "2026-02-03T04:05:06.007000000Z",
  });
});

Deno.test("PodStorage tells a first set without pods by an empty add, once", () => {
  const rig = new Rig();
  strictEqual(rig.storage.seen("file"), false);
  deepStrictEqual(rig.set([]), [{ op: "add", source: "file", pods: [] }]);
  strictEqual(rig.storage.seen("file"), true);
  strictEqual(rig.storage.seen("http"), false);
  deepStrictEqual(rig.set([]), []);
});

Deno.test("PodStorage says nothing of a set that means the same", () => {
  const rig = new Rig();
  rig.set([sourcePod({ metadata: { labels: {} } })]);
  rig.clock.wall = 0;
  const held = rig.storage.pods()[0];
  const finalizers = ["x"];
  const annotations = { "kubernetes.io/config.mirror": "m" };
  deepStrictEqual(rig.told([sourcePod({ metadata: { annotations } })]), []);
  deepStrictEqual(rig.told([sourcePod({ metadata: { finalizers } })]), []);
  strictEqual(rig.storage.pods()[0], held);
});

const CHANGES: readonly (readonly [string, Pod, string])[] = [
  ["another image", sourcePod({ image: "x" }), "update"],
  ["another label", sourcePod({ metadata: { labels: { a: "1" } } }), "update"],
  [
    "another annotation",
    sourcePod({ metadata: { annotations: { a: "1" } } }),
    "update",
  ],
  [
    "a deletion timestamp",
    sourcePod({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    "delete",
  ],
  [
    "another grace period",
    sourcePod({ metadata: { deletionGracePeriodSeconds: 1 } }),
    "update",
  ],
  ["another status", sourcePod({ status: { phase: "Failed" } }), "reconcile"],
];
for (const [what, changed, op] of CHANGES) {
  Deno.test(`PodStorage answers ${what} with ${op}`, () => {
    const rig = new Rig();
    rig.set([sourcePod()]);
    const before = rig.storage.pods()[0];
    rig.clock.wall = 0;
    deepStrictEqual(rig.told([changed]), [`${op}:web`]);
    const after = rig.storage.pods()[0];
    notStrictEqual(after, before);
    deepStrictEqual(before?.spec, sourcePod().spec);
    const seen = (held: Pod | undefined): string | undefined =>
      held?.metadata.annotations?.["kubernetes.io/config.seen"];
    strictEqual(seen(after), seen(before));
    // What is held now is what was asked for.
    deepStrictEqual(rig.told([changed]), []);
  });
}

Deno.test("PodStorage keeps from a held pod what an update may not change", () => {
  const rig = new Rig();
  const finalizers = ["a"];
  rig.set([sourcePod({ metadata: { finalizers, labels: { old: "1" } } })]);
  const next = sourcePod({
    image: "x",
    metadata: { finalizers: ["b"], generation: 2 },
  });
  rig.set([next]);
  const { metadata } = rig.storage.pods()[0] ?? sourcePod();
  deepStrictEqual(metadata.finalizers, finalizers);
  strictEqual(metadata.generation, 2);
  strictEqual(metadata.labels, undefined);
});

Deno.test("PodStorage orders removals first and reconciliations last", () => {
  const rig = new Rig();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => sourcePod({ name }));
  ok(a && b && c && d);
  rig.set([a, b, c, d]);
  deepStrictEqual(
    rig.told([
      sourcePod({ name: "d", status: { phase: "Running" } }),
      sourcePod({ name: "e" }),
      sourcePod({ name: "c", metadata: { deletionTimestamp: "x" } }),
      sourcePod({ name: "b", image: "x" }),
    ]),
    ["remove:a", "add:e", "update:b", "delete:c", "reconcile:d"],
  );
  deepStrictEqual(
    rig.storage.pods().map(({ metadata }) => metadata.name),
    ["d", "e", "c", "b"],
  );
});

Deno.test("PodStorage removes a pod and adds its successor of the same name", () => {
  const rig = new Rig();
  rig.set([sourcePod({ uid: "1" })]);
  deepStrictEqual(rig.told([sourcePod({ uid: "2" })]), [
    "remove:web",
    "add:web",
  ]);
});

Deno.test("PodStorage takes a fixed UID under another name for another pod", () => {
  const rig = new Rig();
  rig.set([sourcePod({ name: "old", uid: "fixed" })]);
  deepStrictEqual(rig.told([sourcePod({ name: "new", uid: "fixed" })]), [
    "remove:old",
    "add:new",
  ]);
});

Deno.test("PodStorage keeps sources apart", () => {
  const rig = new Rig();
  rig.set([sourcePod({ name: "a" })], "file");
  deepStrictEqual(rig.told([sourcePod({ name: "a" })], "http"), ["add:a"]);
  deepStrictEqual(rig.told([], "file"), ["remove:a"]);
  strictEqual(rig.storage.pods().length, 1);
});

Deno.test("PodStorage drops the second of two pods of one name, with an event", () => {
  const rig = new Rig();
  deepStrictEqual(
    rig.told([
      sourcePod({ uid: "1" }),
      sourcePod({ uid: "2" }),
      sourcePod({ uid: "3", namespace: "other" }),
      sourcePod({ uid: "1", name: "twin" }),
    ]),
    ["add:web,web"],
  );
  deepStrictEqual(
    rig.storage.pods().map(({ metadata }) => metadata.uid),
    ["1", "3"],
  );
  deepStrictEqual(
    rig.events.map(({ pod, reason, type }) => [pod.uid, reason, type]),
    [["2", "FailedValidation", "Warning"], [
      "1",
      "FailedValidation",
      "Warning",
    ]],
  );
});

Deno.test("SourcesReady waits until each source was delivered and handled", () => {
  const { storage } = new Rig();
  const ready = new SourcesReady(["file", "http"], storage);
  strictEqual(ready.allReady(), false);
  storage.merge({ source: "file", pods: [], objects: [], workloads: [] });
  ready.add("http");
  deepStrictEqual(ready.missing(), ["file", "http"]);
  ready.add("file");
  deepStrictEqual(ready.missing(), ["http"]);
  storage.merge({ source: "http", pods: [], objects: [], workloads: [] });
  strictEqual(ready.allReady(), true);
});

Deno.test("SourcesReady is ready at once without sources", () => {
  strictEqual(new SourcesReady([], new Rig().storage).allReady(), true);
});
