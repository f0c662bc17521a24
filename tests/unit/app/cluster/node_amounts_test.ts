/**
 * What a scheduler may give away of a node.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../../mod/api/objects/mod.ts";
import { schedulableAmounts } from "../../../../mod/app/cluster/node_amounts.ts";
import {
  readThresholds,
  type Threshold,
} from "../../../../mod/pressure/mod.ts";

function amounts(
  texts: Readonly<Record<string, string>>,
): ReadonlyMap<string, Quantity> {
  return new Map(
    Object.entries(texts).map(([name, text]) => [name, parseQuantity(text)]),
  );
}

function thresholds(
  hard: Readonly<Record<string, string>>,
  soft: Readonly<Record<string, string>> = {},
): readonly Threshold[] {
  const read = readThresholds({
    evictionHard: hard,
    evictionSoft: soft,
    evictionSoftGracePeriod: Object.fromEntries(
      Object.keys(soft).map((signal) => [signal, "1m"]),
    ),
    evictionMinimumReclaim: {},
    mergeDefaultEvictionSettings: false,
  });
  deepStrictEqual(read.faults, []);
  return read.thresholds;
}

const NODE = {
  cpu: "4",
  memory: "4Gi",
  "ephemeral-storage": "1k",
  pods: "110",
};

for (
  const [title, hard, capacity, allocatable, left] of [
    ["nothing is kept free", {}, NODE, {}, NODE],
    [
      "an amount of memory and a part of the disk",
      { "memory.available": "1Gi", "nodefs.available": "10%" },
      NODE,
      {},
      { ...NODE, memory: "3Gi", "ephemeral-storage": "900" },
    ],
    [
      "a part is one of the whole, not of what is not reserved",
      { "nodefs.available": "10%" },
      NODE,
      { "ephemeral-storage": "500" },
      { ...NODE, "ephemeral-storage": "400" },
    ],
    [
      "bytes are whole ones",
      { "nodefs.available": "0.15%" },
      NODE,
      {},
      { ...NODE, "ephemeral-storage": "999" },
    ],
    [
      "less than nothing is nothing",
      { "memory.available": "1Gi" },
      NODE,
      { memory: "512Mi" },
      { ...NODE, memory: "0" },
    ],
    [
      "inodes and the disk of images are no amounts",
      { "nodefs.inodesFree": "5%", "imagefs.available": "15%" },
      NODE,
      {},
      NODE,
    ],
    [
      "huge pages take of the memory what they are in all",
      {},
      { ...NODE, "hugepages-2Mi": "1Gi" },
      {},
      { ...NODE, memory: "3Gi", "hugepages-2Mi": "1Gi" },
    ],
    [
      "a disk of unknown size stays unknown",
      { "nodefs.available": "10%" },
      { cpu: "4" },
      {},
      { cpu: "4" },
    ],
  ] as const
) {
  Deno.test(`schedulableAmounts(): ${title}`, () => {
    const found = schedulableAmounts({
      capacity: amounts(capacity),
      allocatable: amounts({ ...capacity, ...allocatable }),
      thresholds: thresholds(hard),
    });
    deepStrictEqual(
      Object.fromEntries(
        [...found].map(([name, amount]) => [name, formatQuantity(amount)]),
      ),
      left,
    );
  });
}

Deno.test("schedulableAmounts() keeps nothing free for soft thresholds", () => {
  const capacity = amounts(NODE);
  const found = schedulableAmounts({
    capacity,
    allocatable: capacity,
    thresholds: thresholds({}, { "memory.available": "2Gi" }),
  });
  deepStrictEqual(found, capacity);
});
