/**
 * What the service manager is told, and when.
 *
 * @module
 */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { ServiceManager } from "../../../mod/app/service_manager.ts";
import { createLogger } from "../../../mod/base/telemetry/mod.ts";
import type { HealthProblem } from "../../../mod/server/mod.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** A service manager that writes down what it is told, and is asked as the test says. */
function rig(
  answer: () => Promise<void> = () => Promise.resolve(),
  watchdogMs = 180_000,
) {
  const clock = new FakeClock();
  const told: string[] = [];
  const logged: string[] = [];
  const world: {
    problems: HealthProblem[];
    answer: () => Promise<void>;
  } = { problems: [], answer };
  const log = createLogger({
    format: "text",
    level: "info",
    clock,
    write: (line) => void logged.push(line),
  });
  const manager = new ServiceManager({
    clock,
    log,
    health: { problems: () => world.problems },
    send: async (lines) => {
      await world.answer();
      told.push(lines.join(" "));
    },
  }, { watchdogMs });
  const stop = new AbortController();
  const run = manager.run(stop.signal).catch((error) => error);
  const end = async (): Promise<void> => {
    stop.abort();
    await clock.advance(500);
    await run;
  };
  return { clock, told, logged, world, manager, stop, run, end };
}

const STARTING = { check: "syncloop", reason: "the agent is starting" };

Deno.test("ServiceManager is ready at once, and says within which time it gives a sign of life", async () => {
  const { clock, told, end } = rig();
  await clock.advance(0);
  deepStrictEqual(told, ["READY=1 WATCHDOG_USEC=180000000 STATUS=Healthy"]);
  await end();
});

Deno.test("ServiceManager sends no more than a service manager takes", async () => {
  const { clock, told, world, end } = rig();
  world.problems = [{ check: "runtime", reason: "\u{1f4a5}€".repeat(5_000) }];
  await clock.advance(10_000);
  for (const text of told) ok(new TextEncoder().encode(text).length < 4096);
  match(told.at(-1) ?? "", /^STATUS=runtime: /);
  await end();
});

Deno.test("ServiceManager says no more than a thousand letters of what is wrong", async () => {
  const { clock, told, world, end } = rig();
  world.problems = [{ check: "runtime", reason: "x".repeat(5_000) }];
  await clock.advance(10_000);
  strictEqual(told.at(-1), `STATUS=runtime: ${"x".repeat(991)}`);
  await end();
});

Deno.test("ServiceManager says what is wrong after ten seconds, and after half of a short time for signs of life", async () => {
  for (const [watchdogMs, periodMs] of [[180_000, 10_000], [12_000, 6_000]]) {
    const { clock, told, world, end } = rig(undefined, watchdogMs);
    await clock.advance(0);
    world.problems = [{ check: "disk", reason: "full" }];
    await clock.advance((periodMs ?? 0) - 1);
    strictEqual(told.length, 1);
    await clock.advance(1);
    match(told.at(-1) ?? "", /STATUS=disk: full$/);
    await end();
  }
});

Deno.test("ServiceManager gives a sign of life twice within the time, and says nothing else", async () => {
  const { clock, told, end } = rig();
  await clock.advance(360_000);
  deepStrictEqual(told.slice(1), Array(4).fill("WATCHDOG=1"));
  await end();
});

for (const seconds of [10, 19, 21, 30, 39, 50, 190]) {
  Deno.test(`ServiceManager gives a sign of life twice within ${seconds} s`, async () => {
    const { clock, told, end } = rig(undefined, seconds * 1_000);
    await clock.advance(0);
    for (let at = 0; at < 20; at++) {
      told.length = 0;
      await clock.advance(seconds * 500);
      deepStrictEqual(new Set(told), new Set(["WATCHDOG=1"]));
    }
    await end();
  });
}

Deno.test("ServiceManager says what is wrong once, and that it is over", async () => {
  const { clock, told, world, end } = rig();
  await clock.advance(0);
  world.problems = [
    { check: "runtime", reason: "it does not\nanswer" },
    { check: "disk", reason: "full" },
  ];
  await clock.advance(30_000);
  world.problems = [];
  await clock.advance(30_000);
  deepStrictEqual(told.slice(1), [
    "STATUS=runtime: it does not answer; disk: full",
    "STATUS=Healthy",
  ]);
  await end();
});

Deno.test("ServiceManager gives no sign of life of a loop that is stuck, but one of a runtime that is down", async () => {
  const { clock, told, world, end } = rig();
  world.problems = [{ check: "runtime", reason: "down" }];
  await clock.advance(95_000);
  strictEqual(told.at(-1), "WATCHDOG=1");
  world.problems = [STARTING];
  await clock.advance(400_000);
  deepStrictEqual(told.slice(3), ["STATUS=syncloop: the agent is starting"]);
  world.problems = [];
  await clock.advance(10_000);
  strictEqual(told.at(-1), "WATCHDOG=1 STATUS=Healthy");
  await end();
});

Deno.test("ServiceManager says that it is ready until somebody hears it, and logs that once", async () => {
  const { clock, told, logged, world, end } = rig(() =>
    Promise.reject(new Error("nobody there"))
  );
  await clock.advance(25_000);
  deepStrictEqual(told, []);
  strictEqual(logged.length, 1);
  world.answer = () => Promise.resolve();
  await clock.advance(10_000);
  deepStrictEqual(told, ["READY=1 WATCHDOG_USEC=180000000 STATUS=Healthy"]);
  await end();
});

Deno.test("ServiceManager logs again that nobody hears it when somebody did meanwhile", async () => {
  const deaf = () => Promise.reject(new Error("nobody there"));
  const { clock, logged, world, end } = rig(deaf);
  await clock.advance(10_000);
  world.answer = () => Promise.resolve();
  await clock.advance(10_000);
  world.answer = deaf;
  world.problems = [{ check: "disk", reason: "full" }];
  await clock.advance(30_000);
  strictEqual(logged.length, 2);
  await end();
});

Deno.test("ServiceManager gives its last message 500 ms", async () => {
  const { clock, told, world, stop, run } = rig();
  await clock.advance(0);
  world.answer = () => new Promise(() => {});
  let isOver = false;
  run.then(() => isOver = true);
  stop.abort();
  await clock.advance(499);
  strictEqual(isOver, false);
  await clock.advance(1);
  await run;
  strictEqual(told.length, 1);
});

Deno.test("ServiceManager that is not read waits with one message, and delays no stop for longer than 500 ms", async () => {
  let asked = 0;
  const { clock, told, end } = rig(() => {
    asked++;
    return new Promise(() => {});
  });
  await clock.advance(3_600_000);
  strictEqual(asked, 1);
  await end();
  deepStrictEqual(told, []);
});

Deno.test("ServiceManager says that the agent stops", async () => {
  const { clock, told, end } = rig();
  await clock.advance(0);
  await end();
  strictEqual(told.at(-1), "STOPPING=1 STATUS=Stopping; containers run on");
});

const GOES_DOWN =
  "STOPPING=1 EXTEND_TIMEOUT_USEC=50000000 STATUS=The machine goes down: stopping pods";

Deno.test("ServiceManager says at once that the machine goes down", async () => {
  const { clock, told, manager, end } = rig();
  await clock.advance(0);
  await manager.goingDown(50);
  deepStrictEqual(told.slice(1), [GOES_DOWN]);
  await end();
});

Deno.test("ServiceManager says again that the machine goes down when that waited for long and was not heard", async () => {
  const { clock, told, world, manager, end } = rig();
  await clock.advance(0);
  const waiting = Promise.withResolvers<void>();
  world.answer = () => waiting.promise;
  const said = manager.goingDown(50);
  await clock.advance(25_000);
  world.answer = () => Promise.resolve();
  waiting.reject(new Error("nobody there"));
  await said;
  deepStrictEqual(told.slice(1), []);
  await clock.advance(10_000);
  deepStrictEqual(told.slice(1), [GOES_DOWN]);
  await end();
});

Deno.test("ServiceManager says that the machine goes down although another message waits, and until it has gone", async () => {
  const waiting = Promise.withResolvers<void>();
  const { clock, told, world, manager, end } = rig(() => waiting.promise);
  await clock.advance(0);
  const said = manager.goingDown(50);
  world.answer = () => Promise.reject(new Error("nobody there"));
  waiting.resolve();
  await said;
  await clock.advance(10_000);
  world.answer = () => Promise.resolve();
  await clock.advance(30_000);
  deepStrictEqual(told.slice(1), [GOES_DOWN]);
  await end();
  strictEqual(told.at(-1), "STOPPING=1 STATUS=Stopping");
});
