/**
 * A picture of a model of a runtime, on a clock that a test moves.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { MetricsRegistry } from "../../../mod/base/telemetry/mod.ts";
import type { PodLifecycleEvent } from "../../../mod/picture/diff.ts";
import type { ContainerExit } from "../../../mod/cri/events/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { NO_FILES } from "../no_ops.ts";
import { PERIOD_MS, pictureOf } from "./picture.ts";
import type {
  PodObserver,
  RuntimePicture,
  RuntimeWatch,
} from "../../../mod/picture/mod.ts";
import { EventScript, ModelRuntime } from "./model_runtime.ts";
import { messagesTo } from "../log_lines.ts";

/** How a rig is made. */
export interface PlegRigOptions {
  /** @default true */
  readonly hasEvents?: boolean;
  readonly managed?: { has(uid: string): boolean };
  /** @default new FakeClock() */
  readonly clock?: FakeClock;
}

/** A watch that runs, and all around it. */
export class WatchRig implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly runtime: ModelRuntime;
  readonly stream: EventScript = new EventScript();
  /** What is known of ends earlier than the runtime shows them. */
  readonly ends: Map<string, ContainerExit> = new Map();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly events: PodLifecycleEvent[] = [];
  readonly #log: string[] = [];
  readonly picture: RuntimePicture;
  readonly observer: PodObserver;
  readonly watch: RuntimeWatch;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: PlegRigOptions = {}) {
    const { hasEvents = true, managed, clock = new FakeClock() } = options;
    const { metrics, stream } = this;
    this.clock = clock;
    this.runtime = new ModelRuntime(clock);
    const parts = pictureOf({
      clock,
      metrics,
      runtime: this.runtime,
      files: NO_FILES,
      log: messagesTo(this.#log, { clock }),
      ask: (id) => Promise.resolve(this.ends.get(id)),
      ...hasEvents && { events: stream.open },
      ...managed && { managed },
    });
    this.picture = parts.picture;
    this.observer = parts.observer;
    this.watch = parts.watch;
    this.#running = this.#run();
  }

  /** The kinds of the events told since the last call. */
  kinds(): string[] {
    return this.events.splice(0).map(({ kind }) => kind);
  }

  /** What was logged since the last call. */
  logged(): string[] {
    return this.#log.splice(0);
  }

  /** The calls made since the last call. */
  calls(): string[] {
    return this.runtime.calls.splice(0);
  }

  /** How many lists of everything were asked for since the last call. */
  lists(): number {
    return this.calls().filter((call) => call === "list sandboxes").length;
  }

  /** The state of a container, as the picture shows it. */
  state(id: string): string | undefined {
    for (const uid of this.picture.uids()) {
      const found = this.picture.get(uid)?.containers.find((c) => c.id === id);
      if (found !== undefined) return found.state;
    }
    return undefined;
  }

  /**
   * Lets so many lists pass that a stream which keeps its word is trusted. The next
   * list of all comes ten seconds later.
   */
  async trust(): Promise<void> {
    await this.clock.advance(6 * PERIOD_MS);
    this.calls();
    for (let step = 0; step < 100 && this.lists() === 0; step++) {
      await this.clock.advance(100);
    }
    strictEqual(this.period(), 10, "the stream is not trusted");
    this.kinds();
    this.calls();
  }

  /** The gauge of the period, in seconds. */
  period(): number {
    return this.metric("skerry_pleg_relist_period_seconds") ?? NaN;
  }

  /** The value of a metric without labels. */
  metric(name: string): number | undefined {
    const line = this.metrics.render().split("\n")
      .find((line) => line.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.split(" ").at(-1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.runtime.release();
    await this.#running;
    strictEqual(this.clock.pendingTimers, 0);
  }

  async #run(): Promise<void> {
    // So that the test can still say what the first list shows.
    await Promise.resolve();
    for await (const event of this.watch.run(this.#stop.signal)) {
      this.events.push(event);
    }
  }
}
