import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import {
  beginReflecting,
  type Reflection,
  type ReflectionOutcome,
  type ReflectorState,
  stepReflector,
} from "../../../../mod/informer/reflector/mod.ts";
import {
  AT_10,
  closed,
  forEach,
  FRESH,
  LIST_0,
  LIST_10,
  NEWEST,
  NOW,
  page,
  paused,
  refused,
  type StepRow,
  STREAM_10,
  STREAMS,
  testSteps,
  WATCH_10,
  watchFrom,
} from "../../../support/informer/step_rows.ts";

const LISTS: readonly StepRow[] = [
  {
    name: "watches from the version of the last page",
    act: LIST_0,
    outcome: page("10"),
    next: WATCH_10,
    learnt: { version: "10" },
  },
  {
    name: "remembers at a list that it was not whole",
    act: LIST_0,
    outcome: page("10", { isWhole: false }),
    next: watchFrom("10", false),
    learnt: { version: "10" },
  },
  {
    name:
      "asks for the next page, and pages from then on if they come at 0 (TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled)",
    act: LIST_0,
    outcome: page("10", { continue: "abc" }),
    next: { ...LIST_0, continue: "abc" },
    learnt: { isPaged: true },
  },
  {
    name: "begins anew after a pause when a page leads to itself",
    act: { ...LIST_0, continue: "abc" },
    outcome: page("10", { continue: "abc" }),
    next: paused(LIST_0),
  },
  {
    name: "does not take pages of the newest list for dear ones",
    act: NEWEST,
    outcome: page("10", { continue: "abc" }),
    next: { ...NEWEST, continue: "abc" },
  },
  {
    name:
      "lists the newest at once when its version has expired (TestReflectorExpiredExactResourceVersion)",
    act: LIST_10,
    memory: AT_10,
    outcome: refused("Expired"),
    next: NEWEST,
    learnt: { isUnavailable: true },
  },
  {
    name:
      "lists the newest at once when its version is too large (TestReflectorFullListIfTooLarge, IN-02)",
    act: LIST_10,
    memory: AT_10,
    outcome: refused("ResourceVersionTooLarge"),
    next: NEWEST,
    learnt: { isUnavailable: true },
  },
  {
    name:
      "lists without pages when the rest of them has expired (TestReflectorFullListIfExpired)",
    act: { ...NEWEST, continue: "abc" },
    memory: { ...AT_10, isUnavailable: true },
    outcome: refused("Expired"),
    next: { kind: "list", version: "" },
  },
  {
    name: "pauses when the newest is refused as expired",
    act: NEWEST,
    memory: { ...AT_10, isUnavailable: true },
    outcome: refused("Expired"),
    next: paused(NEWEST),
  },
  {
    name: "forgets after a list that its version was not available",
    act: NEWEST,
    memory: { ...AT_10, isUnavailable: true },
    outcome: page("5"),
    next: watchFrom("5"),
    learnt: { version: "5", isUnavailable: false },
  },
  {
    name:
      "does not go back in time, but lists the newest after a pause (IN-06)",
    act: LIST_10,
    memory: AT_10,
    outcome: page("9"),
    next: paused(NEWEST),
    learnt: { isUnavailable: true },
  },
  {
    name: "takes a list that is as old as what it has seen",
    act: LIST_10,
    memory: AT_10,
    outcome: page("10"),
    next: WATCH_10,
  },
  {
    name: "lists in pages what it knows to be dear",
    act: WATCH_10,
    memory: { ...AT_10, isPaged: true },
    outcome: closed({ reason: "Expired" }),
    next: paused({ kind: "list", version: "12", limit: 500 }),
    learnt: { version: "12" },
  },
  ...forEach([
    "InternalError",
    "Unreachable",
    "Forbidden",
    "Garbage",
    "Timeout",
  ], (reason): StepRow => ({
    name: `pauses after a list that failed (${reason})`,
    act: LIST_0,
    outcome: { kind: "refused", reason },
    next: paused(LIST_0),
  })),
  {
    name: "begins with a stream after a list that failed, if there are any",
    act: LIST_10,
    memory: STREAMS,
    outcome: refused("InternalError"),
    next: paused(STREAM_10),
  },
];

const WATCHES: readonly StepRow[] = [
  {
    name: "opens the next watch where the last one ended",
    act: WATCH_10,
    memory: AT_10,
    outcome: closed(),
    next: watchFrom("12"),
    learnt: { version: "12" },
  },
  {
    name: "lists after a watch that said nothing and was short",
    act: WATCH_10,
    memory: AT_10,
    outcome: closed({ version: "10", events: 0, lastedMs: 999 }),
    next: paused(LIST_10),
  },
  {
    name: "opens the next watch after one that said nothing for a second",
    act: WATCH_10,
    memory: AT_10,
    outcome: closed({ version: "10", events: 0, lastedMs: 1_000 }),
    next: WATCH_10,
  },
  {
    name: "opens the next watch after a short one that said something",
    act: WATCH_10,
    memory: AT_10,
    outcome: closed({ events: 1, lastedMs: 1 }),
    next: watchFrom("12"),
    learnt: { version: "12", wasShort: true },
  },
  {
    name: "pauses after the second short watch in a row, whatever it said",
    act: WATCH_10,
    memory: { ...AT_10, wasShort: true },
    outcome: closed({ events: 1, lastedMs: 999 }),
    next: paused(watchFrom("12")),
    learnt: { version: "12" },
  },
  {
    name: "pauses after the second short watch of what was not whole",
    act: watchFrom("10", false),
    memory: { ...AT_10, wasShort: true },
    outcome: closed({ isWhole: false, events: 0, lastedMs: 1 }),
    next: paused({ kind: "list", version: "12" }),
    learnt: { version: "12" },
  },
  {
    name: "lists again after a watch of what was not whole",
    act: watchFrom("10", false),
    memory: AT_10,
    outcome: closed({ isWhole: false }),
    next: { kind: "list", version: "12" },
    learnt: { version: "12" },
  },
  {
    name: "lists again after a broken watch of what was not whole",
    act: watchFrom("10", false),
    memory: AT_10,
    outcome: closed({ isWhole: false, reason: "Unreachable" }),
    next: paused({ kind: "list", version: "12" }),
    learnt: { version: "12" },
  },
  ...forEach(
    ["Unreachable", "Timeout", "TooManyRequests"],
    (reason): StepRow => ({
      name:
        `watches on after a pause when a watch ends by ${reason} (TestNoRelistOnTooManyRequests)`,
      act: WATCH_10,
      memory: AT_10,
      outcome: closed({ reason }),
      next: paused(watchFrom("12")),
      learnt: { version: "12" },
    }),
  ),
  ...forEach(
    ["Expired", "InternalError", "Garbage", "Forbidden"],
    (reason): StepRow => ({
      name: `lists after a pause when a watch ends by ${reason} (IN-01)`,
      act: WATCH_10,
      memory: AT_10,
      outcome: closed({ reason }),
      next: paused({ kind: "list", version: "12" }),
      learnt: { version: "12" },
    }),
  ),
  ...forEach(["Unreachable", "TooManyRequests"], (reason): StepRow => ({
    name:
      `opens the same watch after a pause (${reason}, TestReflectorListAndWatchInitConnBackoff)`,
    act: WATCH_10,
    memory: AT_10,
    outcome: { kind: "refused", reason },
    next: paused(WATCH_10),
  })),
  ...forEach(
    ["Expired", "ResourceVersionTooLarge", "Forbidden", "Timeout"],
    (reason): StepRow => ({
      name: `lists after a pause when a watch does not open (${reason})`,
      act: WATCH_10,
      memory: AT_10,
      outcome: { kind: "refused", reason },
      next: paused(LIST_10),
    }),
  ),
];

testSteps(LISTS);
testSteps(WATCHES);

Deno.test("beginReflecting() streams, or lists what is at hand (TestReflectorWatchListPageSize)", () => {
  deepStrictEqual(beginReflecting({ streams: true }).act, {
    kind: "stream",
    version: "",
  });
  deepStrictEqual(beginReflecting({ streams: false }).act, LIST_0);
  deepStrictEqual(beginReflecting({ streams: false, pageLimit: 7 }).act, {
    kind: "list",
    version: "0",
    limit: 7,
  });
});

/** The pauses of one failed list after the other. */
function pauses(
  count: number,
  { chance = 0, gapMs = 0, retryAfterMs }: {
    readonly chance?: number;
    readonly gapMs?: number;
    readonly retryAfterMs?: number;
  } = {},
): readonly number[] {
  let state: ReflectorState = { act: LIST_0, memory: FRESH };
  let nowMs = 0;
  return Array.from({ length: count }, () => {
    const failure = { kind: "refused", reason: "InternalError" } as const;
    const outcome = { ...failure, retryAfterMs };
    state = stepReflector(state, outcome, { nowMs, chance });
    strictEqual(state.act.kind, "pause");
    const ms = state.act.kind === "pause" ? state.act.ms : NaN;
    nowMs += ms + gapMs;
    state = stepReflector(state, { kind: "rested" }, { nowMs, chance });
    deepStrictEqual(state.act, LIST_0);
    return ms;
  });
}

Deno.test("stepReflector() pauses 800 ms, doubles up to 30 s, and adds as much by chance", () => {
  deepStrictEqual(
    pauses(8),
    [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
  );
  deepStrictEqual(pauses(2, { chance: .5 }), [1_200, 2_400]);
});

Deno.test("stepReflector() begins anew after two minutes without a pause", () => {
  deepStrictEqual(pauses(3, { gapMs: 119_000 }), [800, 1_600, 800]);
  deepStrictEqual(pauses(2, { gapMs: 119_200 }), [800, 1_600]);
  deepStrictEqual(pauses(2, { gapMs: 119_201 }), [800, 800]);
});

Deno.test("stepReflector() waits as long as a server wishes, but a minute at most (IN-03)", () => {
  deepStrictEqual(pauses(2, { retryAfterMs: 7_000 }), [7_000, 7_000]);
  deepStrictEqual(pauses(1, { retryAfterMs: 7_000, chance: .5 }), [10_500]);
  deepStrictEqual(pauses(1, { retryAfterMs: 1e12 }), [60_000]);
  for (const retryAfterMs of [0, -5, NaN, 100]) {
    deepStrictEqual(pauses(2, { retryAfterMs }), [800, 1_600]);
  }
});

Deno.test("stepReflector() refuses what cannot have come of what was done", () => {
  const wrong: readonly [Reflection, ReflectionOutcome][] = [
    [LIST_0, { kind: "rested" }],
    [LIST_0, closed()],
    [WATCH_10, page("10")],
    [WATCH_10, { kind: "rested" }],
    [STREAM_10, page("10")],
    [paused(LIST_0), page("10")],
  ];
  for (const [act, outcome] of wrong) {
    throws(
      () => stepReflector({ act, memory: FRESH }, outcome, NOW),
      TypeError,
    );
  }
});
