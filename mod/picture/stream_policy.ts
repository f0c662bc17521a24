/**
 * How far the runtime's stream of events is trusted, and what that saves.
 *
 * @module
 */

import { nextDelay } from "../base/mod.ts";

/**
 * Where the stream stands.
 *
 * ```
 *            connected            3 clean lists, nothing owed
 *   absent ─────────────▶ proving ───────────────────────────▶ trusted
 *     ▲ ▲                 ▲  │ ▲                                  │
 *     │ └─── unimplemented│──┤ └──── missed, or the list failed ──┤
 *     │                   │  │ lost                               │
 *     └── unimplemented ─ down ◀──────────────────────────────────┘
 * ```
 */
export type StreamState =
  /** There is none, as far as is known; it is asked for again now and then. */
  | { readonly kind: "absent" }
  /** It ended or could not be opened; it is to be asked for again after `delayMs`. */
  | { readonly kind: "down"; readonly owes: boolean; readonly delayMs: number }
  /** It is open; whether it tells everything has to be seen. */
  | {
    readonly kind: "proving";
    /** Lists in a row that found nothing it had not told. */
    readonly clean: number;
    /** It has missed something, and told nothing true since. */
    readonly owes: boolean;
    /** What the next delay is doubled from when it ends soon. */
    readonly delayMs: number | undefined;
  }
  /** It has told all that was to be told. */
  | { readonly kind: "trusted" };

/** What the state depends on. */
export type StreamSignal =
  | { readonly kind: "connected" }
  /** It ended, or could not be opened. */
  | { readonly kind: "lost" }
  | { readonly kind: "unimplemented" }
  /** It told something that a look has found to be so. */
  | { readonly kind: "told_truth" }
  | {
    readonly kind: "listed";
    /** Changes that it has not told, though it may yet. */
    readonly untold: number;
    /** Changes that it has not told, though it had the time. */
    readonly missed: number;
  }
  | { readonly kind: "list_failed" };

/** Before anything is known. */
export const NO_STREAM: StreamState = { kind: "absent" };

/** How many lists in a row have to find nothing new before the stream is trusted. */
const CLEAN_LISTS = 3;

/** The longest pause between two lists; the brave end of what a missed event may cost. */
const TRUSTED_PERIOD_MS = 10_000;

const RECONNECT = { baseMs: 1_000, maxMs: 30_000 };

/**
 * A runtime may be restarted with other settings faster than anybody notices; the
 * question costs three calls.
 */
const ABSENT_RETRY_MS = 300_000;

/** What the state is after `signal`. Pure. */
export function stepStream(
  state: StreamState,
  signal: StreamSignal,
): StreamState {
  switch (signal.kind) {
    case "connected":
      return {
        kind: "proving",
        clean: 0,
        owes: owes(state),
        delayMs: delayOf(state),
      };
    case "lost":
      return {
        kind: "down",
        owes: owes(state),
        delayMs: nextDelay(delayOf(state), RECONNECT),
      };
    case "unimplemented":
      return NO_STREAM;
    case "told_truth":
      return state.kind === "proving" ? { ...state, owes: false } : state;
    case "listed":
      return afterList(state, signal);
    case "list_failed":
      return state.kind === "proving" || state.kind === "trusted"
        ? {
          kind: "proving",
          clean: 0,
          owes: owes(state),
          delayMs: delayOf(state),
        }
        : state;
    default:
      return signal satisfies never;
  }
}

/**
 * Milliseconds from the end of one list to the beginning of the next. Pure.
 *
 * @param baseMs the period without a stream; it is never made shorter
 */
export function relistPeriodMs(state: StreamState, baseMs: number): number {
  return state.kind === "trusted"
    ? Math.max(baseMs, TRUSTED_PERIOD_MS)
    : baseMs;
}

/** Milliseconds from the end of a stream until it is asked for again. Pure. */
export function retryDelayMs(state: StreamState): number {
  switch (state.kind) {
    case "absent":
      return ABSENT_RETRY_MS;
    case "down":
      return state.delayMs;
    case "proving":
    case "trusted":
      return 0;
  }
}

function afterList(
  state: StreamState,
  { untold, missed }: { readonly untold: number; readonly missed: number },
): StreamState {
  if (state.kind !== "proving" && state.kind !== "trusted") return state;
  if (missed > 0) {
    return { kind: "proving", clean: 0, owes: true, delayMs: delayOf(state) };
  }
  if (state.kind === "trusted") return state;
  const clean = untold > 0 ? 0 : state.clean + 1;
  return clean >= CLEAN_LISTS && !state.owes
    ? { kind: "trusted" }
    : { ...state, clean };
}

function owes(state: StreamState): boolean {
  switch (state.kind) {
    case "down":
    case "proving":
      return state.owes;
    case "absent":
    case "trusted":
      return false;
  }
}

/** A stream that was trusted has lasted: the next outage begins anew. */
function delayOf(state: StreamState): number | undefined {
  switch (state.kind) {
    case "down":
    case "proving":
      return state.delayMs;
    case "absent":
    case "trusted":
      return undefined;
  }
}
