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
export interface StreamState {
  /**
   * `absent`: there is none as far as is known. `down`: it ended or could not be opened.
   * `proving`: it is open. `trusted`: it has announced all that was to be announced.
   */
  readonly kind: "absent" | "down" | "proving" | "trusted";
  /** Lists in a row that found nothing it had not announced. */
  readonly clean: number;
  /** It has missed something, and announced nothing true since. */
  readonly owes: boolean;
  /** How long it was waited for last; `undefined` once it was trusted. */
  readonly delayMs: number | undefined;
}

/** What the state depends on. */
export type StreamSignal =
  | { readonly kind: "connected" }
  /** It ended, or could not be opened. */
  | { readonly kind: "lost" }
  | { readonly kind: "unimplemented" }
  /** It told something that a look has found to be so. */
  | { readonly kind: "confirmed" }
  | {
    readonly kind: "listed";
    /** Changes that it has not told, though it may yet. */
    readonly unannounced: number;
    /** Changes that it has not told, though it had the time. */
    readonly missed: number;
  }
  | { readonly kind: "list_failed" };

/** Before anything is known. */
export const NO_STREAM: StreamState = {
  kind: "absent",
  clean: 0,
  owes: false,
  delayMs: undefined,
};

/** One that was trusted has lasted: the next outage begins anew. */
const TRUSTED: StreamState = { ...NO_STREAM, kind: "trusted" };

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
  const isOpen = state.kind === "proving" || state.kind === "trusted";
  switch (signal.kind) {
    case "connected":
      return { ...state, kind: "proving", clean: 0 };
    case "lost": {
      const delayMs = nextDelay(state.delayMs, RECONNECT);
      return { ...state, kind: "down", delayMs };
    }
    case "unimplemented":
      return NO_STREAM;
    case "confirmed":
      return state.kind === "proving" ? { ...state, owes: false } : state;
    case "listed":
      return isOpen ? afterList(state, signal) : state;
    case "list_failed":
      return isOpen ? { ...state, kind: "proving", clean: 0 } : state;
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
export function retryDelayMs({ kind, delayMs = 0 }: StreamState): number {
  if (kind === "absent") return ABSENT_RETRY_MS;
  return kind === "down" ? delayMs : 0;
}

function afterList(
  state: StreamState,
  { unannounced, missed }: {
    readonly unannounced: number;
    readonly missed: number;
  },
): StreamState {
  if (missed > 0) return { ...state, kind: "proving", clean: 0, owes: true };
  if (state.kind === "trusted") return state;
  const clean = unannounced > 0 ? 0 : state.clean + 1;
  return clean >= CLEAN_LISTS && !state.owes ? TRUSTED : { ...state, clean };
}
