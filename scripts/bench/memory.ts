/**
 * What the agent holds in memory, on a fake runtime, which may have more pods than this
 * machine.
 *
 * @module
 */

import { pause } from "../lib/wait_until.ts";
import { SETTLE_MS, withPods } from "./pods_on_fake.ts";
import { type Report, spread } from "./figures.ts";

const ROUNDS = 2;

/** Pods, and the aim in MB. */
const COUNTS: readonly (readonly [number, string])[] = [
  [0, "aim 62; kubelet 73"],
  [10, "aim 65; kubelet 81"],
  [30, "aim 70; kubelet 86"],
  [100, "aim 80; kubelet 104"],
  [300, ""],
];

const CAME_AND_WENT = "30 s after 100 pods came and went, twice";

/** Prints the memory with some numbers of pods, and when many came and went. */
export async function measureMemory(report: Report): Promise<void> {
  const seen = new Map<string, number[]>();
  const note = (what: string, megabytes: number): void => {
    seen.set(what, [...seen.get(what) ?? [], megabytes]);
  };
  // Deno examines a bundle that it has never seen, for 35 MB; an executable was examined.
  await withPods((pods) => pods.become(0));
  for (let round = 0; round < ROUNDS; round++) {
    await withPods(async (pods) => {
      for (const [count] of COUNTS) {
        await pods.become(count);
        await pause(SETTLE_MS);
        note(`resident with ${count} pods`, await pods.residentMb());
      }
    });
    await withPods(async (pods) => {
      for (const count of [100, 0, 100, 0]) await pods.become(count);
      await pause(30_000);
      note(`resident ${CAME_AND_WENT}`, await pods.residentMb());
    });
  }
  const aims = new Map<string, string>([
    ...COUNTS.map(([count, aim]) =>
      [`resident with ${count} pods`, aim] as const
    ),
    [`resident ${CAME_AND_WENT}`, "aim 75; kubelet 85"],
  ]);
  for (const [what, values] of seen) {
    report(what, spread(values, "MB"), aims.get(what));
  }
}
