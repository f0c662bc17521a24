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

/**
 * Says of each soft threshold that is not above the hard one, where one is a quantity and the
 * other a part, so that only what there is in all tells. It never counts: the hard one is met
 * before. And of each that follows from another, but asks for all there is.
 */
export function thresholdConflicts(
  thresholds: readonly Threshold[],
  observations: Observations,
): readonly string[] {
  return [
    ...softConflicts(thresholds, observations),
    ...thresholds.flatMap((each) => excessOf(each, observations) ?? []),
  ];
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

function softConflicts(
  thresholds: readonly Threshold[],
  observations: Observations,
): readonly string[] {
  return thresholds.flatMap((soft) => {
    const { signal, kind } = soft;
    if (kind !== "soft" || DERIVED.includes(signal)) return [];
    const hard = thresholds.find((each) =>
      each.kind === "hard" && each.signal === signal
    );
    const observed = observations.get(signal);
    if (hard === undefined || observed === undefined) return [];
    if (hard.least.kind === soft.least.kind) return [];
    const amount = amountOf(soft.least, observed);
    if (amount > amountOf(hard.least, observed)) return [];
    const text = (of: number) => starvedAmount(of, resourceOf(signal));
    const given = (of: Amount) =>
      of.kind === "part" ? partText(of.value) : text(of.value);
    return [
      `Cannot use evictionSoft["${signal}"]: found "${
        given(soft.least)
      }" beside evictionHard["${signal}"] "${
        given(hard.least)
      }", wanted more than that of the ${text(observed.capacity)} there are`,
    ];
  });
}

function partText(value: number): string {
  return `${Number((value * 100).toFixed(7))}%`;
}
