/**
 * What a reflector does next, after what came of what it did.
 *
 * @module
 */

import { nextDelay } from "../../base/mod.ts";
import type { FailureReason } from "../../api/access/mod.ts";
import { isOlderVersion } from "./object_version.ts";

/**
 * What a reflector does.
 *
 * ```text
 *           watch lists are offered            they are not
 *                │                                  │
 *                ▼          any other failure,      ▼      expired, too large:
 *   ┌──────▶ stream ─────── or an end too soon ──▶ list ──┐ at once with version ""
 *   │        │    ▲ expired, too large:         ▲  │  ▲   │
 *   │        │    └─ at once with version ""    │  │  └───┘ a further page
 *   │        │                                  │  │
 *   │        │ all is there, and the stream     │  │ the last page
 *   │        │ goes on as a watch               │  │
 *   │        ▼                                  │  ▼
 *   │      watch ◀──────────────────────────────┼─────────┐
 *   │        │ ends after a while: at once ─────┼─────────┤
 *   │        │ unreachable, 429: pause ─────────┼─────────┘
 *   │        │                                  │
 *   │        │ 410, garbage, at once at an end, │ refused, unreachable,
 *   │        │ the list was not whole, others   │ an old list
 *   │        ▼                                  ▼
 *   └───── pause (800 ms, doubled up to 30 s, and as much again by chance) ─┘
 * ```
 *
 * A stream or a watch that does not open for want of a server, or because of 429, is opened
 * again after a pause without a list.
 */
export type Reflection =
  /** Asks for one page. */
  | {
    readonly kind: "list";
    /** That of the first page. */
    readonly version: string;
    readonly limit?: number;
    readonly continue?: string;
  }
  /** Opens a watch that begins with all there is. */
  | { readonly kind: "stream"; readonly version: string }
  | {
    readonly kind: "watch";
    readonly version: string;
    /** Whether the list before was whole; if not, there is soon another. */
    readonly isWhole: boolean;
  }
  | { readonly kind: "pause"; readonly ms: number; readonly then: Reflection };

/** What came of it. */
export type ReflectionOutcome =
  | {
    readonly kind: "page";
    readonly version: string;
    readonly continue?: string;
    /** Whether all its objects, and those of the pages before, could be read. */
    readonly isWhole: boolean;
  }
  /** A list that failed, or a watch that did not open. */
  | {
    readonly kind: "refused";
    readonly reason: FailureReason;
    readonly retryAfterMs?: number | undefined;
  }
  /** A stream or watch is over; with a reason, when it was not the plain end of it. */
  | {
    readonly kind: "closed";
    /** The newest version that was seen; that of the begin if there was none. */
    readonly version: string;
    /** Whether everything that was there is known; always so of a watch. */
    readonly isListed: boolean;
    readonly isWhole: boolean;
    readonly events: number;
    readonly lastedMs: number;
    readonly reason?: FailureReason;
    readonly retryAfterMs?: number | undefined;
  }
  | { readonly kind: "rested" };

/** What a reflector knows from one thing it does to the next. */
export interface ReflectorMemory {
  /** Of the last list or event; `undefined` before the first. */
  readonly version: string | undefined;
  /** The server has refused the version: the next list is the newest there is. */
  readonly isUnavailable: boolean;
  /** The server gives pages even of what is at hand, so that its lists are dear. */
  readonly isPaged: boolean;
  /** Whether it is worth asking for a watch that begins with a list. */
  readonly streams: boolean;
  /** How many objects a page has at most. */
  readonly pageLimit: number;
  /** Whether the last watch ended so soon after its begin that another was opened at once. */
  readonly wasShort?: true;
  /** The last pause: when it was decided, monotonic, and how long without chance. */
  readonly pause:
    | { readonly atMs: number; readonly delayMs: number }
    | undefined;
}

/** All of a reflector. */
export interface ReflectorState {
  readonly act: Reflection;
  readonly memory: ReflectorMemory;
}

/** What a step may look at besides. */
export interface StepMoment {
  /** Monotonic. */
  readonly nowMs: number;
  /** At least 0 and below 1. */
  readonly chance: number;
}

/** Upstream's reflector: ExponentialBackoffManager(800 ms, 30 s, 2 min, 2.0, 1.0). */
const BACKOFF = { baseMs: 800, maxMs: 30_000 };
const BACKOFF_RESET_MS = 120_000;

/** The longest that a server's wish to be left alone counts. */
const MAX_RETRY_AFTER_MS = 60_000;

/** A watch that ends before this says that something is wrong; with an event, the second one. */
const SHORT_WATCH_MS = 1_000;

/** client-go's pager. */
export const PAGE_LIMIT = 500;

/** How a reflector begins. */
export function beginReflecting(
  { streams, pageLimit = PAGE_LIMIT }: {
    readonly streams: boolean;
    readonly pageLimit?: number;
  },
): ReflectorState {
  const memory: ReflectorMemory = {
    version: undefined,
    isUnavailable: false,
    isPaged: false,
    streams,
    pageLimit,
    pause: undefined,
  };
  return { memory, act: beginRound(memory) };
}

/**
 * What is done after what came of `state.act`.
 *
 * @throws {TypeError} When that cannot have come of it.
 */
export function stepReflector(
  state: ReflectorState,
  outcome: ReflectionOutcome,
  moment: StepMoment,
): ReflectorState {
  const { act, memory } = state;
  switch (act.kind) {
    case "pause":
      if (outcome.kind === "rested") return { memory, act: act.then };
      break;
    case "list":
      if (outcome.kind === "page") {
        return afterPage(memory, act, outcome, moment);
      }
      if (outcome.kind === "refused") {
        return afterRefusedList(memory, act, outcome, moment);
      }
      break;
    case "stream":
      if (outcome.kind === "refused") {
        return afterRefusedStream(memory, act, outcome, moment);
      }
      if (outcome.kind === "closed") {
        return outcome.isListed
          ? afterWatch(seen(memory, outcome.version), outcome, moment)
          : afterRefusedStream(memory, act, outcome, moment);
      }
      break;
    case "watch":
      if (outcome.kind === "refused") {
        return afterRefusedWatch(memory, act, outcome, moment);
      }
      if (outcome.kind === "closed") {
        return afterWatch(
          { ...memory, version: outcome.version },
          outcome,
          moment,
        );
      }
      break;
    default:
      act satisfies never;
  }
  throw new TypeError(
    `A reflector cannot go on: "${outcome.kind}" does not come of "${act.kind}"`,
  );
}

type Of<Union, Kind> = Extract<Union, { readonly kind: Kind }>;

function beginRound(memory: ReflectorMemory): Reflection {
  return memory.streams
    ? { kind: "stream", version: versionToStream(memory) }
    : listFrom(memory, versionToList(memory));
}

function versionToStream({ version, isUnavailable }: ReflectorMemory): string {
  return isUnavailable ? "" : version ?? "";
}

/** Whatever is at hand will do at first; later nothing that is older than what was seen. */
function versionToList({ version, isUnavailable }: ReflectorMemory): string {
  return isUnavailable ? "" : version ?? "0";
}

/** A list that asks for a version is served from memory, and pages would prevent that. */
function listFrom(
  { isPaged, pageLimit }: ReflectorMemory,
  version: string,
): Of<Reflection, "list"> {
  return version === "" || version === "0" || isPaged
    ? { kind: "list", version, limit: pageLimit }
    : { kind: "list", version };
}

function afterPage(
  memory: ReflectorMemory,
  act: Of<Reflection, "list">,
  page: Of<ReflectionOutcome, "page">,
  moment: StepMoment,
): ReflectorState {
  // A server that has fallen behind; the newest there is cannot have.
  if (isOlderVersion(page.version, act.version)) {
    return pause(
      { ...memory, isUnavailable: true },
      listFrom(memory, ""),
      moment,
    );
  }
  // The same page for ever.
  if (page.continue !== undefined && page.continue === act.continue) {
    return pause(memory, beginRound(memory), moment);
  }
  const isPaged = memory.isPaged ||
    (act.version === "0" && page.continue !== undefined);
  if (page.continue !== undefined) {
    return {
      memory: { ...memory, isPaged },
      act: { ...act, continue: page.continue },
    };
  }
  const { version, isWhole } = page;
  return {
    memory: { ...seen(memory, version), isPaged },
    act: { kind: "watch", version, isWhole },
  };
}

function afterRefusedList(
  memory: ReflectorMemory,
  act: Of<Reflection, "list">,
  refusal: Of<ReflectionOutcome, "refused">,
  moment: StepMoment,
): ReflectorState {
  if (isVersionRefused(refusal.reason)) {
    // The pages that are left are too old: everything in one piece.
    if (act.continue !== undefined) {
      return { memory, act: { kind: "list", version: act.version } };
    }
    if (act.version !== "") {
      const known = { ...memory, isUnavailable: true };
      return { memory: known, act: listFrom(known, "") };
    }
  }
  return pause(memory, beginRound(memory), moment, refusal.retryAfterMs);
}

function afterRefusedStream(
  memory: ReflectorMemory,
  act: Of<Reflection, "stream">,
  outcome: Of<ReflectionOutcome, "refused" | "closed">,
  moment: StepMoment,
): ReflectorState {
  const { reason, retryAfterMs } = outcome;
  // One that is cut again and again is too long; pages may get through.
  const isDown = reason === "Unreachable" && outcome.kind === "refused";
  if (isDown || reason === "TooManyRequests") {
    return pause(memory, act, moment, retryAfterMs);
  }
  if (isVersionRefused(reason) && act.version !== "") {
    return {
      memory: { ...memory, isUnavailable: true },
      act: { kind: "stream", version: "" },
    };
  }
  const known = {
    ...memory,
    streams: memory.streams && !isUnknownOption(reason),
  };
  return { memory: known, act: listFrom(known, versionToList(known)) };
}

function afterRefusedWatch(
  memory: ReflectorMemory,
  act: Of<Reflection, "watch">,
  { reason, retryAfterMs }: Of<ReflectionOutcome, "refused">,
  moment: StepMoment,
): ReflectorState {
  const isAgain = reason === "Unreachable" || reason === "TooManyRequests";
  const then = isAgain ? act : beginRound(memory);
  return pause(memory, then, moment, retryAfterMs);
}

function afterWatch(
  memory: ReflectorMemory,
  closed: Of<ReflectionOutcome, "closed">,
  moment: StepMoment,
): ReflectorState {
  const { version, isWhole, reason, retryAfterMs } = closed;
  const again: Reflection = isWhole
    ? { kind: "watch", version, isWhole }
    : beginRound(memory);
  switch (reason) {
    case undefined: {
      const { wasShort = false, ...rest } = memory;
      const isShort = closed.lastedMs < SHORT_WATCH_MS;
      if (!isShort) return { memory: rest, act: again };
      if (isWhole && closed.events === 0) {
        return pause(memory, beginRound(memory), moment);
      }
      // A server, or what stands before it, may end each watch after its first word.
      return wasShort
        ? pause(memory, again, moment)
        : { memory: { ...rest, wasShort: true }, act: again };
    }
    case "Unreachable":
    case "Timeout":
    case "TooManyRequests":
      return pause(memory, again, moment, retryAfterMs);
    default:
      return pause(memory, beginRound(memory), moment, retryAfterMs);
  }
}

function seen(memory: ReflectorMemory, version: string): ReflectorMemory {
  return { ...memory, version, isUnavailable: false };
}

function isVersionRefused(reason: FailureReason | undefined): boolean {
  return reason === "Expired" || reason === "ResourceVersionTooLarge";
}

/** A server that does not know of streams refuses the option, or says nothing for ever. */
function isUnknownOption(reason: FailureReason | undefined): boolean {
  return reason === "Invalid" || reason === "BadRequest" ||
    reason === "MethodNotAllowed" || reason === "Timeout";
}

function pause(
  memory: ReflectorMemory,
  then: Reflection,
  { nowMs, chance }: StepMoment,
  retryAfterMs?: number,
): ReflectorState {
  const last = memory.pause;
  const isFresh = last !== undefined && nowMs - last.atMs <= BACKOFF_RESET_MS;
  const delayMs = nextDelay(isFresh ? last.delayMs : undefined, BACKOFF);
  // What is no number, or is not said, is no wish.
  const leastMs = Math.min(retryAfterMs || 0, MAX_RETRY_AFTER_MS);
  const ms = Math.max(delayMs, leastMs) * (1 + chance);
  return {
    memory: { ...memory, pause: { atMs: nowMs, delayMs } },
    act: { kind: "pause", ms, then },
  };
}
