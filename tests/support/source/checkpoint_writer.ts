/**
 * A program that keeps one checkpoint after the other until it is killed.
 *
 * Its argument is the directory; it prints a byte for each set, once the first is on the disk.
 *
 * @module
 */

import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { DiskSetCheckpoint } from "../../../mod/source/records/mod.ts";
import { checkpointContent } from "./checkpoint_contents.ts";
import { NO_EVENTS } from "../no_ops.ts";

// Many times what a test waits before it kills this program.
const ROUNDS = 100_000;

const checkpoint = open();
const signal = new AbortController().signal;
const running = checkpoint.run(signal);
let isSaved = false;
for (let round = 0; round < ROUNDS; round++) {
  checkpoint.save(checkpointContent(round));
  isSaved ||= await hasFile();
  if (isSaved) Deno.stdout.writeSync(Uint8Array.of(46));
  await systemClock.sleep(0, signal);
}
await running;

function open(): DiskSetCheckpoint {
  const directory = Deno.args[0] ?? "";
  const secretDirectory = `${directory}/run`;
  const places = { directory, secretDirectory };
  return new DiskSetCheckpoint({ source: "http", origin: "o", ...places }, {
    clock: systemClock,
    log: silentLogger,
    metrics: new MetricsRegistry(),
    events: NO_EVENTS,
  });
}

/** Asks the disk; the checkpoint that saves would answer with what it has in mind. */
async function hasFile(): Promise<boolean> {
  return (await open().load()).kind === "present";
}
