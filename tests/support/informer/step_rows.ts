/**
 * Steps of a reflector, in rows.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import type { FailureReason } from "../../../mod/api/access/mod.ts";
import {
  type Reflection,
  type ReflectionOutcome,
  type ReflectorMemory,
  type StepMoment,
  stepReflector,
} from "../../../mod/informer/reflector/mod.ts";

type ListReflection = Extract<Reflection, { readonly kind: "list" }>;

/** When steps are done that no time matters to. */
export const NOW: StepMoment = { nowMs: 1_000_000, chance: 0 };

/** What a reflector knows at first that does not stream. */
export const FRESH: ReflectorMemory = {
  version: undefined,
  isUnavailable: false,
  isPaged: false,
  streams: false,
  pageLimit: 500,
  pause: undefined,
};
/** After a list at version 10. */
export const AT_10: ReflectorMemory = { ...FRESH, version: "10" };

/** The first list. */
export const LIST_0: ListReflection = {
  kind: "list",
  version: "0",
  limit: 500,
};
/** A list of what is not older than version 10. */
export const LIST_10: ListReflection = { kind: "list", version: "10" };
/** A list of the newest. */
export const NEWEST: ListReflection = { kind: "list", version: "", limit: 500 };
/** A stream from version 10. */
export const STREAM_10: Reflection = { kind: "stream", version: "10" };
/** A watch from version 10. */
export const WATCH_10: Reflection = {
  kind: "watch",
  version: "10",
  isWhole: true,
};

/** A row for each reason. */
export function forEach(
  reasons: readonly FailureReason[],
  row: (reason: FailureReason) => StepRow,
): readonly StepRow[] {
  return reasons.map(row);
}

/** It was refused. */
export function refused(reason: FailureReason): ReflectionOutcome {
  return { kind: "refused", reason };
}

/** A watch from version 10 has ended at version 12. */
export function closed(
  facts: Partial<Extract<ReflectionOutcome, { kind: "closed" }>> = {},
): ReflectionOutcome {
  return {
    kind: "closed",
    version: "12",
    isListed: true,
    isWhole: true,
    events: 3,
    lastedMs: 300_000,
    ...facts,
  };
}

/** A page has come, the last one. */
export function page(
  version: string,
  facts: Partial<Extract<ReflectionOutcome, { kind: "page" }>> = {},
): ReflectionOutcome {
  return { kind: "page", version, isWhole: true, ...facts };
}

/** A watch from a version. */
export function watchFrom(
  version: string,
  isWhole: boolean = true,
): Reflection {
  return { kind: "watch", version, isWhole };
}

/** A pause before something. */
export function paused(then: Reflection, ms: number = 800): Reflection {
  return { kind: "pause", ms, then };
}

/** One step. */
export interface StepRow {
  readonly name: string;
  readonly act: Reflection;
  readonly memory?: ReflectorMemory;
  readonly outcome: ReflectionOutcome;
  readonly next: Reflection;
  /** What is remembered differently; pauses are not looked at. */
  readonly learnt?: Partial<ReflectorMemory>;
}

/** After a stream at version 10. */
export const STREAMS: ReflectorMemory = { ...AT_10, streams: true };
/** What a reflector knows at first that streams. */
export const NEVER_STREAMED: ReflectorMemory = { ...FRESH, streams: true };

/** One test a row. */
export function testSteps(rows: readonly StepRow[]): void {
  for (const row of rows) {
    Deno.test(`stepReflector() ${row.name}`, () => {
      const before = row.memory ?? FRESH;
      const { act, memory } = stepReflector(
        { act: row.act, memory: before },
        row.outcome,
        NOW,
      );
      deepStrictEqual(act, row.next);
      const { pause: _, ...learnt } = memory;
      const { pause: __, ...expected } = { ...before, ...row.learnt };
      deepStrictEqual(learnt, expected);
    });
  }
}
