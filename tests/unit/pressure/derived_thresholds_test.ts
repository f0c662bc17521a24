/**
 * Thresholds that follow from others, and those that contradict each other.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { NodePressureManager } from "../../../mod/pressure/node_pressure_manager.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { linesTo } from "../../support/log_lines.ts";
import { withDerived } from "../../../mod/pressure/derived_thresholds.ts";
import type { PressureSignal } from "../../../mod/pressure/signals.ts";
import {
  reachable,
  thresholdConflicts,
} from "../../../mod/pressure/threshold_conflicts.ts";
import type { Amount, Threshold } from "../../../mod/pressure/thresholds.ts";

const MI = 2 ** 20;

function threshold(
  signal: PressureSignal,
  least: Amount,
  kind: Threshold["kind"] = "hard",
): Threshold {
  const reclaim = { kind: "quantity", value: 7 } as const;
  return { signal, kind, least, graceMs: kind === "soft" ? 5 : 0, reclaim };
}

const PART: Amount = { kind: "part", value: 0.1 };

const DERIVED: readonly (readonly [
  what: string,
  given: readonly Threshold[],
  limitsPods: boolean,
  wanted: readonly string[],
])[] = [
  [
    "the memory of all pods, which is limited",
    [threshold("memory.available", PART)],
    true,
    ["allocatableMemory.available hard 0"],
  ],
  [
    "nothing for pods that are not limited",
    [threshold("memory.available", PART)],
    false,
    [],
  ],
  [
    "nothing of a soft threshold of memory",
    [threshold("memory.available", PART, "soft")],
    true,
    [],
  ],
  [
    "a disk of layers like the node's",
    [
      threshold("nodefs.available", PART),
      threshold("nodefs.available", PART, "soft"),
      threshold("nodefs.inodesFree", PART),
    ],
    true,
    [
      "containerfs.available hard 0",
      "containerfs.available soft 5",
      "containerfs.inodesFree hard 0",
    ],
  ],
  [
    "nothing of others",
    [
      threshold("imagefs.available", PART),
      threshold("imagefs.inodesFree", PART),
      threshold("pid.available", PART),
    ],
    true,
    [],
  ],
];

for (const [what, given, limitsPods, wanted] of DERIVED) {
  Deno.test(`withDerived() derives ${what}`, () => {
    const all = withDerived(given, { limitsPods });
    deepStrictEqual(all.slice(0, given.length), given);
    const more = all.slice(given.length);
    deepStrictEqual(
      more.map(({ signal, kind, graceMs }) => `${signal} ${kind} ${graceMs}`),
      wanted,
    );
    for (const each of more) {
      deepStrictEqual([each.least, each.reclaim.value], [PART, 7]);
    }
  });
}

const QUANTITY: Amount = { kind: "quantity", value: 100 * MI };

function conflicts(
  hard: Amount,
  soft: Amount,
  capacityMi: number | undefined = 1000,
  signal: PressureSignal = "memory.available",
): readonly string[] {
  const observed = { capacity: capacityMi * MI, available: 0 };
  const given = threshold(signal, soft, "soft");
  const all = thresholdConflicts(
    [threshold(signal, hard), given],
    new Map([[signal, observed]]),
  );
  return all.map(({ threshold: found, message }) => {
    strictEqual(found, given);
    return message;
  });
}

Deno.test("thresholdConflicts() names both fields of a soft threshold that is not above the hard one", () => {
  deepStrictEqual(conflicts(QUANTITY, PART), [
    'Cannot use evictionSoft["memory.available"]: found "10%" beside evictionHard["memory.available"] "100Mi", wanted more than that of the 1000Mi there are',
  ]);
  deepStrictEqual(conflicts(PART, QUANTITY), [
    'Cannot use evictionSoft["memory.available"]: found "100Mi" beside evictionHard["memory.available"] "10%", wanted more than that of the 1000Mi there are',
  ]);
  const fraction = { kind: "part", value: 0.07 } as const;
  const few = { kind: "quantity", value: 700 } as const;
  deepStrictEqual(conflicts(few, fraction, 5000 / MI, "nodefs.inodesFree"), [
    'Cannot use evictionSoft["nodefs.inodesFree"]: found "7%" beside evictionHard["nodefs.inodesFree"] "700", wanted more than that of the 5000 there are',
  ]);
});

Deno.test("thresholdConflicts() finds nothing where only one counts, or another check has found it", () => {
  const [larger, smaller] = [1010, 990];
  deepStrictEqual(conflicts(QUANTITY, PART, larger), []);
  deepStrictEqual(conflicts(PART, QUANTITY, smaller), []);
  deepStrictEqual(conflicts(PART, PART), []);
  deepStrictEqual(conflicts(QUANTITY, QUANTITY), []);
  deepStrictEqual(
    conflicts(QUANTITY, PART, 1000, "containerfs.available"),
    [],
  );
  const soft = threshold("memory.available", PART, "soft");
  const hard = threshold("memory.available", QUANTITY);
  const observed = { capacity: 1000 * MI, available: 0 };
  const seen = new Map([["memory.available", observed] as const]);
  deepStrictEqual(thresholdConflicts([soft], seen), []);
  deepStrictEqual(thresholdConflicts([hard], seen), []);
  deepStrictEqual(thresholdConflicts([hard, soft], new Map()), []);
  const other = threshold("nodefs.available", QUANTITY);
  deepStrictEqual(thresholdConflicts([other, soft], seen), []);
});

for (
  const [what, least, reclaim, capacity, isReachable] of [
    ["all there is", 100, 0, 100, false],
    ["more than there is", 100, 0, 96, false],
    ["all there is with what is to be reclaimed", 60, 40, 100, false],
    ["less than there is", 60, 39, 100, true],
  ] as const
) {
  Deno.test(`reachable() judges a threshold that nobody gave and that asks for ${what}`, () => {
    const given = {
      ...threshold("memory.available", {
        kind: "quantity",
        value: least * MI,
      }),
      reclaim: { kind: "quantity", value: reclaim * MI },
    } as const;
    const all = withDerived([given], { limitsPods: true });
    const observed = { capacity: capacity * MI, available: capacity * MI };
    const seen = new Map(
      [
        ["memory.available", observed],
        ["allocatableMemory.available", observed],
      ] as const,
    );
    // What was given counts as it is.
    deepStrictEqual(
      reachable(all, seen).map(({ signal }) => signal),
      isReachable ? [...seen.keys()] : ["memory.available"],
    );
    deepStrictEqual(
      thresholdConflicts(all, seen).map(({ message }) => message),
      isReachable ? [] : [
        `Cannot use evictionHard for "allocatableMemory.available": found "${
          least + reclaim
        }Mi" with what is to be reclaimed, wanted less than the ${capacity}Mi there are`,
      ],
    );
    deepStrictEqual(reachable(all, new Map()), all);
  });
}

Deno.test("NodePressureManager ends no pod for the memory of all pods where they have less than its threshold", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  const given = threshold("memory.available", QUANTITY);
  const manager = new NodePressureManager({
    clock,
    metrics: new MetricsRegistry(),
    log: linesTo(log, { clock }),
    events: { record: () => {} },
    node: { kind: "Node", name: "edge1", namespace: "default", uid: "edge1" },
    meters: {
      layout: () => Promise.reject(new Error("not asked")),
      observe: () =>
        Promise.resolve(
          new Map([
            ["memory.available", { capacity: 256 * MI, available: 150 * MI }],
            ["allocatableMemory.available", {
              capacity: 96 * MI,
              available: 90 * MI,
            }],
          ]),
        ),
      pods: () => Promise.reject(new Error("not asked")),
    },
    pods: { running: () => [], evict: () => false, hasEnded: () => true },
    reclaimers: [],
  }, {
    thresholds: withDerived([given], { limitsPods: true }),
    transitionMs: 300_000,
    maxPodGraceSeconds: 20,
  });
  const { signal } = new AbortController();
  await manager.check(signal);
  await manager.check(signal);
  deepStrictEqual(manager.conditions, []);
  const said = log.filter((line) => line.includes("thresholds_contradict"));
  deepStrictEqual(said.length, 1);
});

Deno.test("NodePressureManager warns once of thresholds that contradict each other though the disk's capacity changes", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  const events: string[] = [];
  let capacity = 5_000;
  const signal = "nodefs.inodesFree";
  const manager = new NodePressureManager({
    clock,
    metrics: new MetricsRegistry(),
    log: linesTo(log, { clock }),
    events: { record: (_of, { message }) => events.push(message) },
    node: { kind: "Node", name: "edge1", namespace: "default", uid: "edge1" },
    meters: {
      layout: () => Promise.reject(new Error("not asked")),
      // XFS makes inodes as long as there is room: how many there are changes all the time.
      observe: () =>
        Promise.resolve(
          new Map([[signal, { capacity: capacity--, available: 4_000 }]]),
        ),
      pods: () => Promise.reject(new Error("not asked")),
    },
    pods: { running: () => [], evict: () => false, hasEnded: () => true },
    reclaimers: [],
  }, {
    thresholds: [
      threshold(signal, { kind: "quantity", value: 700 }),
      threshold(signal, { kind: "part", value: 0.07 }, "soft"),
    ],
    transitionMs: 300_000,
    maxPodGraceSeconds: 20,
  });
  const never = new AbortController().signal;
  for (let look = 0; look < 10; look++) await manager.check(never);
  strictEqual(events.length, 1);
  const said = log.filter((line) => line.includes("thresholds_contradict"));
  strictEqual(said.length, 1);
});
