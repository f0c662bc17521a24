/**
 * A core that fails is built anew, and one that is to end is prepared for it.
 *
 * @module
 */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { unlessAborted } from "../../../mod/base/mod.ts";
import { CoreLife, type LivingAgent } from "../../../mod/app/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { connectCri } from "../../../mod/cri/mod.ts";
import { EventRecorder } from "../../../mod/events/mod.ts";
import { coreConfig } from "../../support/agent/core_config.ts";
import { FakeMachine } from "../../support/agent/fake_machine.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { fieldsTo } from "../../support/log_lines.ts";
import { seededRandom } from "../../support/seeded_random.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** Cores that run until a test lets them fail. */
class LifeRig implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly clock = new FakeClock();
  readonly lines: Record<string, unknown>[] = [];
  readonly stop = new AbortController();
  /** How many cores there were. */
  shown = 0;
  beforeEnd: (living: LivingAgent) => Promise<void> = () => Promise.resolve();
  isOver = false;
  /** Those that wait for the runtime. */
  #waiting: ((error: Error) => void)[] = [];
  #life: CoreLife | undefined;
  #running: Promise<void> | undefined;

  static async make(): Promise<LifeRig> {
    const rig = new LifeRig();
    const { clock } = rig;
    const { path } = rig.#stack.use(await TempDir.make());
    const config = await coreConfig(path, {});
    await Deno.mkdir(`${path}/manifests`);
    const log = fieldsTo(rig.lines, { clock });
    const metrics = new MetricsRegistry();
    const { socketPath: endpoint } = config.runtime;
    const connection = rig.#stack.use(
      connectCri({ endpoint, requestTimeoutMs: 1_000 }, {
        clock,
        log,
        metrics,
      }),
    );
    Object.assign(connection, {
      ready: (signal: AbortSignal) => {
        const waiting = Promise.withResolvers<never>();
        rig.#waiting.push(waiting.reject);
        return unlessAborted(waiting.promise, signal);
      },
    });
    rig.#life = new CoreLife({
      ...{ clock, log, metrics, connection },
      random: seededRandom(7),
      machine: new FakeMachine(),
      events: new EventRecorder({ clock, log, metrics }),
    }, {
      config,
      views: { show: () => void rig.shown++ },
      beforeEnd: (living) => rig.beforeEnd(living),
    });
    return rig;
  }

  get life(): CoreLife {
    ok(this.#life !== undefined);
    return this.#life;
  }

  /** Runs cores until the end; @returns the signal of the end */
  run(): AbortSignal {
    const end = this.life.endAfter(this.stop.signal);
    this.#running = this.life.run(end).then(() => {
      this.isOver = true;
    });
    return end;
  }

  /**
   * Waits for a core to ask whether the runtime is ready.
   *
   * @param stepMs by how much the clock moves on meanwhile, again and again
   */
  async untilRuns(number: number, stepMs = 100): Promise<void> {
    await until(
      async () => {
        await this.clock.advance(stepMs);
        return this.shown === number && this.#waiting.length > 0;
      },
      `core ${number}`,
      () => [this.shown, this.#waiting.length, this.lines],
    );
  }

  /** Lets the core fail; @returns how long it is until the next */
  async fail(): Promise<unknown> {
    const from = this.failures.length;
    for (const fail of this.#waiting.splice(0)) fail(new Error("broken"));
    await until(async () => {
      await this.clock.advance(0);
      return this.failures.length > from;
    }, "the failure");
    return this.failures.at(-1)?.["againMs"];
  }

  get failures(): Record<string, unknown>[] {
    return this.lines.filter(({ message }) => message === "core_failed");
  }

  async untilOver(): Promise<void> {
    await until(async () => {
      await this.clock.advance(0);
      return this.isOver;
    }, "the end");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    // What a core began is over before its directory goes.
    if (this.#running !== undefined) await this.untilOver();
    await this.#stack[Symbol.asyncDispose]();
  }
}

Deno.test("CoreLife builds a core anew that failed, later each time, and sooner after one that worked", async () => {
  await using rig = await LifeRig.make();
  rig.run();
  const pauses: unknown[] = [];
  for (let number = 1; number <= 7; number++) {
    await rig.untilRuns(number);
    pauses.push(await rig.fail());
  }
  await rig.untilRuns(8);
  await rig.clock.advance(61_000);
  pauses.push(await rig.fail());
  deepStrictEqual(pauses, [
    ...[1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
    1_000,
  ]);
  strictEqual(rig.failures[0]?.["error"], "broken");
  ok(`${rig.failures[0]?.["stack"]}`.includes("core_life_test.ts"));
  rig.stop.abort();
  await rig.untilOver();
  strictEqual(rig.shown, 8);
});

Deno.test("CoreLife takes a core for one that worked when it ran for more than a minute", async () => {
  await using rig = await LifeRig.make();
  rig.run();
  const pauses: number[] = [];
  for (const [at, ranMs] of [0, 60_000, 60_001].entries()) {
    await rig.untilRuns(at + 1, 0);
    await rig.clock.advance(ranMs);
    pauses.push(Number(await rig.fail()));
    await rig.clock.advance(pauses.at(-1) ?? 0);
  }
  deepStrictEqual(pauses, [1_000, 2_000, 1_000]);
});

Deno.test("CoreLife ends a core when all is done before the end", async () => {
  await using rig = await LifeRig.make();
  const done = Promise.withResolvers<void>();
  const living: LivingAgent[] = [];
  rig.beforeEnd = (each) => {
    living.push(each);
    return done.promise;
  };
  const end = rig.run();
  await rig.untilRuns(1);
  const reason = new Error("stop");
  rig.stop.abort(reason);
  await rig.clock.advance(5_000);
  strictEqual(living.length, 1);
  strictEqual(end.aborted, false);
  strictEqual(living[0]?.signal.aborted, false);
  done.resolve();
  await rig.untilOver();
  strictEqual(end.reason, reason);
  strictEqual(living[0]?.signal.aborted, true);
  strictEqual(living[0]?.signal.reason.name, "AbortError");
  deepStrictEqual(rig.failures, []);
});

Deno.test("CoreLife ends a core although nothing can be done before the end, and says why", async () => {
  await using rig = await LifeRig.make();
  rig.beforeEnd = () => Promise.reject(new Error("too late"));
  rig.run();
  await rig.untilRuns(1);
  rig.stop.abort();
  await rig.untilOver();
  strictEqual(
    rig.lines.some(({ message }) => message === "end_not_prepared"),
    true,
  );
});

Deno.test("CoreLife builds no core anew that fails before its end", async () => {
  await using rig = await LifeRig.make();
  const done = Promise.withResolvers<void>();
  rig.beforeEnd = () => done.promise;
  const end = rig.run();
  await rig.untilRuns(1);
  rig.stop.abort();
  strictEqual(await rig.fail(), 1_000);
  await rig.clock.advance(1_000);
  await rig.untilOver();
  strictEqual(rig.shown, 1);
  strictEqual(end.aborted, false);
  done.resolve();
});

Deno.test("CoreLife that is to end before it begins builds nothing", async () => {
  await using rig = await LifeRig.make();
  let asked = 0;
  rig.beforeEnd = () => Promise.resolve(void asked++);
  rig.stop.abort();
  const end = rig.run();
  await rig.untilOver();
  strictEqual(end.aborted, true);
  deepStrictEqual([rig.shown, asked], [0, 0]);
});
