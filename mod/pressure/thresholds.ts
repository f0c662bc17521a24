/**
 * From which shortage on a node acts.
 *
 * @module
 */

import { parseQuantity, toBytes } from "../api/objects/mod.ts";
import { parseDuration } from "../base/text/mod.ts";
import {
  DERIVED_SIGNALS,
  type Observation,
  type PressureSignal,
  SIGNALS,
} from "./signals.ts";

/** How much of something: a number, or a part of what there is in all. */
export type Amount =
  | { readonly kind: "quantity"; readonly value: number }
  /** From 0 to 1. */
  | { readonly kind: "part"; readonly value: number };

/** One limit: less than `least` of a signal is a shortage. */
export interface Threshold {
  readonly signal: PressureSignal;
  /** Of a `soft` one a pod is ended only when the shortage has lasted `graceMs`. */
  readonly kind: "hard" | "soft";
  readonly least: Amount;
  /** 0 for a hard one. */
  readonly graceMs: number;
  /** What must be there beyond `least` before a shortage is over. */
  readonly reclaim: Amount;
}

/** What the configuration says of thresholds, as its fields have it. */
export interface ThresholdFields {
  /** `undefined` stands for upstream's defaults, and an empty map for none. */
  readonly evictionHard: Readonly<Record<string, string>> | undefined;
  readonly evictionSoft: Readonly<Record<string, string>>;
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>;
  readonly mergeDefaultEvictionSettings: boolean;
}

/** Upstream's thresholds where none are given. */
export const DEFAULT_EVICTION_HARD: Readonly<Record<string, string>> = {
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
};

const NOTHING: Amount = { kind: "quantity", value: 0 };

/** The thresholds that the fields mean, and what is wrong with them. */
export interface ReadThresholds {
  readonly thresholds: readonly Threshold[];
  readonly faults: readonly string[];
}

/**
 * Reads the thresholds, hard ones first. Fields that contradict each other are faults,
 * which name both.
 */
export function readThresholds(fields: ThresholdFields): ReadThresholds {
  const faults: string[] = [];
  const read = (field: AmountField, signal: PressureSignal) => {
    const text = fieldOf(fields, field)[signal];
    if (text === undefined) return undefined;
    const amount = readAmount(text);
    // As upstream: what is to be reclaimed may be nothing, a threshold not.
    const isEmpty = field !== "evictionMinimumReclaim" &&
      amount?.kind === "quantity" && amount.value === 0;
    if (amount === undefined || isEmpty) {
      faults.push(badAmount(field, signal, text));
    }
    return amount;
  };
  const hard: Threshold[] = [];
  const soft: Threshold[] = [];
  for (const signal of SIGNALS) {
    const reclaim = read("evictionMinimumReclaim", signal) ?? NOTHING;
    const least = read("evictionHard", signal);
    if (least !== undefined) {
      hard.push({ signal, kind: "hard", least, graceMs: 0, reclaim });
    }
    const softLeast = read("evictionSoft", signal);
    const graceMs = readGrace(fields, signal, faults);
    if (softLeast !== undefined && graceMs !== undefined) {
      soft.push({ signal, kind: "soft", least: softLeast, graceMs, reclaim });
    }
    const conflict = conflictOf(fields, {
      signal,
      hard: least,
      soft: softLeast,
    });
    if (conflict !== undefined) faults.push(conflict);
    const amounts = { evictionHard: least, evictionSoft: softLeast };
    faults.push(...unreachable(fields, { signal, reclaim, amounts }));
  }
  faults.push(...unknownSignals(fields));
  // Upstream: 0% and 100% are no thresholds at all.
  const thresholds = [...hard, ...soft].filter(({ least }) =>
    least.value > 0 && (least.kind === "quantity" || least.value < 1)
  );
  return { thresholds, faults };
}

/** An amount in numbers, of what there is in all. */
export function amountOf(amount: Amount, { capacity }: Observation): number {
  return amount.kind === "quantity"
    ? amount.value
    : Math.floor(amount.value * capacity);
}

type AmountField = "evictionHard" | "evictionSoft" | "evictionMinimumReclaim";

/** What a field says, with what upstream puts in where it says nothing. */
function fieldOf(
  fields: ThresholdFields,
  field: AmountField,
): Readonly<Record<string, string>> {
  if (field !== "evictionHard") return fields[field];
  const { evictionHard, mergeDefaultEvictionSettings } = fields;
  if (evictionHard === undefined) return DEFAULT_EVICTION_HARD;
  return mergeDefaultEvictionSettings
    ? { ...DEFAULT_EVICTION_HARD, ...evictionHard }
    : evictionHard;
}

function readAmount(text: string): Amount | undefined {
  if (text.endsWith("%")) {
    const digits = text.slice(0, -1);
    const percent = /^\d{1,3}(?:\.\d{1,9})?$/.test(digits)
      ? Number(digits)
      : NaN;
    return percent >= 0 && percent <= 100
      ? { kind: "part", value: percent / 100 }
      : undefined;
  }
  try {
    const value = Number(toBytes(parseQuantity(text)));
    return value >= 0 ? { kind: "quantity", value } : undefined;
  } catch (error) {
    // So the reader of quantities refuses a text.
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

function readGrace(
  fields: ThresholdFields,
  signal: PressureSignal,
  faults: string[],
): number | undefined {
  const text = fields.evictionSoftGracePeriod[signal];
  const isSoft = fields.evictionSoft[signal] !== undefined;
  if (text === undefined) {
    if (isSoft) {
      faults.push(
        `Cannot use evictionSoft: found "${signal}" without one in evictionSoftGracePeriod, wanted both`,
      );
    }
    return undefined;
  }
  if (!isSoft) {
    faults.push(
      `Cannot use evictionSoftGracePeriod: found "${signal}" without one in evictionSoft, wanted both`,
    );
  }
  const ms = durationOf(text);
  if (ms === undefined) {
    faults.push(
      `Cannot use evictionSoftGracePeriod["${signal}"]: found "${text}", wanted a duration such as "1m30s"`,
    );
  }
  return ms;
}

function durationOf(text: string): number | undefined {
  try {
    const ms = parseDuration(text);
    return ms >= 0 ? ms : undefined;
  } catch (error) {
    // So the reader of durations refuses a text.
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** A soft threshold that is not above the hard one is met after it, and never counts. */
function conflictOf(
  fields: ThresholdFields,
  { signal, hard, soft }: {
    readonly signal: PressureSignal;
    readonly hard: Amount | undefined;
    readonly soft: Amount | undefined;
  },
): string | undefined {
  if (hard === undefined || soft === undefined || hard.kind !== soft.kind) {
    return undefined;
  }
  if (hard.value === 0 || soft.value > hard.value) return undefined;
  const softText = fields.evictionSoft[signal];
  const hardText = fieldOf(fields, "evictionHard")[signal];
  return `Cannot use evictionSoft["${signal}"]: found "${softText}" beside evictionHard["${signal}"] "${hardText}", wanted more than that`;
}

/** More than there can be is never there again: one pod after the other would be ended. */
function unreachable(
  fields: ThresholdFields,
  { signal, reclaim, amounts }: {
    readonly signal: PressureSignal;
    readonly reclaim: Amount;
    readonly amounts: Readonly<
      Record<"evictionHard" | "evictionSoft", Amount | undefined>
    >;
  },
): string[] {
  return (["evictionHard", "evictionSoft"] as const).flatMap((field) => {
    const least = amounts[field];
    const isReachable = least === undefined || least.kind !== "part" ||
      reclaim.kind !== "part" || least.value >= 1 ||
      least.value + reclaim.value < 1;
    if (isReachable) return [];
    const [found, beside] = [
      fieldOf(fields, "evictionMinimumReclaim")[signal],
      fieldOf(fields, field)[signal],
    ];
    return [
      `Cannot use evictionMinimumReclaim["${signal}"]: found "${found}" beside ${field}["${signal}"] "${beside}", wanted less than 100% together`,
    ];
  });
}

function unknownSignals(fields: ThresholdFields): string[] {
  const known: readonly string[] = [
    ...SIGNALS,
    // What is given of these says nothing: they follow from the others.
    ...DERIVED_SIGNALS,
  ];
  const names = [
    "evictionHard",
    "evictionSoft",
    "evictionSoftGracePeriod",
    "evictionMinimumReclaim",
  ] as const;
  return names.flatMap((name) =>
    Object.keys(fields[name] ?? {})
      .filter((signal) => !known.includes(signal))
      .map((signal) =>
        `Cannot use ${name}: found the signal ${
          JSON.stringify(signal)
        }, wanted one of ${SIGNALS.join(", ")}`
      )
  );
}

function badAmount(
  field: AmountField,
  signal: PressureSignal,
  text: string,
): string {
  return `Cannot use ${field}["${signal}"]: found ${
    JSON.stringify(text)
  }, wanted a quantity such as "100Mi", or a percentage from 0% to 100%`;
}
