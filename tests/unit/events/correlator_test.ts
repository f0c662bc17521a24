/**
 * Which events are one, too many or too often.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  combine,
  EventCorrelator,
  hashText,
  type Similar,
  takeToken,
} from "../../../mod/events/correlator.ts";

const WEB = { name: "web", namespace: "shop", uid: "u-1" };

/** How many of `times` events get through, one each `stepMs`. */
function taken(times: number, stepMs: number): number[] {
  let fullMs: number | undefined;
  const through: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    const result = takeToken(fullMs, turn * stepMs);
    ({ fullMs } = result);
    if (result.isTaken) through.push(turn);
  }
  return through;
}

// client-go events_cache.go: defaultSpamBurst 25, defaultSpamQPS 1/300.
for (
  const [what, times, stepMs, wanted] of [
    ["25 at once", 40, 0, 25],
    ["25 in half a minute", 40, 1_000, 25],
    ["one more after 300 s", 301, 1_000, 26],
    ["no more before 300 s", 300, 1_000, 25],
    ["one each 300 s for ever", 200, 300_000, 200],
    ["12 more in an hour", 3_601, 1_000, 37],
  ] as const
) {
  Deno.test(`takeToken() lets through ${what}`, () => {
    strictEqual(taken(times, stepMs).length, wanted);
  });
}

Deno.test("takeToken() never holds more than 25, however long nothing came", () => {
  let { fullMs } = takeToken(undefined, 0);
  let through = 0;
  for (let turn = 0; turn < 100; turn++) {
    const result = takeToken(fullMs, 1e9);
    ({ fullMs } = result);
    if (result.isTaken) through++;
  }
  strictEqual(through, 25);
});

/** Which of the messages are combined, given one each `stepMs`. */
function combined(messages: readonly string[], stepMs: number): number[] {
  let similar: Similar | undefined;
  return messages.flatMap((message, turn) => {
    const result = combine(similar, hashText(message), turn * stepMs);
    ({ similar } = result);
    ok(similar.hashes.length < 10);
    return result.isCombined ? [turn] : [];
  });
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, number) => `number ${number}`);

// client-go events_cache.go: defaultAggregateMaxEvents 10, defaultAggregateIntervalInSeconds 600.
for (
  const [what, messages, stepMs, wanted] of [
    ["the tenth different message and those after it", numbers(12), 1, [
      9,
      10,
      11,
    ]],
    [
      "no message that is among the first nine",
      [
        ...numbers(9),
        ...numbers(9),
      ],
      1,
      [],
    ],
    [
      "nothing when more than 600 s are between any two",
      numbers(20),
      600_001,
      [],
    ],
    ["the tenth however slowly they come up to 600 s", numbers(10), 600_000, [
      9,
    ]],
  ] as const
) {
  Deno.test(`combine() combines ${what}`, () => {
    deepStrictEqual(combined(messages, stepMs), wanted);
  });
}

Deno.test("EventCorrelator tells pods, types, reasons, containers and messages apart", () => {
  const correlator = new EventCorrelator();
  const event = { type: "Warning", reason: "R", message: "m" } as const;
  const keys = [
    correlator.correlate(WEB, event, 0),
    correlator.correlate({ ...WEB, uid: "u-2" }, event, 0),
    correlator.correlate({ ...WEB, namespace: "x" }, event, 0),
    correlator.correlate(WEB, { ...event, type: "Normal" }, 0),
    correlator.correlate(WEB, { ...event, reason: "S" }, 0),
    correlator.correlate(WEB, { ...event, fieldPath: "spec" }, 0),
    correlator.correlate(WEB, { ...event, message: "n" }, 0),
  ].map(({ key }) => key);
  strictEqual(new Set(keys).size, keys.length);
  strictEqual(correlator.correlate(WEB, event, 9e9).key, keys[0]);
});

Deno.test("EventCorrelator keeps two tables of 4096 entries at most", () => {
  const correlator = new EventCorrelator();
  const event = { type: "Warning", reason: "R", message: "m" } as const;
  for (let number = 0; number < 10_000; number++) {
    correlator.correlate({ ...WEB, uid: `u-${number}` }, event, number);
  }
  strictEqual(correlator.size, 2 * 4_096);
});

Deno.test("EventCorrelator.expire() forgets what would begin anew, and nothing else", () => {
  const correlator = new EventCorrelator();
  const event = { type: "Warning", reason: "R", message: "m" } as const;
  for (let number = 0; number < 1_000; number++) {
    correlator.correlate({ ...WEB, uid: `u-${number}` }, event, 0);
  }
  for (let times = 0; times < 25; times++) correlator.correlate(WEB, event, 0);
  correlator.expire(299_999);
  strictEqual(correlator.size, 2_000);
  // The bucket of one event is full after 300 s, that of 25 after 7500 s.
  correlator.expire(600_001);
  strictEqual(correlator.size, 1);
  strictEqual(correlator.correlate(WEB, event, 600_001).allowed, true);
  correlator.expire(7_800_000);
  strictEqual(correlator.size, 0);
});
