/**
 * How often a watched path is looked for that is away, or does not answer.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { watchPath } from "../../../mod/host/files/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";

/** When a path is looked at by a watch of that time, if each look gets that answer. */
async function looksFor(
  ms: number,
  answer: () => Promise<never>,
): Promise<readonly number[]> {
  const clock = new FakeClock();
  const { stat, lstat } = Deno;
  const looks: number[] = [];
  using _restored = {
    [Symbol.dispose]() {
      Object.assign(Deno, { stat, lstat });
    },
  };
  Deno.stat = (file) => {
    if (file !== "/away") return stat(file);
    looks.push(clock.monotonic());
    return answer();
  };
  Deno.lstat = (file) => file === "/away" ? answer() : lstat(file);
  const stop = new AbortController();
  const log = messagesTo([], { clock });
  const watching = Array.fromAsync(
    watchPath("/away", stop.signal, { clock, log }),
  );
  const startMs = clock.monotonic();
  await clock.advance(ms);
  stop.abort();
  deepStrictEqual(await watching, []);
  return looks.map((at) => at - startMs);
}

Deno.test("watchPath() looks for a path that is away at once, soon, and then each second", async () => {
  const missing = () => Promise.reject(new Deno.errors.NotFound());
  const looks = await looksFor(5000, missing);
  const waits = looks.map((at, index) => at - (looks[index - 1] ?? 0));
  deepStrictEqual(waits, [0, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000]);
});

Deno.test("watchPath() takes a path for hung after three seconds, and asks it again after a minute", async () => {
  const looks = await looksFor(120_000, () => new Promise(() => {}));
  deepStrictEqual(looks, [0, 63_260]);
});
