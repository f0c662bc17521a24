/**
 * Which pods may begin to start.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  NO_STARTS,
  slotsOf,
  type StartLane,
  type StartQueue,
  type StartSignal,
  stepStarts,
} from "../../../../mod/runtime/start/start_queue.ts";

const SLOTS = 6;

/** A signal at a time, and what it leads to. */
type Row = readonly [
  atMs: number,
  signal: StartSignal,
  begun: readonly number[],
  againMs?: number,
];

const came = (id: number, lane: StartLane = "usual"): StartSignal => {
  return { kind: "came", id, lane };
};
const over = (id: number): StartSignal => ({ kind: "over", id });
const abandoned = (id: number): StartSignal => ({ kind: "abandoned", id });
const PASSED: StartSignal = { kind: "time_passed" };

const STORIES: readonly {
  readonly what: string;
  /** @default 6 */
  readonly slots?: number;
  readonly rows: readonly Row[];
}[] = [
  {
    what: "has six at a time, and another when one has ended",
    rows: [
      ...[1, 2, 3, 4, 5, 6].map((id): Row => [0, came(id), [id]]),
      [0, came(7), [], 2_000],
      [0, came(8), [], 2_000],
      [300, over(2), [7], 2_000],
      [400, over(3), [8]],
    ],
  },
  {
    what:
      "takes the slot of what takes 2 s, the oldest first, for as many as wait",
    slots: 2,
    rows: [
      [0, came(1), [1]],
      [100, came(2), [2]],
      [200, came(3), [], 2_000],
      [1_999, PASSED, [], 2_000],
      [2_000, PASSED, [3]],
      [2_050, came(4), [], 2_100],
      [2_100, PASSED, [4]],
      // What goes on without a slot gives none back.
      [2_200, over(1), []],
      [2_200, came(5), [], 4_000],
      [2_200, over(2), [], 4_000],
      [2_300, over(3), [5]],
    ],
  },
  {
    what:
      "takes no slot as long as nobody waits, and at once when one comes later",
    slots: 1,
    rows: [
      [0, came(1), [1]],
      [60_000, PASSED, []],
      [60_000, came(2), [2]],
    ],
  },
  {
    what: "has slots of their own for those that go first, before all others",
    slots: 3,
    rows: [
      [0, came(1), [1]],
      [0, came(2), [2]],
      [0, came(3), [3]],
      [0, came(4, "first"), [4]],
      [1_000, came(5), [], 2_000],
      [1_000, came(6, "first"), [], 2_000],
      [1_200, over(1), [6], 2_000],
      // Others need a slot that those that go first leave to them.
      [1_300, over(6), [], 2_000],
      [1_400, over(4), [5]],
    ],
  },
  {
    what: "forgets one that leaves while it waits",
    slots: 1,
    rows: [
      [0, came(1), [1]],
      [0, came(2), [], 2_000],
      [0, came(3), [], 2_000],
      [10, over(2), [], 2_000],
      [20, over(1), [3]],
      [30, over(2), []],
    ],
  },
  {
    what:
      "gives on at once the slot of one that is given up while the runtime is asked",
    slots: 1,
    rows: [
      [0, came(1), [1]],
      [0, came(2), [], 2_000],
      [10, abandoned(1), [2]],
    ],
  },
];

for (const { what, rows, slots = SLOTS } of STORIES) {
  Deno.test(`stepStarts() ${what}`, () => {
    let queue = NO_STARTS;
    for (const [nowMs, signal, begun, againMs] of rows) {
      const step = stepStarts(queue, signal, { nowMs, slots });
      deepStrictEqual(
        [step.begun, step.againMs],
        [begun, againMs],
        `${JSON.stringify(signal)} at ${nowMs}`,
      );
      queue = step.queue;
    }
  });
}

for (const [slots, first] of [[1, 2], [2, 3], [4, 6], [6, 8]] as const) {
  Deno.test(`slotsOf() has ${first} for those that go first where others have ${slots}`, () => {
    deepStrictEqual(
      [slotsOf("usual", slots), slotsOf("first", slots)],
      [slots, first],
    );
  });
}

/** All that come hang; time passes in steps of 10 ms. */
function hang(
  count: number,
  options: { readonly lane: StartLane; readonly forMs: number },
): StartQueue {
  let queue = NO_STARTS;
  const step = (signal: StartSignal, nowMs: number): void => {
    ({ queue } = stepStarts(queue, signal, { nowMs, slots: SLOTS }));
  };
  for (let id = 1; id <= count; id++) step(came(id, options.lane), 0);
  for (let nowMs = 0; nowMs < options.forMs; nowMs += 10) step(PASSED, nowMs);
  return queue;
}

for (
  const [lane, most] of [["usual", 6 + 128], ["first", 8 + 256]] as const
) {
  Deno.test(`stepStarts() never has more than ${most} under way of pods that are ${lane}`, () => {
    const { waiting, holding, overdue } = hang(400, { lane, forMs: 200_000 });
    strictEqual(holding.length + overdue.length, most);
    strictEqual(waiting.length, 400 - most);
  });
}

Deno.test("stepStarts() lets the first lane begin though as many others hang as may, and more others when one has ended", () => {
  const full = hang(140, { lane: "usual", forMs: 200_000 });
  const options = { nowMs: 200_000, slots: SLOTS };
  const step = stepStarts(full, came(1_001, "first"), options);
  deepStrictEqual(step.begun, [1_001]);
  const [oldest = 0] = full.overdue;
  const { queue } = stepStarts(step.queue, over(1_001), options);
  deepStrictEqual(stepStarts(queue, over(oldest), options).begun, [135]);
});

Deno.test("stepStarts() counts what was given up while the runtime is asked among those under way", () => {
  let queue = NO_STARTS;
  let begun = 0;
  for (let id = 1; id <= 1_000; id++) {
    for (const signal of [came(id), abandoned(id)]) {
      const step = stepStarts(queue, signal, { nowMs: 0, slots: SLOTS });
      const isNew = step.begun.length > 0;
      if (isNew) begun++;
      queue = step.queue;
      if (signal.kind === "came" && !isNew) break;
    }
  }
  strictEqual(begun, SLOTS + 128);
});

Deno.test("stepStarts() keeps its bounds and its order, and lets everyone begin, whatever happens", () => {
  const move = fc.oneof(
    fc.record({
      kind: fc.constantFrom("came" as const),
      lane: fc.constantFrom<StartLane>("first", "usual"),
    }),
    fc.record({
      kind: fc.constantFrom("over" as const, "abandoned" as const),
      nth: fc.nat(30),
    }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(1_500) }),
  );
  const slotCounts = fc.integer({ min: 1, max: 9 });
  fc.assert(fc.property(fc.array(move), slotCounts, (moves, slots) => {
    let queue = NO_STARTS;
    let nowMs = 0;
    let lastId = 0;
    let dueMs: number | undefined;
    const apply = (signal: StartSignal): void => {
      const before = queue;
      const step = stepStarts(queue, signal, { nowMs, slots });
      queue = step.queue;
      dueMs = step.againMs;
      ok(dueMs === undefined || dueMs > nowMs, "it spins");
      ok(queue.holding.length <= slotsOf("first", slots), "too many slots");
      const usual = before.waiting.filter(({ lane }) => lane === "usual");
      const begun = usual.filter(({ id }) => step.begun.includes(id));
      deepStrictEqual(begun, usual.slice(0, begun.length), "the order");
      if (begun.length > 0) {
        ok(!queue.waiting.some(({ lane }) => lane === "first"), "first");
      }
    };
    const wait = (ms: number): void => {
      const endMs = nowMs + ms;
      while (dueMs !== undefined && dueMs <= endMs) {
        nowMs = dueMs;
        apply(PASSED);
      }
      nowMs = endMs;
    };
    for (const each of moves) {
      if (each.kind === "wait") wait(each.ms);
      else if (each.kind === "came") apply(came(++lastId, each.lane));
      else {
        const ids = [...queue.holding.map(({ id }) => id), ...queue.overdue];
        const id = ids[each.nth % Math.max(1, ids.length)];
        if (id !== undefined) apply({ kind: each.kind, id });
      }
    }
    // Nothing ends any more: each turn takes 2 s at most.
    wait(2_000 * (queue.waiting.length + 1));
    deepStrictEqual(queue.waiting, []);
  }));
});
