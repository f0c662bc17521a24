/**
 * No pod ends because something is unknown, whatever happens between any two calls.
 *
 * @module
 */

import fc from "fast-check";
import { NAMES } from "../../support/source/mounted_manifests.ts";
import {
  type Act,
  type MountedStep,
  MountedWorld,
} from "../../support/source/mounted_world.ts";

const name = fc.constantFrom(...NAMES);
const isHinted = fc.boolean();

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("put"),
      name,
      says: fc.constantFrom("v1", "v1", "v2", "garbage", "none"),
      ageMs: fc.constantFrom(60_000, 60_000, 0),
      isHinted,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("remove"), name, isHinted }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("unmount"),
      leaves: fc.constantFrom("empty", "empty", "missing"),
      isHinted,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("mount"), isHinted }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("hint"),
      name,
      change: fc.constantFrom(
        "arrived",
        "removed",
        "created",
        "written",
        "closed",
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("rescan", "heal") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fail"),
      call: fc.constantFrom("look", "list", "read"),
      path: fc.constantFrom("", "/m", "/m/a.yaml"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("disk"),
      call: fc.constantFrom("read", "write", "any"),
      code: fc.constantFrom("ENOSPC", "EIO", "EACCES"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("disk_heals") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("damage"),
      key: fc.constantFrom("/m/a.yaml", "/m/b.yaml", "directory:/m"),
    }),
  },
);

const step: fc.Arbitrary<MountedStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("act"),
      calls: fc.constantFrom(0, 0, 1, 2, 3, 4, 5, 6, 7, 8),
      act,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("pass"),
      ms: fc.constantFrom(0, 5, 100, 101, 1000, 2500, 21_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("restart"),
      isKilled: fc.boolean(),
      meanwhile: fc.array(act, { maxLength: 2 }),
    }),
  },
);

// Two seconds of them, always the same: what one in 20,000 shows is not to fail the check of
// something else. Without the seed any number may be tried by hand.
const RUNS = 400;

Deno.test("FileSource ends no pod whose manifest was not seen to be gone, and holds none for ever (I8)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { maxLength: 25, size: "max" }),
      async (isSeen, steps) => {
        await using world = new MountedWorld();
        await world.start();
        if (isSeen) await world.fill();
        for (const one of steps) await world.do(one);
        await world.settle();
      },
    ),
    { numRuns: RUNS, seed: 8 },
  );
});
