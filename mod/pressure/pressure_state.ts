/**
 * Which shortages there are, since when, and which of them call for an eviction.
 *
 * @module
 */

import { NODE_PRESSURES, type NodePressure } from "../pod/admission/mod.ts";
import { type Observation, type Observations, pressureOf } from "./signals.ts";
import { amountOf, type Threshold } from "./thresholds.ts";

/** What is remembered from one look to the next; times are monotonic. */
export interface PressureState {
  /** The shortages that lasted through their grace, until enough is reclaimed. */
  readonly acute: ReadonlySet<Threshold>;
  /** Since when each shortage is seen. */
  readonly since: ReadonlyMap<Threshold, number>;
  /** When each condition was last found. */
  readonly seenMs: ReadonlyMap<NodePressure, number>;
}

/** Nothing is short. */
export const NO_PRESSURE: PressureState = {
  acute: new Set(),
  since: new Map(),
  seenMs: new Map(),
};

/** What one look comes to. */
export interface PressureJudgement {
  readonly state: PressureState;
  /** The conditions of the node, in upstream's order. */
  readonly conditions: readonly NodePressure[];
  /** What calls for an eviction now; the most urgent first. */
  readonly acute: readonly Threshold[];
}

/**
 * Judges one look at the node (kubelet: eviction manager's synchronize).
 *
 * A shortage is there below its threshold and stays until the minimum to be reclaimed is
 * there as well, if it has called for an eviction. What could not be measured is no shortage,
 * and ends none.
 */
export function judgePressure(
  before: PressureState,
  look: {
    readonly thresholds: readonly Threshold[];
    readonly observations: Observations;
    readonly nowMs: number;
    /** How long a condition stays after it was last found. */
    readonly transitionMs: number;
  },
): PressureJudgement {
  const { thresholds, observations, nowMs, transitionMs } = look;
  const met = thresholds.filter((each) => {
    const observed = observations.get(each.signal);
    if (observed === undefined) return before.since.has(each);
    return isMet(each, observed, { withReclaim: before.acute.has(each) });
  });
  const since = new Map(
    met.map((each) => [each, before.since.get(each) ?? nowMs]),
  );
  const seenMs = new Map(before.seenMs);
  for (const { signal } of met) seenMs.set(pressureOf(signal), nowMs);
  for (const [condition, ms] of seenMs) {
    if (nowMs - ms >= transitionMs && ms !== nowMs) seenMs.delete(condition);
  }
  const lasting = met.filter((each) =>
    nowMs - (since.get(each) ?? nowMs) >= each.graceMs
  );
  return {
    state: { acute: new Set(lasting), since, seenMs },
    conditions: NODE_PRESSURES.filter((each) => seenMs.has(each)),
    // What was not measured anew may be over: nobody is ended for it.
    acute: lasting.filter(({ signal }) => observations.has(signal))
      .sort(byUrgency),
  };
}

/** Whether less is there than there has to be. */
export function isMet(
  threshold: Threshold,
  observed: Observation,
  options: { readonly withReclaim: boolean },
): boolean {
  return missingOf(threshold, observed, options) > 0;
}

/** How much more there would have to be; nothing or less where there is enough. */
export function missingOf(
  { least, reclaim }: Threshold,
  observed: Observation,
  options: { readonly withReclaim: boolean },
): number {
  const wanted = amountOf(least, observed) +
    (options.withReclaim ? amountOf(reclaim, observed) : 0);
  return wanted - observed.available;
}

/** Upstream: memory before all else; here hard ones before soft ones of the same kind, too. */
function byUrgency(a: Threshold, b: Threshold): number {
  const rank = ({ signal, kind }: Threshold): number =>
    (pressureOf(signal) === "MemoryPressure" ? 0 : 2) +
    (kind === "hard" ? 0 : 1);
  return rank(a) - rank(b);
}
