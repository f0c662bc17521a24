/**
 * What went over networks and how long work has waited, in the shape of the kubelet's
 * `/stats/summary`.
 *
 * @module
 */

import { defined } from "../base/mod.ts";
import type { NetworkStats } from "../cri/model/mod.ts";
import type { PressureStall, StallTimes } from "../host/machine/mod.ts";
import { numberOf, timeOf } from "./summary_values.ts";

/** One interface. */
export interface InterfaceSummary {
  readonly name: string;
  readonly rxBytes?: number;
  readonly rxErrors?: number;
  readonly txBytes?: number;
  readonly txErrors?: number;
}

/** The interface by which a pod is reached, and any others beside it. */
export interface NetworkSummary extends InterfaceSummary {
  readonly time: string;
  readonly interfaces?: readonly InterfaceSummary[];
}

/**
 * The network of one pod.
 *
 * @param askedAt counts where the runtime does not say when it measured, as containerd 1.6
 */
export function networkSummary(
  { atNanos, primary, others }: NetworkStats,
  { askedAt }: { readonly askedAt: string },
): NetworkSummary {
  return defined({
    time: atNanos > 0n ? timeOf(atNanos) : askedAt,
    ...(primary === undefined ? { name: "" } : interfaceSummary(primary)),
    interfaces: others.length === 0 ? undefined : others.map(interfaceSummary),
  });
}

function interfaceSummary(
  figures: NetworkStats["others"][number],
): InterfaceSummary {
  return defined({
    name: figures.name,
    rxBytes: numberOf(figures.receivedBytes),
    rxErrors: numberOf(figures.receiveErrors),
    txBytes: numberOf(figures.sentBytes),
    txErrors: numberOf(figures.sendErrors),
  });
}

/** Of one thing; what the kernel does not tell is nothing, as upstream has it. */
export interface StallSummary {
  readonly full: StallTimes;
  readonly some: StallTimes;
}

const NONE: StallTimes = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

/** Reading and writing. */
export interface IoSummary {
  readonly time: string;
  readonly psi: StallSummary;
}

/** Figures with the time that was waited, where that was measured. */
export function withStall<Figures extends object>(
  figures: Figures | undefined,
  stall: PressureStall | undefined,
): (Figures & { readonly psi?: StallSummary }) | undefined {
  if (figures === undefined || stall === undefined) return figures;
  return { ...figures, psi: stallSummary(stall) };
}

/** Of reading and writing nothing else is known. */
export function ioSummary(
  time: string,
  stall: PressureStall | undefined,
): IoSummary | undefined {
  return stall && { time, psi: stallSummary(stall) };
}

function stallSummary(
  { full = NONE, some = NONE }: PressureStall,
): StallSummary {
  return { full, some };
}
