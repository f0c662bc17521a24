/**
 * How far a stream of events is trusted, signal by signal.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  NO_STREAM,
  relistPeriodMs,
  retryDelayMs,
  stepStream,
  type StreamSignal,
  type StreamState,
} from "../../../mod/picture/stream_policy.ts";

const CONNECTED: StreamSignal = { kind: "connected" };
const LOST: StreamSignal = { kind: "lost" };
const TRUE: StreamSignal = { kind: "confirmed" };
const CLEAN: StreamSignal = { kind: "listed", unannounced: 0, missed: 0 };
const UNANNOUNCED: StreamSignal = { kind: "listed", unannounced: 1, missed: 0 };
const MISSED: StreamSignal = { kind: "listed", unannounced: 0, missed: 1 };
const FAILED: StreamSignal = { kind: "list_failed" };
const ABSENT: StreamSignal = { kind: "unimplemented" };
const TRUSTED = [CONNECTED, CLEAN, CLEAN, CLEAN];

const ROWS: readonly (readonly [string, readonly StreamSignal[], number])[] = [
  ["before anything", [], 1_000],
  ["as soon as it is open", [CONNECTED], 1_000],
  ["after two clean lists", [CONNECTED, CLEAN, CLEAN], 1_000],
  ["after three clean lists", TRUSTED, 10_000],
  ["while it goes on keeping its word", [...TRUSTED, CLEAN, TRUE], 10_000],
  ["when a change may yet be announced", [...TRUSTED, UNANNOUNCED], 10_000],
  ["at one miss", [...TRUSTED, MISSED], 1_000],
  [
    "after a miss, though every list is clean",
    [...TRUSTED, MISSED, CLEAN, CLEAN, CLEAN, CLEAN],
    1_000,
  ],
  [
    "after a miss and a word that was true, before three clean lists",
    [...TRUSTED, MISSED, TRUE, CLEAN, CLEAN],
    1_000,
  ],
  [
    "after a miss, a word that was true and three clean lists",
    [...TRUSTED, MISSED, TRUE, CLEAN, CLEAN, CLEAN],
    10_000,
  ],
  [
    "when the true word comes after the clean lists",
    [...TRUSTED, MISSED, CLEAN, CLEAN, CLEAN, TRUE],
    1_000,
  ],
  [
    "with the list after that",
    [...TRUSTED, MISSED, CLEAN, CLEAN, CLEAN, TRUE, CLEAN],
    10_000,
  ],
  [
    "when what was not announced begins the count anew",
    [CONNECTED, CLEAN, CLEAN, UNANNOUNCED, CLEAN, CLEAN],
    1_000,
  ],
  ["when it ends", [...TRUSTED, LOST], 1_000],
  ["when it is open again", [...TRUSTED, LOST, CONNECTED], 1_000],
  [
    "when it has proven itself again",
    [...TRUSTED, LOST, ...TRUSTED],
    10_000,
  ],
  [
    "when it missed something and was opened anew",
    [...TRUSTED, MISSED, LOST, ...TRUSTED],
    1_000,
  ],
  ["when a list failed", [...TRUSTED, FAILED], 1_000],
  [
    "two clean lists after one that failed",
    [...TRUSTED, FAILED, CLEAN, CLEAN],
    1_000,
  ],
  [
    "three clean lists after one that failed",
    [...TRUSTED, FAILED, CLEAN, CLEAN, CLEAN],
    10_000,
  ],
  ["when there is none", [ABSENT], 1_000],
  [
    "when there is none, whatever is listed",
    [ABSENT, CLEAN, CLEAN, CLEAN],
    1_000,
  ],
];

for (const [when, signals, periodMs] of ROWS) {
  Deno.test(`relistPeriodMs() is ${periodMs} ms ${when}`, () => {
    strictEqual(relistPeriodMs(after(signals), 1_000), periodMs);
  });
}

Deno.test("relistPeriodMs() never falls below the configured period", () => {
  strictEqual(relistPeriodMs(after(TRUSTED), 30_000), 30_000);
  strictEqual(relistPeriodMs(NO_STREAM, 30_000), 30_000);
});

Deno.test("stepStream() waits longer for a stream that does not last, up to 30 s, and little after one that did", () => {
  const delays: number[] = [];
  let state: StreamState = NO_STREAM;
  for (let times = 0; times < 7; times++) {
    state = stepStream(stepStream(state, CONNECTED), LOST);
    delays.push(state.delayMs ?? NaN);
  }
  deepStrictEqual(delays, [1, 2, 4, 8, 16, 30, 30].map((s) => s * 1_000));
  for (const signal of [...TRUSTED, LOST]) state = stepStream(state, signal);
  strictEqual(state.kind === "down" && state.delayMs, 1_000);
});

for (
  const [what, signals, delayMs] of [
    ["five minutes before anything is known", [], 300_000],
    ["five minutes when there is none", [CONNECTED, LOST, ABSENT], 300_000],
    ["a second when it ended", [...TRUSTED, LOST], 1_000],
    ["longer when it ends again", [LOST, LOST], 2_000],
    ["no time while it is open", [CONNECTED], 0],
    ["no time while it is trusted", TRUSTED, 0],
  ] as const
) {
  Deno.test(`retryDelayMs() is ${what}`, () => {
    strictEqual(retryDelayMs(after(signals)), delayMs);
  });
}

function after(signals: readonly StreamSignal[]): StreamState {
  return signals.reduce(stepStream, NO_STREAM);
}
