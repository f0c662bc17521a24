/**
 * How often a watched path is looked for that is away.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { watchPath } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";

Deno.test("watchPath() looks for a path that is away at once, soon, and then each second", async () => {
  const clock = new FakeClock();
  const { stat, lstat } = Deno;
  const looks: number[] = [];
  const missing = () => Promise.reject(new Deno.errors.NotFound());
  using _restored = {
    [Symbol.dispose]() {
      Object.assign(Deno, { stat, lstat });
    },
  };
  Deno.stat = (file) => {
    if (file !== "/away") return stat(file);
    looks.push(clock.monotonic());
    return missing();
  };
  Deno.lstat = (file) => file === "/away" ? missing() : lstat(file);
  const stop = new AbortController();
  const log = messagesTo([], { clock });
  const watching = Array.fromAsync(
    watchPath("/away", stop.signal, { clock, log }),
  );
  const startMs = clock.monotonic();
  await clock.advance(5000);
  stop.abort();
  deepStrictEqual(await watching, []);
  const waits = looks.map((ms, at) => ms - (looks[at - 1] ?? startMs));
  deepStrictEqual(waits, [0, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
});
