/**
 * Figures that several clients share, and rates of processors.
 *
 * @module
 */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { CpuRates } from "../../../mod/usage/cpu_rates.ts";
import type { PodUse } from "../../../mod/usage/pod_use.ts";
import { SharedMeter } from "../../../mod/usage/shared_meter.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { podOf } from "../../support/pods.ts";

const { signal } = new AbortController();

/** A pod of one container that has worked so long at this time, both in seconds. */
function worked(atSeconds: number, usedSeconds: number): PodUse {
  return {
    containers: [{
      name: "c",
      memoryBytes: undefined,
      cpu: {
        atNanos: BigInt(atSeconds * 1000) * 1_000_000n,
        usedNanos: BigInt(usedSeconds * 1000) * 1_000_000n,
        nanoCores: undefined,
      },
      memory: undefined,
      layer: undefined,
      logs: undefined,
    }],
    processes: undefined,
    volumes: [],
    inMemoryBytes: 0,
    files: { bytes: 0, inodes: 0 },
  };
}

/** The rates after each look, in processors. */
function rates(...looks: readonly (readonly [number, number])[]) {
  const rates = new CpuRates();
  return looks.map(([at, used]) => {
    const filled = rates.fill(new Map([["u", worked(at, used)]]));
    const found = filled.get("u")?.containers[0]?.cpu?.nanoCores;
    return found === undefined ? undefined : Number(found) / 1e9;
  });
}

Deno.test("CpuRates.fill() compares with what was measured before", () => {
  deepStrictEqual(rates([0, 5], [10, 10], [12, 14]), [undefined, 0.5, 2]);
  deepStrictEqual(rates([0, 5], [10, 5], [20, 10]), [undefined, 0, 0.5]);
});

Deno.test("CpuRates.fill() keeps the last rate where too little time went by", () => {
  deepStrictEqual(
    rates([0, 0], [1, 0.5], [1.4, 0.9], [2, 1.5]),
    [undefined, 0.5, 0.5, 1],
  );
  deepStrictEqual(
    rates([0, 0], [0.5, 0.25], [0.999, 0.75]),
    [undefined, 0.5, 0.5],
  );
});

Deno.test("CpuRates.fill() begins anew with a container that restarted, and a clock that was set back", () => {
  deepStrictEqual(
    rates([0, 50], [10, 1], [20, 6], [5, 9], [15, 14]),
    [undefined, undefined, 0.5, undefined, 0.5],
  );
});

Deno.test("CpuRates.fill() leaves what the runtime says, and forgets who is gone", () => {
  const rates = new CpuRates();
  const use = worked(1, 1);
  const containers = use.containers.map((each) => ({
    ...each,
    cpu: { atNanos: 1n, usedNanos: 1n, nanoCores: 7n },
  }));
  const filled = rates.fill(new Map([["u", { ...use, containers }]]));
  strictEqual(filled.get("u")?.containers[0]?.cpu?.nanoCores, 7n);
  rates.fill(new Map());
  const again = rates.fill(new Map([["u", worked(9, 9)]]));
  strictEqual(again.get("u")?.containers[0]?.cpu?.nanoCores, undefined);
});

class SharedRig {
  readonly clock = new FakeClock();
  measured = 0;
  walkMs = 100;
  failure: Error | undefined;
  readonly meter = new SharedMeter({
    clock: this.clock,
    meter: {
      measure: async () => {
        this.measured++;
        await this.clock.sleep(this.walkMs, signal);
        if (this.failure !== undefined) throw this.failure;
        return new Map([["u", worked(1, 1)]]);
      },
    },
  });

  async ask(what: "memory" | "all", times: number): Promise<void> {
    const asked = Array.from(
      { length: times },
      () => this.meter.measure([podOf("u")], { what, signal }),
    );
    // Settled while the clock moves; a failure is told below.
    const all = Promise.allSettled(asked);
    await this.clock.advance(this.walkMs);
    await all;
    await Promise.all(asked);
  }
}

Deno.test("SharedMeter.measure() gives one answer to all who ask meanwhile", async () => {
  const rig = new SharedRig();
  await rig.ask("memory", 5);
  strictEqual(rig.measured, 1);
  await rig.ask("memory", 2);
  strictEqual(rig.measured, 2);
});

Deno.test("SharedMeter.measure() walks through files a tenth of the time at most", async () => {
  const rig = new SharedRig();
  await rig.clock.advance(5_000);
  await rig.ask("all", 1);
  await rig.clock.advance(799);
  await rig.ask("all", 1);
  strictEqual(rig.measured, 1);
  await rig.clock.advance(1);
  await rig.ask("all", 1);
  strictEqual(rig.measured, 2);
});

Deno.test("SharedMeter.measure() asks anew after a failure", async () => {
  const rig = new SharedRig();
  rig.failure = new Error("no figures");
  await rejects(rig.ask("all", 1), /no figures/);
  rig.failure = undefined;
  await rig.ask("all", 1);
  strictEqual(rig.measured, 2);
});

Deno.test("SharedMeter.measure() gives what a sick disk took hours for no longer than ten minutes", async () => {
  const rig = new SharedRig();
  rig.walkMs = 2 * 3_600_000;
  await rig.ask("all", 1);
  rig.walkMs = 100;
  await rig.clock.advance(599_999);
  await rig.ask("all", 1);
  strictEqual(rig.measured, 1);
  await rig.ask("all", 1);
  strictEqual(rig.measured, 2);
});
