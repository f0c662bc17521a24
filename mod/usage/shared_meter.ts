/**
 * Figures for whoever asks, without the node being walked through for each of them.
 *
 * @module
 */

import type { Clock } from "../base/mod.ts";
import type { Pod } from "../api/types/mod.ts";
import { CpuRates } from "./cpu_rates.ts";
import type { MeterOptions, PodMeter } from "./pod_meter.ts";
import type { PodUse } from "./pod_use.ts";

/** What was found in files is good for this many times as long as the walk took. */
const REUSED_TIMES = 9;

/** A walk that took very long had to wait for a sick disk. */
const LONGEST_REUSE_MS = 600_000;

type Uses = ReadonlyMap<string, PodUse>;

interface Measured {
  readonly uses: Promise<Uses>;
  /** Monotonic; until then it is given to others as well. */
  untilMs: number;
}

/**
 * Measures pods for clients: several who ask at a time share one answer, and walking through
 * files takes at most a tenth of the time, however many there are and however often they ask;
 * but no answer is given for longer than ten minutes.
 * Holds the last answers only.
 */
export class SharedMeter {
  readonly #meter: Pick<PodMeter, "measure">;
  readonly #clock: Clock;
  readonly #rates = new CpuRates();
  readonly #last = new Map<MeterOptions["what"], Measured>();

  constructor(
    deps: { readonly meter: Pick<PodMeter, "measure">; readonly clock: Clock },
  ) {
    this.#meter = deps.meter;
    this.#clock = deps.clock;
  }

  /**
   * What pods use, by UID; one that came since the last measuring may not be there.
   *
   * @throws {CriError} When the runtime has no figures.
   */
  async measure(pods: readonly Pod[], options: MeterOptions): Promise<Uses> {
    const { what } = options;
    const last = this.#last.get(what);
    if (last !== undefined && this.#clock.monotonic() < last.untilMs) {
      return await last.uses;
    }
    const measured = { uses: this.#measure(pods, options), untilMs: Infinity };
    this.#last.set(what, measured);
    const startMs = this.#clock.monotonic();
    try {
      const uses = await measured.uses;
      const nowMs = this.#clock.monotonic();
      const times = what === "all" ? REUSED_TIMES : 0;
      const reuseMs = Math.min((nowMs - startMs) * times, LONGEST_REUSE_MS);
      measured.untilMs = nowMs + reuseMs;
      return uses;
    } catch (error) {
      // The next one asks anew.
      this.#last.delete(what);
      throw error;
    }
  }

  async #measure(pods: readonly Pod[], options: MeterOptions): Promise<Uses> {
    return this.#rates.fill(await this.#meter.measure(pods, options));
  }
}
