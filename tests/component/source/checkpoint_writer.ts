/**
 * A program that keeps one checkpoint after the other until it is killed.
 *
 * Its argument is the directory; each line that it prints is a set that was saved.
 *
 * @module
 */

import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { DiskSetCheckpoint } from "../../../mod/source/records/mod.ts";
import { contentOf } from "./checkpoint_contents.ts";

// Many times what a test waits before it kills this program.
const ROUNDS = 100_000;

const checkpoint = new DiskSetCheckpoint({
  source: "http",
  origin: "o",
  directory: Deno.args[0] ?? "",
}, {
  clock: systemClock,
  log: silentLogger,
  metrics: new MetricsRegistry(),
  events: { record: () => {} },
});
const signal = new AbortController().signal;
const running = checkpoint.run(signal);
for (let round = 0; round < ROUNDS; round++) {
  checkpoint.save(contentOf(round));
  if (round === 10) Deno.stdout.writeSync(new TextEncoder().encode("ready\n"));
  await systemClock.sleep(0, signal);
}
await running;
