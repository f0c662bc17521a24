/**
 * How much of a processor containers take, of runtimes that only count time.
 *
 * @module
 */

import type { CpuFigures } from "../cri/model/mod.ts";
import type { PodUse } from "./pod_use.ts";

/** Over less time a rate says little. */
const LEAST_NANOS = 500_000_000n;

interface CpuSample {
  readonly atNanos: bigint;
  readonly usedNanos: bigint;
  readonly nanoCores: bigint | undefined;
}

/** Compares what was measured with what was before; holds the last of each container that is. */
export class CpuRates {
  #samples: ReadonlyMap<string, CpuSample> = new Map();

  /** The uses with the rates of those of which one is known. */
  fill(uses: ReadonlyMap<string, PodUse>): ReadonlyMap<string, PodUse> {
    const samples = new Map<string, CpuSample>();
    const filled = [...uses].map(([uid, use]): [string, PodUse] => {
      const containers = use.containers.map((container) => {
        const { cpu } = container;
        if (cpu?.usedNanos === undefined) return container;
        const key = `${uid}/${container.name}`;
        const sample = follow(this.#samples.get(key), cpu, cpu.usedNanos);
        samples.set(key, sample);
        const nanoCores = cpu.nanoCores ?? sample.nanoCores;
        return { ...container, cpu: { ...cpu, nanoCores } };
      });
      return [uid, { ...use, containers }];
    });
    this.#samples = samples;
    return new Map(filled);
  }
}

function follow(
  before: CpuSample | undefined,
  { atNanos }: CpuFigures,
  usedNanos: bigint,
): CpuSample {
  // A container that restarted counts from the start, and a clock may have been set.
  if (
    before === undefined || usedNanos < before.usedNanos ||
    atNanos < before.atNanos
  ) return { atNanos, usedNanos, nanoCores: undefined };
  const took = atNanos - before.atNanos;
  if (took < LEAST_NANOS) return before;
  const nanoCores = (usedNanos - before.usedNanos) * 1_000_000_000n / took;
  return { atNanos, usedNanos, nanoCores };
}
