/**
 * What holds for any sequence of sets.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Pod } from "../../../mod/api/types/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import type {
  PodChange,
  SourceName,
  SourceSet,
} from "../../../mod/source/merge/source_set.ts";
import { PodStorage } from "../../../mod/source/merge/merge.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { sourcePod } from "../../support/source/source_pods.ts";
import { NO_EVENTS } from "../../support/no_ops.ts";

const SOURCES: readonly SourceName[] = ["file", "http", "api"];

const anyPod: fc.Arbitrary<Pod> = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  uid: fc.constantFrom("1", "2", "3", "4"),
  image: fc.constantFrom("x", "y"),
  label: fc.constantFrom(undefined, "1", "2"),
  isEnding: fc.boolean(),
  phase: fc.constantFrom("Pending", "Running"),
}).map(({ name, uid, image, label, isEnding, phase }) =>
  sourcePod({
    name,
    uid,
    image,
    metadata: {
      ...(label !== undefined && { labels: { label } }),
      ...(isEnding && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    status: { phase },
  })
);

const anySets: fc.Arbitrary<SourceSet[]> = fc.array(
  fc.record({
    source: fc.constantFrom(...SOURCES),
    pods: fc.array(anyPod, { maxLength: 5 }),
    objects: fc.constant([]),
    workloads: fc.constant([]),
  }),
  { maxLength: 8 },
);

function freshStorage(): PodStorage {
  return new PodStorage({
    clock: new FakeClock(),
    log: silentLogger,
    events: NO_EVENTS,
  });
}

/** The last set of each source, which is all that a fresh start would see. */
function lastSets(sets: readonly SourceSet[]): SourceSet[] {
  const last = new Map(sets.map((set) => [set.source, set]));
  // In the order in which the sources spoke first, which orders the merged state.
  return [...last.values()];
}

// A UID that comes back under another name keeps the name of old (upstream copies
// only what may change), so such sequences have no fresh twin.
function keepsNames(sets: readonly SourceSet[]): boolean {
  const names = new Map<string, string>();
  return sets.every(({ source, pods }) =>
    pods.every(({ metadata: { uid, name } }) => {
      const key = `${source} ${uid}`;
      const known = names.get(key) ?? name;
      names.set(key, name);
      return known === name;
    })
  );
}

Deno.test("PodStorage ends any sequence of sets as a fresh start would", () => {
  fc.assert(fc.property(anySets.filter(keepsNames), (sets) => {
    const storage = freshStorage();
    for (const set of sets) storage.merge(set);
    const fresh = freshStorage();
    for (const set of lastSets(sets)) fresh.merge(set);
    deepStrictEqual(storage.pods(), fresh.pods());
  }));
});

Deno.test("PodStorage tells changes that lead from each state to the next", () => {
  fc.assert(fc.property(anySets, (sets) => {
    const storage = freshStorage();
    const model = new Map<string, Pod>();
    for (const set of sets) {
      for (const change of storage.merge(set)) apply(model, change);
      const held = storage.pods();
      deepStrictEqual(
        [...model.values()].sort(byKey),
        [...held].sort(byKey),
      );
    }
  }));
});

Deno.test("PodStorage says nothing when a set is repeated", () => {
  fc.assert(fc.property(anySets, (sets) => {
    const storage = freshStorage();
    for (const set of sets) {
      storage.merge(set);
      deepStrictEqual(storage.merge(set), []);
    }
  }));
});

function apply(model: Map<string, Pod>, change: PodChange): void {
  for (const pod of change.pods) {
    const key = keyOf(pod);
    switch (change.op) {
      case "add":
        ok(!model.has(key), "an added pod is new");
        model.set(key, pod);
        break;
      case "remove":
        ok(model.delete(key), "a removed pod was there");
        break;
      default:
        ok(model.has(key), "a changed pod was there");
        model.set(key, pod);
    }
  }
}

function keyOf({ metadata }: Pod): string {
  const source = metadata.annotations?.["kubernetes.io/config.source"];
  return `${source} ${metadata.uid}`;
}

function byKey(a: Pod, b: Pod): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
