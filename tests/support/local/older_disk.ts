/**
 * What an agent with fewer defaults would have kept.
 *
 * @module
 */

import { isRecord } from "../../../mod/base/mod.ts";
import { silentLogger } from "../../../mod/base/telemetry/mod.ts";
import { Journal } from "../../../mod/local/journal.ts";
import { FakeClock } from "../fake_clock.ts";
import { seededRandom } from "../seeded_random.ts";
import { CrashDisk } from "./crash_disk.ts";

/** A disk with all that another has, but without fields of these names, wherever they are. */
export async function diskWithout(
  disk: CrashDisk,
  names: readonly string[],
): Promise<CrashDisk> {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([name]) => !names.includes(name))
        .map(([name, each]) => [name, without(each)]),
    );
  };
  const deps = { clock: new FakeClock(), log: silentLogger };
  const { entries } = await new Journal("/store", { disk, ...deps }).load();
  const next = new CrashDisk(seededRandom(1));
  const journal = new Journal("/store", { disk: next, ...deps });
  await journal.load();
  await journal.write(new Map(), {
    snapshot: () => [...entries].map(([key, value]) => [key, without(value)]),
    isLasting: true,
  });
  return next;
}
