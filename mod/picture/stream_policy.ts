/**
 * The trust in the runtime's stream of events, and how often lists are made with it.
 *
 * @module
 */

import { nextDelay } from "../base/mod.ts";

/**
 * The state of the stream.
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
   * `absent`: the runtime has none, as far as is known. `down`: it ended or could not be
   * opened. `proving`: it is open. `trusted`: it has announced every change so far.
   */
  readonly kind: "absent" | "down" | "proving" | "trusted";
  /** How many lists in a row found no change without an event. */
  readonly clean: number;
  /** It has missed a change, and no look has confirmed an event of it since. */
  readonly owes: boolean;
  /** The last pause before a new attempt; `undefined` once the stream was trusted. */
  readonly delayMs: number | undefined;
}

/** What the state depends on. */
export type StreamSignal =
  | { readonly kind: "connected" }
  /** It ended, or could not be opened. */
  | { readonly kind: "lost" }
  | { readonly kind: "unimplemented" }
  /** A look has confirmed one of its events. */
  | { readonly kind: "confirmed" }
  | {
    readonly kind: "listed";
    /** Changes without an event, which may still come. */
    readonly unannounced: number;
    /** Changes whose event is overdue. */
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

/** A trusted stream; after it, the back-off of an outage begins anew. */
const TRUSTED: StreamState = { ...NO_STREAM, kind: "trusted" };

/** How many clean lists in a row make the stream trusted. */
const CLEAN_LISTS = 3;

/** The longest pause between two lists. A missed event is noticed no later than that. */
const TRUSTED_PERIOD_MS = 10_000;

const RECONNECT = { baseMs: 1_000, maxMs: 30_000 };

/**
 * A runtime can be restarted with other settings between two calls, so it is asked again
 * now and then. The question costs three calls.
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
