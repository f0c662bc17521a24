/**
 * A recorder, and a delivery of its events to an API that does what a test says.
 *
 * @module
 */

import { strictEqual } from "node:assert/strict";
import { ApiFailure, type FailureReason } from "../../../mod/api/access/mod.ts";
import type { PodEvent, PodRef } from "../../../mod/api/types/mod.ts";
import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import {
  EventDelivery,
  type EventDeliveryOptions,
  type EventNews,
  EventRecorder,
  type NewEvent,
} from "../../../mod/events/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { fieldsTo } from "../log_lines.ts";

/** The pod that events are about unless told otherwise. */
export const SHOP_POD: PodRef = { name: "web", namespace: "shop", uid: "u-1" };

/** One call that was made. */
export type EventCall =
  | { readonly verb: "create"; readonly event: NewEvent }
  | {
    readonly verb: "patch";
    readonly place: NewEvent["metadata"];
    readonly news: EventNews;
  };

/** What is to become of a call: nothing, a failure, or a wait before either. */
export type CallFate =
  | FailureReason
  | "ok"
  | Error
  | { readonly until: Promise<void> };

/** A delivery that runs until the rig ends. */
export class EventDeliveryRig implements AsyncDisposable {
  readonly clock: FakeClock = new FakeClock();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly lines: Record<string, unknown>[] = [];
  readonly calls: EventCall[] = [];
  /** When each call was made. */
  readonly times: number[] = [];
  readonly recorder: EventRecorder;
  readonly delivery: EventDelivery;
  /** What becomes of a call, after those of {@linkcode fates}. */
  always: CallFate = "ok";
  /** What becomes of the next calls. */
  readonly fates: CallFate[] = [];
  mayTell = true;
  /** The version of every object that the API server knows. */
  version: { readonly resourceVersion?: string } = {};
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: Partial<EventDeliveryOptions> = {}) {
    const { clock, metrics } = this;
    this.recorder = new EventRecorder({ clock, log: silentLogger, metrics });
    this.delivery = this.build(options);
  }

  /** Builds another delivery of the same recorder. */
  build(options: Partial<EventDeliveryOptions> = {}): EventDelivery {
    return new EventDelivery({
      clock: this.clock,
      random: { next: () => .25 },
      log: fieldsTo(this.lines, { level: "debug" }),
      metrics: this.metrics,
      outbox: this.recorder.outbox,
      client: {
        create: (event) => this.#call({ verb: "create", event }),
        patch: (place, news) => this.#call({ verb: "patch", place, news }),
      },
      mayTell: () => this.mayTell,
      known: ({ uid }) =>
        uid === "static" ? { uid: "hash" } : { uid, ...this.version },
    }, { nodeName: "edge1", perSecond: 50, burst: 10_000, ...options });
  }

  /** Begins, and lets everything happen that needs no time. */
  async run(delivery: EventDelivery = this.delivery): Promise<void> {
    this.#stop = new AbortController();
    this.#running = delivery.run(this.#stop.signal);
    await this.clock.advance(0);
  }

  /** Ends the delivery that runs. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  say(
    message: string,
    fields: Partial<PodEvent> = {},
    pod: PodRef = SHOP_POD,
  ): void {
    const type = "Normal";
    this.recorder.record(pod, { type, reason: "Tested", message, ...fields });
  }

  /** The calls as texts: `create one`, `patch one 2`. */
  get texts(): readonly string[] {
    return this.calls.map((call) =>
      call.verb === "create"
        ? `create ${call.event.message}${
          call.event.count > 1 ? ` ${call.event.count}` : ""
        }`
        : `patch ${call.news.message} ${call.news.count}`
    );
  }

  /** What was logged, without details. */
  get logged(): readonly unknown[] {
    return this.lines.map(({ message }) => message);
  }

  /** How many events were never told for a cause. */
  untold(cause: string): number {
    const found = this.metrics.render().match(
      new RegExp(`untold_total\\{cause="${cause}"\\} (\\d+)`),
    );
    return Number(found?.[1] ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    strictEqual(this.clock.pendingTimers, 0);
  }

  async #call(call: EventCall): Promise<void> {
    this.calls.push(call);
    this.times.push(this.clock.monotonic());
    const fate = this.fates.shift() ?? this.always;
    if (fate === "ok") return;
    if (typeof fate === "string") throw new ApiFailure(fate, "not so");
    if (fate instanceof Error) throw fate;
    await fate.until;
  }
}
