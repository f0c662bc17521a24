/**
 * The settings about what the node runs short of.
 *
 * @module
 */

import {
  type PressureOptions,
  readThresholds,
  withDerived,
} from "../pressure/mod.ts";
import type { Settings } from "./agent_config.ts";
import { boolean, count, durationMs } from "./decoders.ts";
import { signalAmounts, signalDurations } from "./signal_decoders.ts";
import { field, flag, pointer, type Rows } from "./setting.ts";

/** Their rows, under upstream's names. */
export const PRESSURE_SETTINGS: Rows<Settings["pressure"]> = {
  evictionHard: {
    flag: flag("eviction-hard SIGNAL<AMOUNT,...", signalAmounts),
    help:
      "when to end pods at once (default\nmemory.available<100Mi,nodefs.available<10%,\nnodefs.inodesFree<5%,imagefs.available<15%,\nimagefs.inodesFree<5%)",
    kubelet: pointer("evictionHard", signalAmounts),
  },
  evictionSoft: {
    flag: flag("eviction-soft SIGNAL<AMOUNT,...", signalAmounts),
    help: "when to end pods after a time",
    kubelet: field("evictionSoft", signalAmounts),
    fallback: {},
  },
  evictionSoftGracePeriod: {
    flag: flag("eviction-soft-grace-period SIGNAL=TIME,...", signalDurations),
    help: "after which time",
    kubelet: field("evictionSoftGracePeriod", signalDurations),
    fallback: {},
  },
  evictionMinimumReclaim: {
    flag: flag("eviction-minimum-reclaim SIGNAL=AMOUNT,...", signalAmounts),
    help: "what must be free beyond that to stop",
    kubelet: field("evictionMinimumReclaim", signalAmounts),
    fallback: {},
  },
  mergeDefaultEvictionSettings: {
    kubelet: pointer("mergeDefaultEvictionSettings", boolean),
    fallback: false,
  },
  transitionMs: {
    kubelet: field("evictionPressureTransitionPeriod", durationMs),
    fallback: 300_000,
    leastMs: 1_000,
  },
  maxPodGraceSeconds: {
    kubelet: field("evictionMaxPodGracePeriod", count),
    fallback: 0,
  },
};

/** What the settings come to, and where they contradict each other. */
export function pressureOptions(
  { transitionMs, maxPodGraceSeconds, ...fields }: Settings["pressure"],
  { limitsPods }: { readonly limitsPods: boolean },
): { readonly pressure: PressureOptions; readonly faults: readonly string[] } {
  const { thresholds: given, faults } = readThresholds(fields);
  const thresholds = withDerived(given, { limitsPods });
  const pressure = { thresholds, transitionMs, maxPodGraceSeconds };
  return { pressure, faults };
}
