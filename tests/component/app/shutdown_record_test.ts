/**
 * What tells a shutdown of the machine from a stop of the agent, and what is kept of it.
 *
 * @module
 */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { EventSink } from "../../../mod/api/types/mod.ts";
import { MachineShutdown } from "../../../mod/app/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { ShutdownGroup } from "../../../mod/pod/lifecycle/mod.ts";
import { coreConfig, NODE } from "../../support/agent/core_config.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { messagesTo } from "../../support/log_lines.ts";
import { TempDir } from "../../support/temp_dir.ts";

const START = "kubelet_graceful_shutdown_start_time_seconds";
const END = "kubelet_graceful_shutdown_end_time_seconds";
const GROUPS: readonly ShutdownGroup[] = [
  { priority: 0, graceSeconds: 7 },
  { priority: 5, graceSeconds: 3 },
];

/** A machine that goes down when a test says so. */
class ShutdownRig implements AsyncDisposable {
  readonly clock = new FakeClock(5_000_900);
  readonly said: string[] = [];
  readonly events: string[] = [];
  readonly metrics = new MetricsRegistry();
  readonly shutdown: MachineShutdown;
  readonly marker: string;
  readonly record: string;
  readonly #dir: TempDir;

  static async make(): Promise<ShutdownRig> {
    const dir = await TempDir.make();
    const config = await coreConfig(dir.path, {});
    await Deno.mkdir(`${dir.path}/root`);
    await Deno.mkdir(`${dir.path}/run`);
    return new ShutdownRig(dir, config);
  }

  private constructor(
    dir: TempDir,
    config: ConstructorParameters<typeof MachineShutdown>[0],
  ) {
    this.#dir = dir;
    this.marker = config.shutdown.markerPath;
    this.record = config.shutdown.recordPath;
    const events: EventSink = {
      record: ({ kind, name }, { type, reason, message }) =>
        void this.events.push(`${kind}/${name} ${type} ${reason}: ${message}`),
    };
    const { clock, metrics } = this;
    const log = messagesTo(this.said, { clock });
    this.shutdown = new MachineShutdown(config, {
      clock,
      log,
      metrics,
      events,
    });
  }

  async mark(): Promise<void> {
    await Deno.writeTextFile(this.marker, "");
  }

  /** What the metrics say. */
  times(): readonly (number | undefined)[] {
    const text = this.metrics.render();
    return [START, END].map((name) => {
      const found = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** An agent whose pods end as a test says. */
function living(
  shutDown: (groups: readonly ShutdownGroup[]) => Promise<void>,
  signal = new AbortController().signal,
) {
  return { agent: { shutDown }, signal };
}

Deno.test("MachineShutdown is due when the mark was made after the start, and pods are to have time", async () => {
  await using rig = await ShutdownRig.make();
  const { shutdown } = rig;
  await rig.mark();
  await shutdown.open();
  deepStrictEqual(rig.said, []);
  shutdown.use(GROUPS);
  strictEqual(await shutdown.dueSeconds(), undefined);
  await rig.mark();
  strictEqual(await shutdown.dueSeconds(), 30);
  shutdown.use([]);
  strictEqual(await shutdown.dueSeconds(), undefined);
});

Deno.test("MachineShutdown is never due with a mark that stays", async () => {
  await using rig = await ShutdownRig.make();
  const { shutdown } = rig;
  await Deno.mkdir(`${rig.marker}/full`, { recursive: true });
  await shutdown.open();
  deepStrictEqual(rig.said, ["shutdown_marker_stays"]);
  shutdown.use(GROUPS);
  strictEqual(await shutdown.dueSeconds(), undefined);
});

Deno.test("MachineShutdown stops the pods, and the next agent knows when", async () => {
  await using rig = await ShutdownRig.make();
  const { shutdown, clock } = rig;
  await shutdown.open();
  deepStrictEqual(rig.times(), [0, 0]);
  shutdown.use(GROUPS);
  const given: (readonly ShutdownGroup[])[] = [];
  await shutdown.run(living(async (groups) => {
    given.push(groups);
    deepStrictEqual(rig.times(), [5_000, 0]);
    strictEqual(
      await Deno.readTextFile(rig.record),
      '{"startTime":5000,"endTime":0}',
    );
    await clock.advance(3_000);
  }));
  deepStrictEqual(given, [GROUPS]);
  deepStrictEqual(rig.said, ["machine_goes_down", "pods_stopped"]);
  deepStrictEqual(rig.events, [
    `Node/${NODE} Normal Shutdown: Shutdown manager detected shutdown event`,
  ]);
  deepStrictEqual(rig.times(), [5_000, 5_003]);
  strictEqual(((await Deno.stat(rig.record)).mode ?? 0) & 0o777, 0o600);
  // Another agent begins with what this one wrote.
  await using other = await ShutdownRig.make();
  await Deno.copyFile(rig.record, other.record);
  await other.shutdown.open();
  deepStrictEqual(other.times(), [5_000, 5_003]);
});

Deno.test("MachineShutdown that fails says so, and one that is cut short does not", async () => {
  for (const isCut of [false, true]) {
    await using rig = await ShutdownRig.make();
    const cut = new AbortController();
    await rig.shutdown.run(living(() => {
      if (isCut) cut.abort();
      return Promise.reject(new Error("broken"));
    }, cut.signal));
    deepStrictEqual(
      rig.said,
      ["machine_goes_down", ...isCut ? [] : ["shutdown_failed"]],
    );
    deepStrictEqual(rig.times(), [5_000, 0]);
  }
});

Deno.test("MachineShutdown stops pods although nothing can be kept of it", async () => {
  await using rig = await ShutdownRig.make();
  await Deno.mkdir(rig.record);
  await rig.shutdown.run(living(() => Promise.resolve()));
  deepStrictEqual(rig.said, [
    "machine_goes_down",
    "shutdown_not_recorded",
    "shutdown_not_recorded",
    "pods_stopped",
  ]);
  deepStrictEqual(rig.times(), [5_000, 5_000]);
});

Deno.test("MachineShutdown reads a record of four kibibytes", async () => {
  await using rig = await ShutdownRig.make();
  const text = '{"startTime":5,"endTime":6}'.padEnd(4_096);
  await Deno.writeTextFile(rig.record, text);
  await rig.shutdown.open();
  deepStrictEqual(rig.times(), [5, 6]);
});

for (
  const text of [
    "",
    "[]",
    "7",
    '{"startTime":5}',
    '{"endTime":5}',
    '{"startTime":"5","endTime":6}',
    '{"startTime":5,"endTime":6}'.padEnd(4_097),
  ]
) {
  Deno.test(`MachineShutdown knows of none by a record of ${text.length} bytes, ${text.slice(0, 30)}`, async () => {
    await using rig = await ShutdownRig.make();
    await Deno.writeTextFile(rig.record, text);
    await rig.shutdown.open();
    deepStrictEqual(rig.times(), [0, 0]);
    deepStrictEqual(rig.said, []);
  });
}
