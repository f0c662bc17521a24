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

Deno.test("Wake.run() works once for rings that come together, and after one from within", async () => {
  const wake = new Wake();
  wake.ring();
  const stop = new AbortController();
  let works = 0;
  const running = wake.run(() => {
    if (++works === 2) wake.ring();
  }, stop.signal);
  await clock.advance(0);
  strictEqual(works, 1);
  wake.ring();
  wake.ring();
  strictEqual(works, 1);
  await clock.advance(0);
  strictEqual(works, 3);
  stop.abort();
  await running;
});

Deno.test("Wake.run() does not work beside itself", async () => {
  const wake = new Wake();
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  let works = 0;
  const running = wake.run(() => {
    works++;
    return works === 1 ? gate.promise : undefined;
  }, stop.signal);
  await clock.advance(0);
  wake.ring();
  await clock.advance(0);
  strictEqual(works, 1);
  gate.resolve();
  await clock.advance(0);
  strictEqual(works, 2);
  stop.abort();
  await running;
});

Deno.test("Wake.run() does not work beside itself after a ring from within", async () => {
  const wake = new Wake();
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  let works = 0;
  const running = wake.run(() => {
    works++;
    wake.ring();
    return gate.promise;
  }, stop.signal);
  await clock.advance(0);
  strictEqual(works, 1);
  stop.abort();
  gate.resolve();
  await running;
  strictEqual(works, 1);
});

Deno.test("Wake.run() that is stopped while it waits ends afterwards", async () => {
  const wake = new Wake();
  const stop = new AbortController();
  const gate = Promise.withResolvers<void>();
  let works = 0;
  let isOver = false;
  const running = wake.run(() => {
    works++;
    return gate.promise;
  }, stop.signal).then(() => isOver = true);
  await clock.advance(0);
  stop.abort();
  await clock.advance(0);
  strictEqual(isOver, false);
  gate.resolve();
  await running;
  strictEqual(works, 1);
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
  const broken = (): void => {
    throw new Error("not at all");
  };
  await rejects(new Wake().run(broken, signal), /not at all/);
});
