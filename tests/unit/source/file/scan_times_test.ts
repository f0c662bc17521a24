/**
 * When all manifests are looked at.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ScanTimes } from "../../../../mod/source/file/scan_times.ts";

const GAP_MS = 100;
const PERIOD_MS = 20_000;

Deno.test("ScanTimes misses a full look that was asked for and did not begin since", () => {
  const times = new ScanTimes(GAP_MS);
  strictEqual(times.isMissing(0, 0), true);
  times.begin(1000, PERIOD_MS);
  strictEqual(times.isMissing(1000, 20_999), false);
  strictEqual(times.isMissing(1000, 21_000), true);
  times.soon(1500);
  strictEqual(times.isMissing(999, 1500), false);
  strictEqual(times.isMissing(1000, 1499), false);
  strictEqual(times.isMissing(1000, 1500), true);
});

const RESTS = [
  { tookMs: 0, restMs: GAP_MS },
  { tookMs: 20, restMs: GAP_MS },
  { tookMs: 21, restMs: 105 },
  { tookMs: 5000, restMs: 25_000 },
  { tookMs: 5001, restMs: 25_001 },
  { tookMs: 60_000, restMs: 80_000 },
];

for (const { tookMs, restMs } of RESTS) {
  Deno.test(`ScanTimes leaves ${restMs} ms from the beginning of a full look that took ${tookMs} ms to that of the next`, () => {
    const times = new ScanTimes(GAP_MS);
    times.begin(1000, PERIOD_MS);
    times.end(1000 + tookMs);
    times.soon(1000);
    strictEqual(times.nextMs, 1000 + restMs);
  });
}
