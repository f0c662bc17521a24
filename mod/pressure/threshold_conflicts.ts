/**
 * Thresholds that contradict each other on this machine.
 *
 * @module
 */

import { starvedAmount } from "./starved_amount.ts";
import {
  DERIVED_SIGNALS,
  type Observations,
  type PressureSignal,
  resourceOf,
} from "./signals.ts";
import { type Amount, amountOf, type Threshold } from "./thresholds.ts";

const DERIVED: readonly PressureSignal[] = DERIVED_SIGNALS;

/** A threshold that cannot be used as it is, and why. */
export interface ThresholdConflict {
  readonly threshold: Threshold;
  /** With figures that may be others at the next look: how many inodes there are changes. */
  readonly message: string;
}

/**
 * Says of each soft threshold that is not above the hard one, where one is a quantity and the
 * other a part, so that only what there is in all tells. It never counts: the hard one is met
 * before. And of each that follows from another, but asks for all there is.
 */
export function thresholdConflicts(
  thresholds: readonly Threshold[],
  observations: Observations,
): readonly ThresholdConflict[] {
  return thresholds.flatMap((threshold) => {
    const message = excessOf(threshold, observations) ??
      softConflictOf(threshold, { thresholds, observations });
    return message === undefined ? [] : [{ threshold, message }];
  });
}

/**
 * The thresholds without those that nobody gave, and that are always met on this machine: one
 * pod after the other would be ended for them. (Upstream does not start then.)
 */
export function reachable(
  thresholds: readonly Threshold[],
  observations: Observations,
): readonly Threshold[] {
  return thresholds.filter((each) =>
    excessOf(each, observations) === undefined
  );
}

/** What is wrong with a threshold that follows from another; `undefined` if nothing is. */
function excessOf(
  { signal, kind, least, reclaim }: Threshold,
  observations: Observations,
): string | undefined {
  const observed = observations.get(signal);
  if (!DERIVED.includes(signal) || observed === undefined) return undefined;
  const amount = amountOf(least, observed) + amountOf(reclaim, observed);
  if (amount < observed.capacity) return undefined;
  const text = (of: number) => starvedAmount(of, resourceOf(signal));
  const field = kind === "hard" ? "evictionHard" : "evictionSoft";
  return `Cannot use ${field} for "${signal}": found "${
    text(amount)
  }" with what is to be reclaimed, wanted less than the ${
    text(observed.capacity)
  } there are`;
}

/** What is wrong with a soft threshold; `undefined` if nothing is, and of any other. */
function softConflictOf(
  { signal, kind, least }: Threshold,
  { thresholds, observations }: {
    readonly thresholds: readonly Threshold[];
    readonly observations: Observations;
  },
): string | undefined {
  if (kind !== "soft" || DERIVED.includes(signal)) return undefined;
  const hard = thresholds.find((each) =>
    each.kind === "hard" && each.signal === signal
  );
  const observed = observations.get(signal);
  if (hard === undefined || observed === undefined) return undefined;
  if (hard.least.kind === least.kind) return undefined;
  if (amountOf(least, observed) > amountOf(hard.least, observed)) {
    return undefined;
  }
  const text = (of: number) => starvedAmount(of, resourceOf(signal));
  const given = (of: Amount) =>
    of.kind === "part" ? partText(of.value) : text(of.value);
  return `Cannot use evictionSoft["${signal}"]: found "${
    given(least)
  }" beside evictionHard["${signal}"] "${
    given(hard.least)
  }", wanted more than that of the ${text(observed.capacity)} there are`;
}

function partText(value: number): string {
  return `${Number((value * 100).toFixed(7))}%`;
}
