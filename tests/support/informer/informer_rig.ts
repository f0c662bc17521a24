/**
 * An informer of items over a server in memory, with a clock that stands still.
 *
 * @module
 */

import {
  MetricsRegistry,
  silentLogger,
} from "../../../mod/base/telemetry/mod.ts";
import type { Logger } from "../../../mod/base/telemetry/mod.ts";
import type { ListerWatcher } from "../../../mod/api/access/mod.ts";
import {
  type HandlerRegistration,
  type InformerDeps,
  type InformerOptions,
  type Notice,
  SharedInformer,
} from "../../../mod/informer/shared/mod.ts";
import { FakeClock } from "../fake_clock.ts";
import { seededRandom } from "../seeded_random.ts";
import { type Item, ITEM_KIND, ObjectServer } from "./object_server.ts";

/** An informer, who uses it, and the server it reads. */
export class InformerRig implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: ObjectServer<Item>;
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly informer: SharedInformer<Item>;
  readonly stop: AbortController = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    {
      source,
      log,
      clock = new FakeClock(),
      server = new ObjectServer<Item>(),
      ...options
    }:
      & Partial<InformerOptions<Item>>
      & {
        readonly source?: ListerWatcher<Item>;
        readonly log?: Logger;
        readonly clock?: FakeClock;
        readonly server?: ObjectServer<Item>;
      } = {},
  ) {
    this.clock = clock;
    this.server = server;
    const deps = { ...this.deps, ...log !== undefined && { log } };
    this.informer = new SharedInformer<Item>(
      { ...deps, source: source ?? this.server },
      { ...ITEM_KIND, ...options },
    );
  }

  /** What informers of this rig work with. */
  get deps(): InformerDeps {
    return {
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: this.metrics,
      freezes: true,
    };
  }

  /** Runs the informer until everything that can happen has. */
  async start(): Promise<this> {
    this.#running = this.informer.run(this.stop.signal);
    await this.clock.advance(0);
    return this;
  }

  /** Adds a handler that writes down what it is told. */
  listen(
    name: string = "listener",
    options: { readonly resyncMs?: number } = {},
  ): HandlerNotes {
    const notices: Notice<Item>[] = [];
    const registration = this.informer.addHandler((notice) => {
      notices.push(notice);
    }, { name, ...options });
    return new HandlerNotes(notices, registration);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#running;
  }
}

/** What a handler was told. */
export class HandlerNotes {
  readonly notices: readonly Notice<Item>[];
  readonly registration: HandlerRegistration;

  constructor(
    notices: readonly Notice<Item>[],
    registration: HandlerRegistration,
  ) {
    this.notices = notices;
    this.registration = registration;
  }

  /** One line a notice: `added web 0 initial`, `updated web 0 to 1`, `removed web 1`. */
  get lines(): readonly string[] {
    return this.notices.map(describeNotice);
  }
}

/** A notice as a line of {@linkcode HandlerNotes.lines}. */
export function describeNotice(notice: Notice<Item>): string {
  const { metadata: { name }, data } = notice.object;
  switch (notice.kind) {
    case "added":
      return `added ${name} ${data}${notice.isInitial ? " initial" : ""}`;
    case "updated":
      return `updated ${name} ${notice.before.data} to ${data}`;
    default:
      return `removed ${name} ${data}${notice.isStale ? " stale" : ""}`;
  }
}
