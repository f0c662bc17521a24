import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Wake } from "../../../mod/base/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const clock = new FakeClock();

/** A loop that counts how often it works. */
function count(
  wake: Wake,
): { works: number; readonly stop: () => Promise<void> } {
  const stop = new AbortController();
  const counted = {
    works: 0,
    stop: () => {
      stop.abort();
      return running;
    },
  };
  const running = wake.run(() => void counted.works++, stop.signal);
  return counted;
}

Deno.test("Wake.run() works at first and after each ring, not before its caller goes on", async () => {
  const wake = new Wake();
  const counted = count(wake);
  strictEqual(counted.works, 0);
  await clock.advance(0);
  strictEqual(counted.works, 1);
  await clock.advance(0);
  strictEqual(counted.works, 1);
  wake.ring();
  await clock.advance(0);
  strictEqual(counted.works, 2);
  await counted.stop();
  strictEqual(counted.works, 2);
});

Deno.test("Wake keeps one ring for whoever waits later", async () => {
  const wake = new Wake();
  wake.ring();
  wake.ring();
  const counted = count(wake);
  await clock.advance(0);
  strictEqual(counted.works, 2);
  await counted.stop();
});

Deno.test("Wake.wait() passes once for a ring that has been", async () => {
  const wake = new Wake();
  wake.ring();
  await wake.wait();
  let isWoken = false;
  const waiting = wake.wait().then(() => isWoken = true);
  await clock.advance(0);
  strictEqual(isWoken, false);
  wake.ring();
  await waiting;
});

Deno.test("Wake.run() works again when it has waited for something", async () => {
  const wake = new Wake();
  const stop = new AbortController();
  const works: number[] = [];
  await wake.run(() => {
    works.push(works.length);
    if (works.length < 3) return Promise.resolve();
    stop.abort();
    return undefined;
  }, stop.signal);
  deepStrictEqual(works, [0, 1, 2]);
});

Deno.test("Wake.run() does nothing when it is stopped already, and rejects as its work does", async () => {
  const wake = new Wake();
  let works = 0;
  await wake.run(() => void works++, AbortSignal.abort());
  strictEqual(works, 0);
  const { signal } = new AbortController();
  await rejects(
    wake.run(() => Promise.reject(new Error("no")), signal),
    /no/,
  );
});
