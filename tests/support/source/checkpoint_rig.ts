/**
 * Checkpoints on a disk in memory, in time that stands still.
 *
 * @module
 */

import type { LocalObject } from "../../../mod/api/objects/mod.ts";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import { DiskLastGoodStore } from "../../../mod/source/records/last_good_store.ts";
import type { RecordTimes } from "../../../mod/source/records/record_places.ts";
import { DiskSetCheckpoint } from "../../../mod/source/records/source_checkpoint.ts";
import type { SourceContent } from "../../../mod/source/merge/source_set.ts";
import { FakeClock } from "../fake_clock.ts";
import { FakeRecords } from "./fake_records.ts";
import { sourcePod } from "./source_pods.ts";
import { type EventOfPod, eventsOfPodsTo } from "../event_list.ts";
import { fieldsTo } from "../log_lines.ts";

const URL_A = "https://user:hunter2@host/pods";

/** A checkpoint of a URL with a password, and last good manifests beside it. */
export class CheckpointRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly log: Record<string, unknown>[] = [];
  readonly events: EventOfPod[] = [];
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly disk: FakeRecords;
  readonly checkpoint: DiskSetCheckpoint;
  readonly lastGood: DiskLastGoodStore;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(
    disk: FakeRecords = new FakeRecords(),
    origin: string = URL_A,
    // What is written together, and when, is a matter of its own.
    times: RecordTimes = { gatherMs: 0 },
  ) {
    this.disk = disk;
    const deps = {
      clock: this.clock,
      metrics: this.metrics,
      log: fieldsTo(this.log, { clock: this.clock, level: "debug" }),
      events: eventsOfPodsTo(this.events),
      files: disk,
    };
    this.checkpoint = new DiskSetCheckpoint({
      source: "http",
      origin,
      directory: "/state",
      secretDirectory: "/run",
    }, deps);
    this.lastGood = new DiskLastGoodStore({
      directory: "/manifests",
      secretDirectory: "/run/manifests",
      ...times,
    }, deps);
  }

  /** Starts, or goes on, and lets `ms` pass. */
  async pass(ms = 0): Promise<void> {
    this.#running ??= Promise.all([
      this.checkpoint.run(this.#stop.signal),
      this.lastGood.run(this.#stop.signal),
    ]);
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }

  /** Ends it as SIGKILL does: the disk takes nothing of it any more. */
  async kill(): Promise<void> {
    this.disk.hanging = () => new Promise(() => {});
    const stopped = this.stop();
    await this.clock.advance(60_000);
    await stopped;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  messages(): readonly unknown[] {
    return this.log.map((line) => line["message"]);
  }

  reasons(): readonly string[] {
    return this.events.map(({ reason, pod }) => `${reason} ${pod.name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A set of one pod. */
export function content(
  image: string,
  objects: readonly LocalObject[] = [],
): SourceContent {
  return { pods: [sourcePod({ image })], objects, workloads: [] };
}
