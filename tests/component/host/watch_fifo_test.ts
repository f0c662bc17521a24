/**
 * Watching a directory in which a FIFO appears.
 *
 * A file of its own, since the loss of Deno's watching thread is for good: it is
 * why the watcher is left open here.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { createLogger } from "../../../mod/base/telemetry/mod.ts";
import { systemClock } from "../../../mod/base/mod.ts";
import { type WatchHint, watchPath } from "../../../mod/host/files/mod.ts";
import { until } from "../../support/until.ts";
import { makeFifo, openFifo } from "../../support/fifo.ts";

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
    const log = createLogger({
      level: "info",
      format: "json",
      clock: systemClock,
      write: (line) => lines.push(line),
    });
    const hints: WatchHint[] = [];
    const watching = (async () => {
      const deps = { clock: systemClock, log };
      for await (const hint of watchPath(path, stop.signal, deps)) {
        hints.push(hint);
      }
    })();
    await until(() => hints.length > 0);
    await makeFifo(join(path, "fifo"));
    await until(() => lines.some((line) => line.includes("watch_lost")));
    for (const name of ["a", "b"]) {
      hints.length = 0;
      await Deno.writeTextFile(join(path, name), "");
      await until(() => hints.some(({ kind }) => kind === "rescan"));
    }
    // Neither another directory in its place nor the end blocks anything.
    hints.length = 0;
    await Deno.rename(path, join(root, "old"));
    await Deno.mkdir(path);
    await until(() => hints.some(({ kind }) => kind === "rescan"));
    // One that is away for long is told of when it is back.
    hints.length = 0;
    await Deno.remove(path);
    await until(() => hints.some(({ kind }) => kind === "rescan"));
    await systemClock.sleep(100, stop.signal);
    hints.length = 0;
    await Deno.mkdir(path);
    await until(() => hints.some(({ kind }) => kind === "rescan"));
    stop.abort();
    await watching;
    strictEqual(lines.filter((line) => line.includes("watch_lost")).length, 1);
    await openFifo(join(root, "old/fifo"));
    await Deno.remove(root, { recursive: true });
  },
});
