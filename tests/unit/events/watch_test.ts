/**
 * What watchers of events are told.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type EventChange, EventHistory } from "../../../mod/events/history.ts";

const LIMITS = { events: 3, bytes: 1e6, ageMs: 1_000 };

const now = () => 0;

function unnumbered(reason: string) {
  return {
    type: "Normal",
    reason,
    message: "",
    pod: { name: "web", namespace: "shop", uid: "u-1" },
    firstMs: 0,
    lastMs: 0,
    bornMs: 0,
    count: 1,
    trace: {
      identity: reason,
      firstMs: 0,
      lastMs: 0,
      loggedMs: 0,
      unsaid: 0,
      isHeldBack: false,
    },
  } as const;
}

function textOf(change: EventChange | undefined): string {
  if (change === undefined) return "";
  return change.kind === "lost"
    ? "lost"
    : `${change.kind} ${change.event.reason} ${change.event.sequence}`;
}

/** Reads on as long as something is there. */
async function rest(
  history: EventHistory,
  after?: number,
): Promise<string[]> {
  const stop = new AbortController();
  const changes = history.watch(stop.signal, {
    now,
    ...after !== undefined && { after },
  });
  const read: string[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const next = changes.next();
    const first = await Promise.race([next, Promise.resolve().then(pause)]);
    if (first === undefined) {
      stop.abort();
      await next;
      break;
    }
    if (first.done === true) break;
    read.push(textOf(first.value));
  }
  return read;
}

// Some turns of the loop of promises: more than a generator takes for what it has.
async function pause(): Promise<undefined> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

function told(history: EventHistory, ...reasons: string[]): EventHistory {
  for (const reason of reasons) {
    history.add(reason, unnumbered(reason), history.get(reason, 0)?.id);
  }
  return history;
}

Deno.test("EventHistory.watch() gives all that is kept, then what comes", async () => {
  const history = told(new EventHistory(LIMITS, 100), "A", "B");
  const stop = new AbortController();
  const changes = history.watch(stop.signal, { now });
  strictEqual(textOf((await changes.next()).value ?? undefined), "added A 101");
  strictEqual(textOf((await changes.next()).value ?? undefined), "added B 102");
  const next = changes.next();
  told(history, "A");
  strictEqual(textOf((await next).value ?? undefined), "modified A 103");
  const last = changes.next();
  stop.abort();
  strictEqual((await last).done, true);
});

for (
  const [what, after, wanted] of [
    ["that was told last", 105, []],
    ["in between", 103, ["added C 104", "modified A 105"]],
    ["that is the oldest one it can go on from", 101, [
      "added B 103",
      "added C 104",
      "added A 105",
    ]],
    ["of which something was forgotten since", 100, ["lost"]],
    ["of an earlier run", 7, ["lost"]],
    ["from the future", 106, ["lost"]],
  ] as const
) {
  Deno.test(`EventHistory.watch() goes on from a number ${what}`, async () => {
    const history = new EventHistory(LIMITS, 100);
    // Z is forgotten once C comes.
    told(history, "Z", "A", "B", "C", "A");
    deepStrictEqual(await rest(history, after), wanted);
  });
}

Deno.test("EventHistory.watch() calls an event modified that happens again and was the last one seen", async () => {
  const history = told(new EventHistory(LIMITS, 0), "A", "B");
  told(history, "B");
  deepStrictEqual(await rest(history, 2), ["modified B 3"]);
});

Deno.test("EventHistory.watch() gives what changed twice once", async () => {
  const history = told(new EventHistory(LIMITS, 0), "A", "B", "A", "A");
  deepStrictEqual(await rest(history), ["added B 2", "added A 4"]);
});

Deno.test("EventHistory.watch() tells a reader that is too slow that it lost something", async () => {
  const history = told(new EventHistory(LIMITS, 0), "A");
  const stop = new AbortController();
  const changes = history.watch(stop.signal, { now });
  strictEqual(textOf((await changes.next()).value ?? undefined), "added A 1");
  told(history, "B", "C", "D", "E", "F");
  strictEqual(textOf((await changes.next()).value ?? undefined), "lost");
  strictEqual((await changes.next()).done, true);
});

Deno.test("EventHistory.amend() tells nobody and keeps the place", async () => {
  const history = told(new EventHistory(LIMITS, 0), "A", "B");
  history.amend("A", { ...unnumbered("A"), count: 5 });
  deepStrictEqual(history.list(0).map(({ reason, count }) => [reason, count]), [
    ["A", 5],
    ["B", 1],
  ]);
  deepStrictEqual(await rest(history, 2), []);
});

Deno.test("EventHistory.watch() looks only at what is new, and tells of nothing too old", async () => {
  const history = new EventHistory({ ...LIMITS, events: 1_000 }, 0);
  for (let number = 0; number < 1_000; number++) told(history, `R${number}`);
  let looks = 0;
  const nowCounted = (): number => {
    looks++;
    return 500;
  };
  const stop = new AbortController();
  const options = { after: 1_000, now: nowCounted };
  const changes = history.watch(stop.signal, options);
  const next = changes.next();
  told(history, "new");
  strictEqual(textOf((await next).value ?? undefined), "added new 1001");
  strictEqual(looks, 1);
  stop.abort();
  await changes.next();
  const late = new AbortController();
  const later = history.watch(late.signal, { now: () => 1_000 }).next();
  late.abort();
  strictEqual((await later).done, true);
});

Deno.test("EventHistory.expire() forgets an event that has not happened for its time, wherever it stands", () => {
  const history = told(new EventHistory(LIMITS, 0), "A", "B", "C");
  const { trace } = unnumbered("A");
  // Over its rate limit: it keeps its place.
  history.amend("A", { ...unnumbered("A"), trace: { ...trace, lastMs: 500 } });
  history.expire(999);
  strictEqual(history.list(0).length, 3);
  history.expire(1_000);
  deepStrictEqual(history.list(0).map(({ reason }) => reason), ["A"]);
  history.expire(1_500);
  strictEqual(history.bytes, 0);
});

Deno.test("EventHistory forgets the oldest beyond its bytes, and counts them right", () => {
  const history = new EventHistory({
    events: 1_000,
    bytes: 2_000,
    ageMs: 1_000,
  }, 0);
  for (let number = 0; number < 100; number++) {
    told(history, `R${number}`);
    history.amend(`R${number}`, {
      ...unnumbered("R"),
      message: "x".repeat(200),
    });
  }
  const kept = history.list(0).length;
  strictEqual(kept > 0 && kept < 5, true);
  for (let number = 0; number < 100; number++) history.forget(`R${number}`);
  strictEqual(history.bytes, 0);
});

Deno.test("EventHistory.bytes counts all texts of an event, and 300 bytes beside", () => {
  const history = new EventHistory(LIMITS, 0);
  const pod = { name: "name", namespace: "ns", uid: "uid" };
  const words = { reason: "Reason", message: "message", fieldPath: "field" };
  history.add("key", { ...unnumbered("Reason"), ...words, pod });
  const texts = ["key", "name", "ns", "uid", "Reason", "message", "field"];
  strictEqual(history.bytes, 300 + 2 * texts.join("").length);
});
