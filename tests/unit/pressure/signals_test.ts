/**
 * From figures of a node to signals.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  DERIVED_SIGNALS,
  observationsOf,
  pressureOf,
  resourceOf,
  SIGNALS,
} from "../../../mod/pressure/signals.ts";

const ALL = [...SIGNALS, ...DERIVED_SIGNALS];
const LEFT = { capacity: 10, available: 5 };

Deno.test("observationsOf() gives each figure its signal", () => {
  const of = (available: number) => ({ capacity: 10, available });
  const found = observationsOf({
    memory: of(1),
    nodeFs: { bytes: of(2), inodes: of(3) },
    imageFs: { bytes: of(4), inodes: of(5) },
    processes: of(6),
    podsMemory: of(7),
    containerFs: { bytes: of(8), inodes: of(9) },
  });
  deepStrictEqual(
    ALL.map((signal) => found.get(signal)?.available),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

Deno.test("observationsOf() leaves out what is not known, and inodes that nobody counts", () => {
  const found = observationsOf({
    memory: undefined,
    nodeFs: { bytes: LEFT, inodes: { capacity: 0, available: 0 } },
    imageFs: { bytes: { capacity: 1, available: 1 }, inodes: LEFT },
    processes: undefined,
    podsMemory: undefined,
    containerFs: undefined,
  });
  deepStrictEqual([...found.keys()], [
    "nodefs.available",
    "imagefs.available",
    "imagefs.inodesFree",
  ]);
});

Deno.test("SIGNALS stand for upstream's conditions and resources", () => {
  deepStrictEqual(
    ALL.map((signal) => [pressureOf(signal), resourceOf(signal)]),
    [
      ["MemoryPressure", "memory"],
      ["DiskPressure", "ephemeral-storage"],
      ["DiskPressure", "inodes"],
      ["DiskPressure", "ephemeral-storage"],
      ["DiskPressure", "inodes"],
      ["PIDPressure", "pids"],
      ["MemoryPressure", "memory"],
      ["DiskPressure", "ephemeral-storage"],
      ["DiskPressure", "inodes"],
    ],
  );
});
