/**
 * An agent whose wall clock is set while things are under way, and what becomes of
 * them, compared with what becomes of them on a clock that nobody touches.
 *
 * @module
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { toWireEvent } from "../../../mod/events/mod.ts";
import { CoreRig, type CoreRigOptions } from "./core_rig.ts";
import { NODE } from "./core_config.ts";

/** One way in which a clock is set. */
export interface Jump {
  readonly name: string;
  /** What the clock shows when the agent starts; of today when absent. */
  readonly startMs?: number;
  /** What it is set to. */
  readonly to: (nowMs: number) => number;
}

const YEAR_MS = 31_557_600_000;
const REAL_NOW_MS = Date.UTC(2026, 5, 1);

/** The jumps of CL-02, CL-05 and N05. */
export const JUMPS: readonly Jump[] = [
  { name: "a second back", to: (nowMs) => nowMs - 1_000 },
  { name: "40 s back", to: (nowMs) => nowMs - 40_000 },
  { name: "back to 1970", to: () => 5_000 },
  { name: "from 1970 to now", startMs: 60_000, to: () => REAL_NOW_MS },
  { name: "ten minutes ahead", to: (nowMs) => nowMs + 600_000 },
  { name: "50 years ahead", to: (nowMs) => nowMs + 50 * YEAR_MS },
];

const STEP_MS = 1_000;

/** How long it goes on after a jump. */
const LASTS_MS = 75_000;

/**
 * The agent works in real time between two steps, so on a busy machine what it does is
 * seen some steps later. Whoever goes by the wrong clock is off by far more.
 */
const TOLERANCE_MS = 6_000;

/** What happens in the last moments may happen a moment after them. */
const COMPARED_MS = LASTS_MS - TOLERANCE_MS - 2_000;

/** When things were first seen, in milliseconds since the clock was set. */
export type Trace = Map<string, number[]>;

/** What happens around a jump. */
export interface Play {
  readonly options?: CoreRigOptions;
  /** Brings everything under way. */
  readonly begin: (stage: Stage) => Promise<void>;
  /** What is new at this moment; looked at after every step. */
  readonly look: (stage: Stage) => void;
  /** Does things by the way; `sinceMs` is the time since the jump. */
  readonly act?: (stage: Stage, sinceMs: number) => Promise<void> | void;
}

/** An agent under test and the notes that are taken. */
export class Stage {
  readonly rig: CoreRig;
  readonly trace: Trace = new Map();
  readonly #started = new Map<string, Set<string>>();
  #zeroMs = 0;

  constructor(rig: CoreRig) {
    this.rig = rig;
  }

  /** Notes that something was seen, once for each `nth`. */
  note(what: string, nth: number): void {
    const times = this.trace.get(what) ?? [];
    while (times.length < nth) times.push(this.sinceMs);
    if (times.length > 0) this.trace.set(what, times);
  }

  /** Notes each container of a name that was started. */
  noteStarts(name: string): void {
    const seen = this.#started.get(name) ?? new Set();
    for (const container of this.rig.fake.containers.values()) {
      if (container.name === name && container.startedAt !== 0n) {
        seen.add(container.id);
      }
    }
    this.#started.set(name, seen);
    this.note(`${name} started`, seen.size);
  }

  /** Notes each start and end of a container of a pod that stays. */
  noteRuns(name: string): void {
    for (const container of this.rig.fake.containers.values()) {
      if (container.name !== name) continue;
      const { state, config: { metadata } } = container;
      const run = `${name}#${metadata?.attempt}`;
      if (container.startedAt !== 0n) this.note(`${run} started`, 1);
      if (state === "exited") this.note(`${run} ended`, 1);
    }
  }

  /** From here on times count from now. */
  reset(): void {
    this.#zeroMs = this.rig.clock.monotonic();
    for (const times of this.trace.values()) times.fill(0);
  }

  get sinceMs(): number {
    return this.rig.clock.monotonic() - this.#zeroMs;
  }
}

/** What was seen, and what was told of each pod in its order. */
export interface JumpOutcome {
  readonly trace: Trace;
  readonly events: readonly string[];
}

/** Plays it on a clock that is set at the given moment, or on one that is not. */
export async function play(play: Play, jump?: Jump): Promise<JumpOutcome> {
  const { options = {}, begin, look, act } = play;
  await using rig = await CoreRig.start({
    ...options,
    prepare: async (rig) => {
      if (jump?.startMs !== undefined) rig.clock.wall = jump.startMs;
      await options.prepare?.(rig);
    },
  });
  const stage = new Stage(rig);
  await begin(stage);
  look(stage);
  stage.reset();
  if (jump !== undefined) rig.clock.wall = jump.to(rig.clock.now());
  while (stage.sinceMs < LASTS_MS) {
    await act?.(stage, stage.sinceMs);
    await rig.pass(STEP_MS, STEP_MS);
    look(stage);
    checkTimes(rig);
  }
  return { trace: stage.trace, events: reasons(rig) };
}

/** What was told of each pod, each reason once, in the order in which it was told first. */
function reasons(rig: CoreRig): readonly string[] {
  const told = rig.core.events.list()
    // On a clock that runs ahead of the disk.
    .filter(({ reason }) => reason !== "FailedCheckpoint")
    .toSorted((a, b) => a.id - b.id)
    .map(({ pod, reason }) => `${pod.name} ${reason}`);
  // Which of two pods is first is nobody's business.
  return [...new Set(told)].toSorted((a, b) =>
    byPod(a) < byPod(b) ? -1 : byPod(a) > byPod(b) ? 1 : 0
  );
}

function byPod(told: string): string {
  return told.split(" ")[0] ?? "";
}

/** The same things happened, in the same order, and at the same time. */
export function checkSame(found: JumpOutcome, wanted: JumpOutcome): void {
  checkIn(found.trace, wanted.trace, "too early or never");
  checkIn(wanted.trace, found.trace, "too late or in vain");
  deepStrictEqual(found.events, wanted.events);
}

/** What is in one trace is in the other; of the last seconds either may be cut short. */
function checkIn(whole: Trace, part: Trace, fault: string): void {
  for (const [what, times] of part) {
    for (const [nth, atMs] of times.entries()) {
      const otherMs = whole.get(what)?.[nth];
      if (otherMs === undefined && atMs > COMPARED_MS) continue;
      ok(
        Math.abs((otherMs ?? NaN) - atMs) <= TOLERANCE_MS,
        `${what} (${nth}) after ${atMs} ms and ${otherMs} ms: ${fault}`,
      );
    }
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Every time that clients see is one, and no change lies ahead. */
export function checkTimes(rig: CoreRig): void {
  const events = rig.core.events.list().map((event) =>
    toWireEvent(event, { nodeName: NODE })
  );
  JSON.stringify([rig.pods(), events], (key, value: unknown) => {
    if (typeof value !== "string" || !/(Time|At|Timestamp)$/.test(key)) {
      return value;
    }
    ok(TIME.test(value), `"${key}" is "${value}"`);
    if (key === "lastTransitionTime") {
      const aheadMs = Date.parse(value) - rig.clock.now();
      ok(aheadMs <= 0, `A change ${aheadMs} ms ahead`);
    }
    return value;
  });
}

/** Computes once, when it is first wanted. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}
