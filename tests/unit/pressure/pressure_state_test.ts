/**
 * Shortages over time: grace, minimum reclaim, and how long a condition stays.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import {
  judgePressure,
  NO_PRESSURE,
  type PressureState,
} from "../../../mod/pressure/pressure_state.ts";
import type {
  Observation,
  PressureSignal,
} from "../../../mod/pressure/signals.ts";
import type { Threshold } from "../../../mod/pressure/thresholds.ts";

const TRANSITION_MS = 300_000;

function threshold(
  signal: PressureSignal,
  least: number,
  more: Partial<Threshold> = {},
): Threshold {
  return {
    signal,
    kind: "hard",
    least: { kind: "quantity", value: least },
    graceMs: 0,
    reclaim: { kind: "quantity", value: 0 },
    ...more,
  };
}

/** What one look finds: what is left of each signal, at which second. */
type Look = readonly [
  atSeconds: number,
  Partial<Record<PressureSignal, number>>,
];

/** The conditions and the acute signals after each look. */
function follow(
  thresholds: readonly Threshold[],
  looks: readonly Look[],
): string[] {
  let state: PressureState = NO_PRESSURE;
  return looks.map(([atSeconds, left]) => {
    const observations = new Map<PressureSignal, Observation>();
    for (const { signal } of thresholds) {
      const available = left[signal];
      if (available === undefined) continue;
      observations.set(signal, { capacity: 1000, available });
    }
    const judged = judgePressure(state, {
      thresholds,
      observations,
      nowMs: atSeconds * 1000,
      transitionMs: TRANSITION_MS,
    });
    state = judged.state;
    const acute = judged.acute.map(({ signal, kind }) => `${signal} ${kind}`);
    return `${judged.conditions.join("+") || "-"} | ${acute.join(", ") || "-"}`;
  });
}

const MEMORY = "memory.available";
const DISK = "nodefs.available";

const ROWS: readonly (readonly [
  what: string,
  thresholds: readonly Threshold[],
  looks: readonly Look[],
  wanted: readonly string[],
])[] = [
  [
    "calls no exact hit a shortage",
    [threshold(MEMORY, 100)],
    [[0, { [MEMORY]: 100 }], [10, { [MEMORY]: 99 }]],
    ["- | -", "MemoryPressure | memory.available hard"],
  ],
  [
    "keeps a condition for the transition period after it was last found",
    [threshold(DISK, 100)],
    [
      [0, { [DISK]: 1 }],
      [10, { [DISK]: 500 }],
      [299, { [DISK]: 500 }],
      [300, { [DISK]: 500 }],
    ],
    [
      "DiskPressure | nodefs.available hard",
      "DiskPressure | -",
      "DiskPressure | -",
      "- | -",
    ],
  ],
  [
    "begins the transition anew with each shortage",
    [threshold(DISK, 100)],
    [
      [0, { [DISK]: 1 }],
      [200, { [DISK]: 1 }],
      [400, { [DISK]: 500 }],
      [500, { [DISK]: 500 }],
    ],
    [
      "DiskPressure | nodefs.available hard",
      "DiskPressure | nodefs.available hard",
      "DiskPressure | -",
      "- | -",
    ],
  ],
  [
    "shows the condition of a soft shortage at once, and acts after its grace",
    [threshold(MEMORY, 100, { kind: "soft", graceMs: 60_000 })],
    [[0, { [MEMORY]: 50 }], [59, { [MEMORY]: 50 }], [60, { [MEMORY]: 50 }]],
    [
      "MemoryPressure | -",
      "MemoryPressure | -",
      "MemoryPressure | memory.available soft",
    ],
  ],
  [
    "begins the grace anew when a soft shortage was over between",
    [threshold(MEMORY, 100, { kind: "soft", graceMs: 60_000 })],
    [
      [0, { [MEMORY]: 50 }],
      [50, { [MEMORY]: 100 }],
      [70, { [MEMORY]: 50 }],
      [130, { [MEMORY]: 50 }],
    ],
    [
      "MemoryPressure | -",
      "MemoryPressure | -",
      "MemoryPressure | -",
      "MemoryPressure | memory.available soft",
    ],
  ],
  [
    "goes on until the minimum is reclaimed",
    [threshold(DISK, 100, { reclaim: { kind: "part", value: 0.05 } })],
    [
      [0, { [DISK]: 120 }],
      [10, { [DISK]: 99 }],
      [20, { [DISK]: 149 }],
      [30, { [DISK]: 150 }],
      [40, { [DISK]: 120 }],
    ],
    [
      "- | -",
      "DiskPressure | nodefs.available hard",
      "DiskPressure | nodefs.available hard",
      "DiskPressure | -",
      "DiskPressure | -",
    ],
  ],
  [
    "wants no minimum of a soft shortage that never became acute",
    [threshold(DISK, 100, {
      kind: "soft",
      graceMs: 60_000,
      reclaim: { kind: "quantity", value: 100 },
    })],
    [[0, { [DISK]: 50 }], [10, { [DISK]: 150 }], [310, { [DISK]: 150 }]],
    ["DiskPressure | -", "DiskPressure | -", "- | -"],
  ],
  [
    "takes what is not measured for no shortage and for no end of one",
    [threshold(DISK, 100)],
    [
      [0, {}],
      [10, { [DISK]: 1 }],
      [20, {}],
      [400, {}],
      [410, { [DISK]: 500 }],
      [710, { [DISK]: 500 }],
    ],
    [
      "- | -",
      "DiskPressure | nodefs.available hard",
      "DiskPressure | -",
      "DiskPressure | -",
      "DiskPressure | -",
      "- | -",
    ],
  ],
  [
    "puts memory before the disk, and hard before soft",
    [
      threshold(DISK, 100),
      threshold(MEMORY, 200, { kind: "soft" }),
      threshold(MEMORY, 100),
    ],
    [[0, { [DISK]: 1, [MEMORY]: 1 }]],
    [
      "MemoryPressure+DiskPressure | memory.available hard, memory.available soft, nodefs.available hard",
    ],
  ],
];
for (const [what, thresholds, looks, wanted] of ROWS) {
  Deno.test(`judgePressure() ${what} (GC-07)`, () => {
    deepStrictEqual(follow(thresholds, looks), wanted);
  });
}
