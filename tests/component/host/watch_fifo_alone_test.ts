/**
 * Watching a directory in which a FIFO appears.
 *
 * A process of its own, since the loss of Deno's watching thread is for good: it is
 * why the watcher is left open here.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { type WatchHint, watchPath } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { untilLaterFileTime } from "../../support/file_times.ts";
import { until } from "../../support/until.ts";
import { makeFifo, openFifo } from "../../support/fifo.ts";
import { linesTo } from "../../support/log_lines.ts";

Deno.test({
  name:
    "watchPath() goes on by looking when a FIFO costs Deno its watching thread",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const root = await Deno.makeTempDir({ prefix: "skerry_fifo_" });
    const path = join(root, "dir");
    await Deno.mkdir(path);
    const stop = new AbortController();
    const lines: string[] = [];
    const clock = new FakeClock();
    // Nobody can tell when a lost thread is done, so that looks are waited for as well.
    const untilSeen = (holds: () => boolean): Promise<void> =>
      until(async () => {
        await clock.advance(100);
        return holds();
      });
    const isRescanned = () => hints.some(({ kind }) => kind === "rescan");
    const log = linesTo(lines, { clock });
    const hints: WatchHint[] = [];
    const watching = (async () => {
      const deps = { clock, log };
      for await (const hint of watchPath(path, stop.signal, deps)) {
        hints.push(hint);
      }
    })();
    await untilSeen(() => hints.length > 0);
    await makeFifo(join(path, "fifo"));
    await untilSeen(() => lines.some((line) => line.includes("watch_lost")));
    for (const name of ["a", "b"]) {
      await untilLaterFileTime();
      hints.length = 0;
      await Deno.writeTextFile(join(path, name), "");
      await untilSeen(isRescanned);
    }
    // Neither another directory in its place nor the end blocks anything.
    hints.length = 0;
    await Deno.rename(path, join(root, "old"));
    await Deno.mkdir(path);
    await untilSeen(isRescanned);
    // One that is away for long is told of when it is back.
    hints.length = 0;
    await Deno.remove(path);
    await untilSeen(isRescanned);
    const { moves } = clock;
    await untilSeen(() => clock.moves > moves + 20);
    hints.length = 0;
    await Deno.mkdir(path);
    await untilSeen(isRescanned);
    stop.abort();
    await watching;
    strictEqual(lines.filter((line) => line.includes("watch_lost")).length, 1);
    await openFifo(join(root, "old/fifo"));
    await Deno.remove(root, { recursive: true });
  },
});
