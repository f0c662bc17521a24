/**
 * Any interleaving of updates, restarts and failures ends where a fresh start ends.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { workloadId } from "../../../mod/api/workload/mod.ts";
import fc from "fast-check";
import {
  formatObjectId,
  type LocalObject,
  objectId,
} from "../../../mod/api/objects/mod.ts";
import type { Pod } from "../../../mod/api/types/mod.ts";
import type { NotificationMode } from "../../../mod/source/merge/merge_mux.ts";
import type {
  SourceContent,
  SourceName,
} from "../../../mod/source/merge/source_set.ts";
import { settingsMap, sourcePod } from "../../support/source/source_pods.ts";
import {
  keyOf,
  type RestartStep,
  SOURCES,
  stateOf,
  World,
} from "../../support/source/restart_world.ts";
import { manifestDeployment } from "../../support/api/workload_drafts.ts";

// A UID goes with its name, as where it is made of the content; another name under a
// fixed UID is tested by itself.
const anyPod: fc.Arbitrary<Pod> = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  generation: fc.constantFrom("1", "2"),
  image: fc.constantFrom("x", "y"),
  isLabelled: fc.boolean(),
}).map(({ name, generation, image, isLabelled }) =>
  sourcePod({
    name,
    uid: `${name}${generation}`,
    image,
    ...(isLabelled && { metadata: { labels: { l: "1" } } }),
  })
);

const anyObject: fc.Arbitrary<LocalObject> = fc.record({
  namespace: fc.constantFrom("n", "m"),
  value: fc.constantFrom("1", "2"),
  isSecret: fc.boolean(),
}).map(({ isSecret, ...draft }) => ({
  ...settingsMap(draft),
  kind: isSecret ? "Secret" as const : "ConfigMap" as const,
}));

const anyWorkload = fc.record({
  name: fc.constantFrom("web", "db"),
  replicas: fc.integer({ min: 0, max: 2 }),
}).map(manifestDeployment);

const anyContent: fc.Arbitrary<SourceContent> = fc.record({
  pods: fc.uniqueArray(anyPod, {
    maxLength: 4,
    selector: ({ metadata }) => metadata.name,
  }),
  objects: fc.uniqueArray(anyObject, {
    maxLength: 3,
    selector: (object) => formatObjectId(objectId(object)),
  }),
  workloads: fc.uniqueArray(anyWorkload, {
    maxLength: 2,
    selector: (workload) => formatObjectId(workloadId(workload)),
  }),
});

const anySource = fc.constantFrom(...SOURCES);
const anyStep: fc.Arbitrary<RestartStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      source: anySource,
      content: anyContent,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("cut" as const, "heal" as const),
      source: anySource,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("restart" as const, "kill" as const),
      settles: fc.boolean(),
    }),
  },
  fc.record({
    kind: fc.constant("disk" as const),
    failure: fc.constantFrom(undefined, "ENOSPC", "EROFS", "EIO"),
  }),
  fc.record({
    kind: fc.constant("damage" as const),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant("boot" as const) }),
);

const anyMode = fc.constantFrom<NotificationMode>(
  "incremental",
  "snapshot_and_updates",
  "snapshot",
);

Deno.test("PodConfigMux and DiskSetCheckpoint end any history as a fresh start would (SRC-24)", async () => {
  const steps = fc.array(anyStep, { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(anyMode, steps, async (mode, steps) => {
      const world = new World(mode);
      try {
        await world.life.start(world);
        for (const step of steps) await world.do(step);
        await world.heal();
        const { life } = world;
        const fresh = new World(mode);
        try {
          for (const source of SOURCES) {
            fresh.life.deliver(source, world.truth(source));
          }
          deepStrictEqual(stateOf(life), stateOf(fresh.life));
          ok(life.ready.allReady());
        } finally {
          await fresh.life.stop();
        }
      } finally {
        await world.life.stop();
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("DiskSetCheckpoint brings any content back when every source is silent (SRC-24)", async () => {
  const steps = fc.array(anyStep, { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const world = new World("incremental");
      try {
        await world.life.start(world);
        for (const step of steps) await world.do(step);
        await world.heal();
        const before = stateOf(world.life);
        for (const source of SOURCES) await world.do({ kind: "cut", source });
        await world.do({ kind: "restart", settles: false });
        deepStrictEqual(stateOf(world.life), before);
        deepStrictEqual(world.life.ready.missing(), SOURCES);
        // A checkpoint is there for each source that has spoken, and no other file
        // but what was damaged.
        const records = world.disk.namesIn("/state")
          .filter((name) => !name.includes(".corrupt-"));
        deepStrictEqual(records.length, SOURCES.length);
      } finally {
        await world.life.stop();
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("DiskSetCheckpoint restores nothing that was never accepted, whatever happens", async () => {
  const steps = fc.array(anyStep, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const world = new World("incremental");
      const accepted = new Map<SourceName, string[]>();
      try {
        await world.life.start(world);
        for (const step of steps) {
          await world.do(step);
          for (const source of SOURCES) {
            const texts = accepted.get(source) ?? [];
            accepted.set(source, [...texts, podsOf(world.truth(source))]);
          }
        }
        for (const source of SOURCES) await world.do({ kind: "cut", source });
        await world.do({ kind: "kill", settles: false });
        for (const source of SOURCES) {
          const restored = world.life.storage.pods()
            .filter((one) => keyOf(one).startsWith(`${source} `));
          const text = podsOf({ pods: restored, objects: [], workloads: [] });
          ok(restored.length === 0 || accepted.get(source)?.includes(text));
        }
      } finally {
        await world.life.stop();
      }
    }),
    { numRuns: 200 },
  );
});

function podsOf({ pods }: SourceContent): string {
  return pods.map(({ metadata, spec }) => {
    const labels = JSON.stringify(metadata.labels ?? {});
    return [metadata.uid, spec.containers[0]?.image, labels].join(" ");
  }).sort().join();
}
