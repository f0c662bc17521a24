/**
 * What the fields say of thresholds.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  amountOf,
  readThresholds,
  type ThresholdFields,
} from "../../../mod/pressure/thresholds.ts";

function read(fields: Partial<ThresholdFields>) {
  return readThresholds({
    evictionHard: {},
    evictionSoft: {},
    evictionSoftGracePeriod: {},
    evictionMinimumReclaim: {},
    mergeDefaultEvictionSettings: false,
    ...fields,
  });
}

/** The thresholds in short: signal, kind and least amount. */
function shown(fields: Partial<ThresholdFields>): string[] {
  const { thresholds, faults } = read(fields);
  deepStrictEqual(faults, []);
  return thresholds.map(({ signal, kind, least }) =>
    `${signal} ${kind} ${least.kind} ${least.value}`
  );
}

const DEFAULTS = [
  "memory.available hard quantity 104857600",
  "nodefs.available hard part 0.1",
  "nodefs.inodesFree hard part 0.05",
  "imagefs.available hard part 0.15",
  "imagefs.inodesFree hard part 0.05",
];

const READ: readonly (readonly [
  what: string,
  fields: Partial<ThresholdFields>,
  wanted: readonly string[],
])[] = [
  ["upstream's where nothing is said", { evictionHard: undefined }, DEFAULTS],
  ["none of an empty map", { evictionHard: {} }, []],
  [
    "only what is said where something is",
    { evictionHard: { "memory.available": "1%" } },
    ["memory.available hard part 0.01"],
  ],
  [
    "upstream's beside what is said, if they are to be merged",
    {
      evictionHard: { "memory.available": "1Gi" },
      mergeDefaultEvictionSettings: true,
    },
    ["memory.available hard quantity 1073741824", ...DEFAULTS.slice(1)],
  ],
  [
    "none of 0% and 100%",
    { evictionHard: { "memory.available": "0%", "nodefs.available": "100%" } },
    [],
  ],
  [
    "a fraction of a percent",
    { evictionHard: { "nodefs.available": "2.5%" } },
    ["nodefs.available hard part 0.025"],
  ],
  [
    "nothing of what upstream derives",
    { evictionHard: { "containerfs.available": "10%" } },
    [],
  ],
  [
    "a soft one behind the hard ones",
    {
      evictionHard: { "nodefs.available": "5%" },
      evictionSoft: { "memory.available": "200Mi", "nodefs.available": "6%" },
      evictionSoftGracePeriod: {
        "memory.available": "1m30s",
        "nodefs.available": "0s",
      },
    },
    [
      "nodefs.available hard part 0.05",
      "memory.available soft quantity 209715200",
      "nodefs.available soft part 0.06",
    ],
  ],
];
for (const [what, fields, wanted] of READ) {
  Deno.test(`readThresholds() gives ${what}`, () => {
    deepStrictEqual(shown(fields), wanted);
  });
}

Deno.test("readThresholds() gives a soft threshold its grace, and both what is to be reclaimed", () => {
  const { thresholds } = read({
    evictionHard: { "memory.available": "100Mi" },
    evictionSoft: { "memory.available": "200Mi" },
    evictionSoftGracePeriod: { "memory.available": "1m30s" },
    evictionMinimumReclaim: { "memory.available": "5%" },
  });
  deepStrictEqual(
    thresholds.map(({ graceMs, reclaim }) => [graceMs, reclaim]),
    [
      [0, { kind: "part", value: 0.05 }],
      [90_000, { kind: "part", value: 0.05 }],
    ],
  );
});

const REFUSED: readonly (readonly [
  what: string,
  fields: Partial<ThresholdFields>,
  fault: string,
])[] = [
  [
    "a soft threshold without its grace",
    { evictionSoft: { "memory.available": "1Gi" } },
    'Cannot use evictionSoft: found "memory.available" without one in evictionSoftGracePeriod, wanted both',
  ],
  [
    "to reclaim more than there is beside a threshold",
    {
      evictionHard: { "nodefs.available": "10%" },
      evictionMinimumReclaim: { "nodefs.available": "90%" },
    },
    'Cannot use evictionMinimumReclaim["nodefs.available"]: found "90%" beside evictionHard["nodefs.available"] "10%", wanted less than 100% together',
  ],
  [
    "a grace without its threshold",
    { evictionSoftGracePeriod: { "memory.available": "1m" } },
    'Cannot use evictionSoftGracePeriod: found "memory.available" without one in evictionSoft, wanted both',
  ],
  [
    "a grace that is no duration",
    {
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "soon" },
    },
    'Cannot use evictionSoftGracePeriod["memory.available"]: found "soon", wanted a duration such as "1m30s"',
  ],
  [
    "a negative grace",
    {
      evictionSoft: { "memory.available": "1Gi" },
      evictionSoftGracePeriod: { "memory.available": "-1s" },
    },
    'Cannot use evictionSoftGracePeriod["memory.available"]: found "-1s", wanted a duration such as "1m30s"',
  ],
  ...["100Mb", "-1", "0", "101%", "-5%", "%", "1e400", "１０%"].map((amount) =>
    [
      `"${amount}"`,
      { evictionHard: { "nodefs.available": amount } },
      `Cannot use evictionHard["nodefs.available"]: found "${amount}", wanted a quantity such as "100Mi", or a percentage from 0% to 100%`,
    ] as const
  ),
  [
    "a reclaim that is no amount",
    { evictionMinimumReclaim: { "nodefs.available": "much" } },
    'Cannot use evictionMinimumReclaim["nodefs.available"]: found "much", wanted a quantity such as "100Mi", or a percentage from 0% to 100%',
  ],
  [
    "a signal that nobody knows",
    { evictionHard: { "nodefs\u0007": "1%" } },
    'Cannot use evictionHard: found the signal "nodefs\\u0007", wanted one of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available',
  ],
  [
    "a soft threshold below the hard one",
    {
      evictionHard: { "nodefs.available": "10%" },
      evictionSoft: { "nodefs.available": "5%" },
      evictionSoftGracePeriod: { "nodefs.available": "1m" },
    },
    'Cannot use evictionSoft["nodefs.available"]: found "5%" beside evictionHard["nodefs.available"] "10%", wanted more than that',
  ],
  [
    "a soft threshold as low as upstream's hard one",
    {
      evictionHard: undefined,
      evictionSoft: { "memory.available": "100Mi" },
      evictionSoftGracePeriod: { "memory.available": "1m" },
    },
    'Cannot use evictionSoft["memory.available"]: found "100Mi" beside evictionHard["memory.available"] "100Mi", wanted more than that',
  ],
];
for (const [what, fields, fault] of REFUSED) {
  Deno.test(`readThresholds() refuses ${what}`, () => {
    deepStrictEqual(read(fields).faults, [fault]);
  });
}

Deno.test("readThresholds() takes a soft percentage beside a hard quantity", () => {
  const { faults, thresholds } = read({
    evictionHard: { "memory.available": "100Mi" },
    evictionSoft: { "memory.available": "1%" },
    evictionSoftGracePeriod: { "memory.available": "1m" },
  });
  deepStrictEqual([faults.length, thresholds.length], [0, 2]);
});

for (
  const [least, reclaim] of [
    ["90%", "0"],
    ["90%", "10Gi"],
    ["100Mi", "0"],
    ["100Mi", "99%"],
    ["100%", "50%"],
    ["90%", "9%"],
  ]
) {
  Deno.test(`readThresholds() takes ${reclaim} to be reclaimed beside ${least}`, () => {
    const { faults } = read({
      evictionHard: { "memory.available": least ?? "" },
      evictionMinimumReclaim: { "memory.available": reclaim ?? "" },
    });
    deepStrictEqual(faults, []);
  });
}

Deno.test("amountOf() takes a part of what there is in all", () => {
  const observed = { capacity: 999, available: 1 };
  strictEqual(amountOf({ kind: "part", value: 0.1 }, observed), 99);
  strictEqual(amountOf({ kind: "quantity", value: 7 }, observed), 7);
});
