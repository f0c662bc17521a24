/**
 * When garbage is collected.
 *
 * @module
 */

import { deepStrictEqual } from "node:assert/strict";
import { collectGarbage, IdleMemory } from "../../../mod/app/idle_memory.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Moves at these times; says when garbage was collected, until a time. */
async function collections(
  moves: readonly number[],
  untilMs: number,
): Promise<number[]> {
  const clock = new FakeClock();
  const startMs = clock.monotonic();
  const seen: number[] = [];
  using memory = new IdleMemory({
    clock,
    collect: () => seen.push(clock.monotonic() - startMs),
  });
  for (const atMs of [...moves, untilMs]) {
    await clock.advance(startMs + atMs - clock.monotonic());
    if (atMs !== untilMs) memory.moved();
  }
  return seen;
}

Deno.test("IdleMemory collects nothing as long as nothing moves", async () => {
  deepStrictEqual(await collections([], 3_600_000), []);
});

Deno.test("IdleMemory collects three times, ten seconds after the last move and after each other", async () => {
  deepStrictEqual(await collections([0], 9_999), []);
  deepStrictEqual(
    await collections([0], 3_600_000),
    [10_000, 20_000, 30_000],
  );
  deepStrictEqual(
    await collections([0, 3_000, 9_000, 21_000], 3_600_000),
    [19_000, 31_000, 41_000, 51_000],
  );
});

Deno.test("IdleMemory collects anew after the next move", async () => {
  deepStrictEqual(
    await collections([0, 500_000], 3_600_000),
    [10_000, 20_000, 30_000, 510_000, 520_000, 530_000],
  );
});

Deno.test("IdleMemory collects each minute where something moves all the time", async () => {
  const moves = Array.from({ length: 40 }, (_, index) => index * 5_000);
  deepStrictEqual(
    await collections(moves, 3_600_000),
    [60_000, 120_000, 180_000, 205_000, 215_000, 225_000],
  );
});

Deno.test("IdleMemory collects nothing after its end", async () => {
  const clock = new FakeClock();
  const seen: number[] = [];
  const memory = new IdleMemory({ clock, collect: () => seen.push(1) });
  memory.moved();
  memory[Symbol.dispose]();
  await clock.advance(3_600_000);
  deepStrictEqual(seen, []);
});

Deno.test("collectGarbage() asks the engine for all that it can find, if it may be asked", () => {
  const asked: unknown[] = [];
  Reflect.set(globalThis, "gc", (options: unknown) => asked.push(options));
  collectGarbage();
  Reflect.deleteProperty(globalThis, "gc");
  collectGarbage();
  deepStrictEqual(asked, [
    { type: "major", execution: "sync", flavor: "last-resort" },
  ]);
});
